extension Query {
  /// Writes the `UPDATE` of the query's rows.
  ///
  /// If the condition or a new value reads other rows, or columns that triggers maintain, everything is computed before
  /// the first row changes. Otherwise SQLite would see the rows that the statement has already changed.
  func update(_ writer: inout SQLWriter, _ list: AssignmentList) throws {
    let readsOtherRows = readsOtherRows || list.assignments.contains { $0.node.readsOtherRows(M.schema.derivedNames) }
    writer.write("UPDATE \(writer.target(of: M.schema)) SET ")
    for (position, assignment) in list.assignments.enumerated() {
      if position > 0 { writer.write(", ") }
      writer.write("\(Quoting.name(assignment.column)) = ")
      if readsOtherRows {
        writer.write("\(Self.computed).value\(position)")
      } else {
        try writer.write(assignment.node, asStoredIn: assignment.column, of: M.schema)
      }
    }
    if readsOtherRows { try writeComputed(&writer, list) } else { try writeRows(&writer) }
  }

  /// Writes the `DELETE` of the query's rows.
  func delete(_ writer: inout SQLWriter) throws {
    writer.write("DELETE FROM \(writer.target(of: M.schema))")
    try writeRows(&writer)
  }

  /// Writes a query for the keys of the rows that an update changes, and for a new value, which is NULL if it isn't
  /// computed.
  func selectKeys(_ writer: inout SQLWriter, with assignment: (column: String, node: SQLNode), isComputed: Bool) throws
  {
    let keys = M.schema.keyColumns.map { "\(M.schema.statements.table).\(Quoting.name($0.name))" }
    writer.write("SELECT \(keys.joined(separator: ", ")), CASE WHEN ")
    writer.bind(.integer(isComputed ? 1 : 0))
    writer.write(" THEN ")
    try writer.write(assignment.node, asStoredIn: assignment.column, of: M.schema)
    writer.write(" END FROM \(writer.target(of: M.schema))")
    try writeRows(&writer)
  }

  private static var computed: String { "larder_computed" }

  /// Writes the `FROM` and `WHERE` of an update whose new values are computed beforehand. SQLite fills the subquery
  /// before it changes the first row. Source: <https://www.sqlite.org/lang_update.html#update_from>.
  private func writeComputed(_ writer: inout SQLWriter, _ list: AssignmentList) throws {
    let table = M.schema.statements.table
    let keys = M.schema.keyColumns.map { "\(table).\(Quoting.name($0.name))" }
    writer.write(" FROM (")
    var query = self
    query.sorts = limit == nil && offset == 0 && cursor == nil ? [] : sorts
    try query.writeSelect(&writer) { writer in
      writer.write(keys.enumerated().map { "\($1) AS key\($0)" }.joined(separator: ", "))
      for (position, assignment) in list.assignments.enumerated() {
        writer.write(", ")
        try writer.write(assignment.node, asStoredIn: assignment.column, of: M.schema)
        writer.write(" AS value\(position)")
      }
    }
    let conditions = zip(keys, M.schema.keyColumns).enumerated().map { position, key in
      "\(writer.exact(key.0, key.1.name, of: M.schema.table)) IS \(Self.computed).key\(position)"
    }
    writer.write(") AS \(Self.computed) WHERE \(conditions.joined(separator: " AND "))")
  }

  private var readsOtherRows: Bool { filter?.readsOtherRows(M.schema.derivedNames) ?? false }

  /// Writes the `WHERE` of a statement that changes rows: the condition itself, or the keys if a limit, a rank or other
  /// rows matter.
  private func writeRows(_ writer: inout SQLWriter) throws {
    if let failure { throw failure }
    let isPlain = limit == nil && offset == 0 && cursor == nil && !isRanked && !readsOtherRows
    if isPlain {
      var conditions: [(inout SQLWriter) throws -> Void] = []
      if let search { conditions.append { try search.writeCondition(&$0, M.schema.searched) } }
      if let filter { conditions.append { try $0.write(filter) } }
      if M.schema.expires, writer.pendingText == nil {
        conditions.append { $0.write(Expiry.isThere(M.schema.statements.table)) }
      }
      for (position, condition) in conditions.enumerated() {
        writer.write(position == 0 ? " WHERE " : " AND ")
        try condition(&writer)
      }
      return
    }
    let keys = M.schema.keyColumns.map { Quoting.name($0.name) }
    let own = zip(keys, M.schema.keyColumns).map { writer.exact($0, $1.name, of: M.schema.table) }
    writer.write(" WHERE (\(own.joined(separator: ", "))) IN (")
    try writeSelect(&writer, keys.map { "\(M.schema.statements.table).\($0)" }.joined(separator: ", "))
    writer.write(")")
  }
}

extension ModelSchema {
  /// The columns that triggers maintain.
  fileprivate var derivedNames: Set<String> {
    Set(columns.lazy.filter { $0.derivation != nil }.map(\.name))
  }
}

extension SQLWriter {
  /// Returns the table's name in statements that write to it.
  func target<M: Model>(of schema: ModelSchema<M>) -> String {
    pendingText == nil ? schema.statements.target : schema.statements.table
  }
}
