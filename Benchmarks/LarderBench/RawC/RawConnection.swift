import Foundation
import GRDBSQLite

/// A connection of the SQLite C interface, without mutexes, in WAL mode with synchronous = NORMAL like everybody's
/// here.
final class RawConnection {
  let handle: OpaquePointer

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: the database file.
  ///   - creating: whether a missing file is created. Otherwise it is an error.
  init(path: String, creating: Bool = false) throws {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (creating ? SQLITE_OPEN_CREATE : 0)
    guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK, let handle else {
      defer { sqlite3_close_v2(handle) }
      throw SQLiteFailure(handle)
    }
    self.handle = handle
    sqlite3_busy_timeout(handle, 5_000)
    try execute("PRAGMA synchronous = NORMAL")
  }

  deinit {
    sqlite3_close_v2(handle)
  }

  /// Moves the whole write-ahead log into the file and empties it. Waits for others; throws where one of them stays in
  /// the way.
  func emptyLog() throws {
    var code = SQLITE_BUSY
    // SQLite does not call the busy handler for another connection's checkpoint.
    for _ in 0..<500 where code == SQLITE_BUSY {
      code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
      if code == SQLITE_BUSY { usleep(10_000) }
    }
    guard code == SQLITE_OK else { throw SQLiteFailure(handle) }
  }

  /// Runs statements that return nothing of interest.
  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw SQLiteFailure(handle) }
  }
}
