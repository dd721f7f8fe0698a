/// What all connections of a store share, fixed once the store is open.
final class StoreEnvironment: Sendable {
  /// The columns, as "table.column", that an existing file fills with text in the place of dates or identifiers.
  let textColumns: Set<String>

  init(textColumns: Set<String> = []) {
    self.textColumns = textColumns
  }

  func makeWriter() -> SQLWriter { SQLWriter(textColumns: textColumns) }

  func sql<M: Model>(of kind: ModelStatementKind, _ model: M.Type) -> String {
    let schema = M.schema
    let statements = schema.statements
    switch kind {
    case .insert: return statements.insert
    case .upsert: return statements.upsert
    case .fetchAll: return "SELECT \(statements.columns) FROM \(statements.table)"
    case .update: return statements.update
    case .find, .delete:
      let plain = kind == .find ? statements.find : statements.delete
      guard schema.keyColumns.contains(where: isText) else { return plain }
      let dialect = Dialect.sqlite
      let conditions = schema.keyColumns.enumerated().map { position, column in
        let name = dialect.quote(column.name)
        let parameter = dialect.parameter(position + 1)
        guard isText(column) else { return "\(name) = \(parameter)" }
        return column.type.textForm == .uuid ? "larder_uuid(\(name)) = larder_uuid(\(parameter))" : "larder_seconds(\(name)) = larder_seconds(\(parameter))"
      }
      let verb = kind == .find ? "SELECT \(statements.columns) FROM" : "DELETE FROM"
      return "\(verb) \(statements.table) WHERE \(conditions.joined(separator: " AND "))"
    }

    func isText(_ column: ColumnDefinition<M>) -> Bool { textColumns.contains("\(schema.table).\(column.name)") }
  }

  /// For each parameter of a statement that binds a whole row, whether dates and identifiers go in as text; empty where none does.
  func textParameters<M: Model>(of kind: ModelStatementKind, _ model: M.Type) -> [Bool] {
    switch kind {
    case .insert, .upsert, .update:
      let flags = M.schema.columns.map { textColumns.contains("\(M.schema.table).\($0.name)") }
      return flags.contains(true) ? flags : []
    case .find, .delete, .fetchAll: return []
    }
  }
}
