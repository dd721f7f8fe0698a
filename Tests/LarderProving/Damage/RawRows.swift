import GRDBSQLite
import Larder

/// What SQLite itself says of a file: either the rows or an error.
struct RawRows {
  struct Failure: Error {
    let code: Int32
  }

  private let handle: OpaquePointer?

  init(_ path: String) throws {
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil)
    self.handle = handle
    guard code == SQLITE_OK else {
      sqlite3_close(handle)
      throw Failure(code: code)
    }
  }

  func close() {
    sqlite3_close(handle)
  }

  /// The rows of the damaged store, in the order of their keys.
  func rows(where condition: String = "1") throws -> [DamageRow] {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    let sql = "SELECT id, title, amount, payload, \"group\" FROM DamageRow WHERE \(condition) ORDER BY id"
    let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    // What has become an empty file has no such table, and SQLite cannot know that there was one.
    if code == SQLITE_ERROR { return [] }
    guard code == SQLITE_OK else { throw Failure(code: code) }
    var rows: [DamageRow] = []
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return rows }
      guard code == SQLITE_ROW else { throw Failure(code: code) }
      // A value of another kind than the column's is damage that SQLite does not look for and Larder refuses.
      let kinds = (0..<5).map { sqlite3_column_type(statement, $0) }
      guard kinds == [SQLITE_INTEGER, SQLITE_TEXT, SQLITE_FLOAT, SQLITE_TEXT, SQLITE_INTEGER] else {
        throw Failure(code: SQLITE_MISMATCH)
      }
      rows.append(
        DamageRow(
          id: Int(sqlite3_column_int64(statement, 0)), title: text(statement, 1),
          amount: sqlite3_column_double(statement, 2),
          payload: text(statement, 3), group: .init(Int(sqlite3_column_int64(statement, 4)))))
    }
  }

  private func text(_ statement: OpaquePointer?, _ column: Int32) -> String {
    guard let start = sqlite3_column_text(statement, column) else { return "" }
    return String(
      decoding: UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))), as: UTF8.self)
  }
}
