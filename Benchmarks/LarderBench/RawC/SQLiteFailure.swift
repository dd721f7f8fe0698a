import GRDBSQLite

/// A call of the SQLite C interface that failed in raw C or in the harness.
struct SQLiteFailure: Error, CustomStringConvertible {
  let description: String

  init(_ connection: OpaquePointer?) {
    description = "SQLite: \(String(cString: sqlite3_errmsg(connection)))"
  }
}
