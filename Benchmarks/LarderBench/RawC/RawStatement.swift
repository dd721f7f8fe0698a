import GRDBSQLite

/// A prepared statement that is kept for as long as its connection.
final class RawStatement {
  let pointer: OpaquePointer

  private let connection: RawConnection

  init(_ sql: String, on connection: RawConnection) throws {
    var pointer: OpaquePointer?
    guard sqlite3_prepare_v3(connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil) == SQLITE_OK,
      let pointer
    else {
      throw SQLiteFailure(connection.handle)
    }
    self.pointer = pointer
    self.connection = connection
  }

  deinit {
    sqlite3_finalize(pointer)
  }
}
