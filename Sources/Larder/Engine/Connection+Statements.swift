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

  /// The number of rows that the last statement itself changed.
  var changeCount: Int { Int(sqlite3_changes64(handle)) }
}
