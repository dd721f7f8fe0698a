import Foundation
import GRDBSQLite

/// The same queries by hand.
final class QueriesRawC {
  private let connection: RawConnection
  private let select: RawStatement
  private let group: RawStatement
  private let upsert: RawStatement

  init(path: String) throws {
    connection = try RawConnection(path: path)
    sqlite3_wal_autocheckpoint(connection.handle, 0)
    try connection.execute("PRAGMA journal_mode = WAL")
    select = try RawStatement("SELECT customer, total FROM Receipt", on: connection)
    // 978,307,200 seconds lie between 1970 and 2001, from which the column counts.
    group = try RawStatement(
      """
      SELECT unixepoch(issuedAt + 978307200, 'unixepoch', 'start of month') - 978307200 AS month, count(*), sum(total) \
      FROM Receipt GROUP BY month ORDER BY month
      """, on: connection)
    upsert = try RawStatement(
      """
      INSERT INTO Receipt (id, code, customer, total, issuedAt, note) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      ON CONFLICT (code) DO UPDATE SET customer = ?3, total = ?4, issuedAt = ?5, note = ?6
      """, on: connection)
  }

  func selection() throws -> [CustomerTotal] {
    try rows(of: select) { row in
      CustomerTotal(customer: text(row, 0) ?? "", total: sqlite3_column_double(row, 1))
    }
  }

  func months() throws -> [MonthTotal] {
    try rows(of: group) { row in
      MonthTotal(
        month: Date(timeIntervalSinceReferenceDate: sqlite3_column_double(row, 0)),
        count: Int(sqlite3_column_int64(row, 1)), total: sqlite3_column_double(row, 2))
    }
  }

  func save(_ receipts: [Receipt]) throws {
    try connection.execute("BEGIN IMMEDIATE")
    let statement = upsert.pointer
    for receipt in receipts {
      sqlite3_bind_int64(statement, 1, Int64(receipt.id))
      sqlite3_bind_double(statement, 4, receipt.total)
      sqlite3_bind_double(statement, 5, receipt.issuedAt.timeIntervalSinceReferenceDate)
      let code = withText(receipt.code, boundTo: statement, 2) {
        withText(receipt.customer, boundTo: statement, 3) {
          withText(receipt.note, boundTo: statement, 6) {
            let code = sqlite3_step(statement)
            sqlite3_reset(statement)
            return code
          }
        }
      }
      guard code == SQLITE_DONE else { throw SQLiteFailure(connection.handle) }
    }
    try connection.execute("COMMIT")
  }

  @inline(__always)
  private func rows<Row>(of statement: RawStatement, _ read: (OpaquePointer) -> Row) throws -> [Row] {
    var rows: [Row] = []
    var code = sqlite3_step(statement.pointer)
    while code == SQLITE_ROW {
      rows.append(read(statement.pointer))
      code = sqlite3_step(statement.pointer)
    }
    sqlite3_reset(statement.pointer)
    guard code == SQLITE_DONE else { throw SQLiteFailure(connection.handle) }
    return rows
  }
}
