import Foundation
import GRDBSQLite

/// A connection to an SQLite file that knows nothing of Larder.
final class FaultDatabase {
  private var handle: OpaquePointer?

  init(_ file: URL, isReadOnly: Bool = false) throws {
    let flags = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    guard sqlite3_open_v2(file.path(percentEncoded: false), &handle, flags, nil) == SQLITE_OK else { throw failure() }
    // A store that was just let go may be closing still.
    sqlite3_busy_timeout(handle, 10_000)
  }

  deinit { sqlite3_close_v2(handle) }

  struct Failure: Error, CustomStringConvertible {
    let code: Int32
    let description: String
  }

  private func failure() -> Failure {
    let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "no memory"
    return Failure(code: handle.map { sqlite3_extended_errcode($0) } ?? SQLITE_NOMEM, description: message)
  }

  /// Executes a statement and returns the texts of its first column.
  @discardableResult
  func column(_ sql: String) throws -> [String] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure() }
    defer { sqlite3_finalize(statement) }
    var texts: [String] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: texts.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "NULL")
      case SQLITE_DONE: return texts
      default: throw failure()
      }
    }
  }
}
