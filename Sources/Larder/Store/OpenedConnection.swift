import GRDBSQLite

/// A connection that was just opened, as ``Store/Configuration/onOpen`` gets it. Use it inside the closure alone.
///
/// ```swift
/// configuration.onOpen = { connection in
///   try connection.execute("PRAGMA case_sensitive_like = ON")
/// }
/// ```
///
/// The closure may add SQL functions, collations, extensions and temporary tables, and set pragmas of its own. It may not leave a transaction open,
/// nor switch foreign keys off: both are refused. The store sets its own authorizer, busy handler, hooks and trace afterwards.
public struct OpenedConnection {
  /// What the connection is for.
  public let role: ConnectionRole
  /// The `sqlite3 *` of SQLite's C interface. It belongs to the store: do not close it.
  public let handle: OpaquePointer

  init(role: ConnectionRole, handle: OpaquePointer) {
    self.role = role
    self.handle = handle
  }

  /// Executes one or more statements of SQL, without regard to the rows that they return.
  ///
  /// - Throws: ``StoreError`` with SQLite's message.
  public func execute(_ sql: String) throws {
    let result = sqlite3_exec(handle, sql, nil, nil, nil)
    guard result != SQLITE_OK else { return }
    let error = StoreError(ResultCode(result), on: handle, context: nil)
    throw StoreError(error.code, "Store.Configuration.onOpen: \(error.message)")
  }

  /// Calls the closure, and makes sure that it left the connection as the store needs it.
  func prepare(_ body: (OpenedConnection) throws -> Void) throws {
    try body(self)
    guard sqlite3_get_autocommit(handle) != 0 else {
      throw StoreError(.unsupported, "Store.Configuration.onOpen left a transaction open on the connection. Commit it before the closure returns.")
    }
    guard try keepsForeignKeys() else {
      throw StoreError(.unsupported, "Store.Configuration.onOpen switched foreign keys off, on which relationships stand. Leave them on.")
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
