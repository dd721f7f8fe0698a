import GRDBSQLite

/// A connection that was just opened, as passed to ``Store/Configuration/onOpen``. Use it only inside the closure.
///
/// ```swift
/// configuration.onOpen = { connection in
///   try connection.execute("PRAGMA case_sensitive_like = ON")
/// }
/// ```
///
/// The closure may add SQL functions, collations, extensions and temporary tables, and set pragmas. It may not leave a
/// transaction open or turn foreign keys off; both throw. The store then sets its own authorizer, busy handler, hooks
/// and trace.
public struct OpenedConnection {
  /// The purpose of the connection.
  public let role: ConnectionRole
  /// The `sqlite3 *` of SQLite's C interface. It belongs to the store; don't close it.
  public let handle: OpaquePointer

  init(role: ConnectionRole, handle: OpaquePointer) {
    self.role = role
    self.handle = handle
  }

  /// Executes one or more SQL statements, ignoring the rows that they return.
  ///
  /// - Parameter sql: The statements, separated by semicolons.
  /// - Throws: ``StoreError`` with SQLite's message.
  public func execute(_ sql: String) throws {
    let result = sqlite3_exec(handle, sql, nil, nil, nil)
    guard result != SQLITE_OK else { return }
    let error = StoreError(ResultCode(result), on: handle, context: nil)
    throw StoreError(error.code, "Store.Configuration.onOpen: \(error.message)")
  }

  /// Calls the closure, and checks that it left the connection in the state that the store needs.
  func prepare(_ body: (OpenedConnection) throws -> Void) throws {
    try body(self)
    guard sqlite3_get_autocommit(handle) != 0 else {
      throw StoreError(
        .unsupported,
        "Store.Configuration.onOpen left a transaction open on the connection. Commit it before the closure returns.")
    }
    guard try keepsForeignKeys() else {
      throw StoreError(
        .unsupported,
        "Store.Configuration.onOpen switched foreign keys off, on which relationships stand. Leave them on.")
    }
  }

  private func keepsForeignKeys() throws -> Bool {
    var pointer: OpaquePointer?
    let result = sqlite3_prepare_v2(handle, "PRAGMA foreign_keys", -1, &pointer, nil)
    defer { sqlite3_finalize(pointer) }
    guard result == SQLITE_OK else { throw StoreError(ResultCode(result), on: handle, context: nil) }
    return sqlite3_step(pointer) == SQLITE_ROW && sqlite3_column_int(pointer, 0) == 1
  }
}
