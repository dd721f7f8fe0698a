/// What all connections of a store share, fixed once the store is open.
final class StoreEnvironment: Sendable {
  /// The tables of the store's models.
  let tables: [TableDefinition]

  /// The columns, as "table.column", that an existing file fills with text in the place of dates or identifiers.
  let textColumns: Set<String>

  /// Those of them whose identifiers are in lower case.
  let lowercaseColumns: Set<String>

  /// Where a context looks for text; nil where the full-text indexes of the file have all of it.
  let pendingText: PendingText?

  /// The time by which rows expire.
  let clock: ExpiryClock

  /// Where the bytes of attachments are.
  let attachments: AttachmentStorage

  init(
    tables: [TableDefinition] = [], textColumns: Set<String> = [], lowercaseColumns: Set<String> = [], pendingText: PendingText? = nil,
    clock: ExpiryClock = ExpiryClock(), attachments: AttachmentStorage = AttachmentStorage(storePath: nil, isManaged: false)
  ) {
    self.tables = tables
    self.textColumns = textColumns
    self.lowercaseColumns = lowercaseColumns
    self.pendingText = pendingText
    self.clock = clock
    self.attachments = attachments
  }

  func makeWriter() -> SQLWriter {
    SQLWriter(textColumns: textColumns, lowercaseColumns: lowercaseColumns, pendingText: pendingText)
  }

  func sql<M: Model>(of kind: ModelStatementKind, _ model: M.Type) -> String {
    let statements = statements(of: model)
    return switch kind {
    case .find: statements.find
    case .insert: statements.insert
    case .upsert: statements.upsert
    case .update: statements.update
    case .delete: statements.delete
    case .fetchAll: "SELECT \(statements.columns) FROM \(statements.table)"
    }
  }

  /// The model's statements; where the file keeps dates or identifiers as text, those that compare and write them so.
  private func statements<M: Model>(of model: M.Type) -> ModelStatements {
    let schema = M.schema
    let places = schema.columns.map { "\(schema.table).\($0.name)" }
    // A context's own views stand in the place of the tables, and are what it writes to.
    let isContext = pendingText != nil
    guard places.contains(where: textColumns.contains) || (schema.expires && isContext) else { return schema.statements }
    let dialect = Dialect.sqlite
    return ModelStatements(
      table: schema.table, columns: schema.columns.map(\.name), keyIndexes: schema.keyIndexes,
      writtenIndexes: schema.writtenIndexes, expires: schema.expires && !isContext,
      parameter: { [lowercaseColumns] position, number in
        let parameter = dialect.parameter(number)
        return lowercaseColumns.contains(places[position]) ? "lower(\(parameter))" : parameter
      },
      isKey: { [textColumns] position, parameter in
        let name = dialect.quote(schema.columns[position].name)
        guard textColumns.contains(places[position]) else { return "\(name) = \(parameter)" }
        let function = schema.columns[position].type.textForm == .uuid ? "larder_uuid" : "larder_seconds"
        return "\(function)(\(name)) = \(function)(\(parameter))"
      })
  }

  /// For each parameter of a statement that binds a whole row, whether dates and identifiers go in as text; empty where none does.
  func textParameters<M: Model>(of kind: ModelStatementKind, _ model: M.Type) -> [Bool] {
    switch kind {
    case .insert, .upsert, .update:
      let flags = M.schema.writtenColumns.map { textColumns.contains("\(M.schema.table).\($0.name)") }
      return flags.contains(true) ? flags : []
    case .find, .delete, .fetchAll: return []
    }
  }
}
