import GRDBSQLite

extension Connection {
  /// Returns the rows of a query by Larder itself.
  func query(_ sql: String, _ arguments: [Value] = []) throws -> [Row] {
    try using(try compile(sql, isPersistent: false), arguments.map { .value($0) }, nil) { try rows($0, nil) }
  }

  /// Executes a statement of a schema change, which isn't cached.
  func change(_ sql: String, _ arguments: [Value] = []) throws {
    _ = try query(sql, arguments)
  }

  /// The number that SQLite raises with each change of the file's schema.
  var schemaVersionOfFile: Int64 {
    get throws {
      let statement = try statement("PRAGMA main.schema_version")
      defer { statement.reset() }
      return try step(statement, nil) ? StoredColumn(statement.pointer, 0).integer ?? -1 : -1
    }
  }

  /// The number of rows that the last statement itself changed.
  var changeCount: Int { Int(sqlite3_changes64(handle)) }
}
