import Foundation
import GRDBSQLite

/// The yardstick: two statements for accounts and costs, put together by hand.
final class RelationshipRawC: RelationshipContender {
  private let connection: RawConnection
  private let accounts: RawStatement
  private let costs: RawStatement
  private let sums: RawStatement
  private let balances: RawStatement
  private let balance: RawStatement
  private let insertion: RawStatement
  private let keptInsertion: RawStatement
  private let upsertion: RawStatement
  private let newCosts: [RawCost]

  init(path: String, newCosts: [RawCost]) throws {
    self.newCosts = newCosts
    connection = try RawConnection(path: path)
    sqlite3_wal_autocheckpoint(connection.handle, 0)
    try connection.execute("PRAGMA foreign_keys = ON")
    accounts = try RawStatement("SELECT id, name FROM PlainAccount", on: connection)
    costs = try RawStatement("SELECT id, amount, day, note, account FROM PlainCost", on: connection)
    sums = try RawStatement("SELECT account, sum(amount) FROM PlainCost GROUP BY account", on: connection)
    balances = try RawStatement("SELECT id, name, balance FROM KeptAccount", on: connection)
    balance = try RawStatement("SELECT id, name, balance FROM KeptAccount WHERE id = ?1", on: connection)
    insertion = try RawStatement(
      "INSERT INTO PlainCost (id, amount, day, note, account) VALUES (?1, ?2, ?3, ?4, ?5)", on: connection)
    upsertion = try RawStatement(
      """
      INSERT INTO PlainCost (id, amount, day, note, account) VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (id) DO UPDATE SET amount = ?2, day = ?3, note = ?4, account = ?5
      """, on: connection)
    keptInsertion = try RawStatement(
      "INSERT INTO KeptCost (id, amount, day, note, account) VALUES (?1, ?2, ?3, ?4, ?5)", on: connection)
  }

  func loadChildren() throws -> Int {
    try connection.execute("BEGIN")
    var loaded: [RawAccount] = []
    var positions: [Int: Int] = [:]
    try forEachRow(of: accounts) { row in
      let account = RawAccount(id: Int(sqlite3_column_int64(row, 0)), name: text(row, 1) ?? "")
      positions[account.id] = loaded.count
      loaded.append(account)
    }
    try forEachRow(of: costs) { row in
      let cost = RawCost(
        id: Int(sqlite3_column_int64(row, 0)), amount: Int(sqlite3_column_int64(row, 1)),
        day: sqlite3_column_double(row, 2), note: text(row, 3),
        account: Int(sqlite3_column_int64(row, 4)))
      if let position = positions[cost.account] { loaded[position].costs.append(cost) }
    }
    try connection.execute("COMMIT")
    return loaded.reduce(0) { $1.costs.reduce($0) { $0 + $1.amount } }
  }

  func sumByQuery() throws -> Int {
    var sums: [(Int, Int)] = []
    try forEachRow(of: self.sums) { sums.append((Int(sqlite3_column_int64($0, 0)), Int(sqlite3_column_int64($0, 1)))) }
    return sums.reduce(0) { $0 + $1.1 * $1.1 }
  }

  func sumDerived() throws -> Int {
    var loaded: [(Int, String, Int)] = []
    try forEachRow(of: balances) { row in
      loaded.append((Int(sqlite3_column_int64(row, 0)), text(row, 1) ?? "", Int(sqlite3_column_int64(row, 2))))
    }
    return loaded.reduce(0) { $0 + $1.2 * $1.2 }
  }

  func readBalance(of account: Int) throws -> Int {
    var sum = 0
    for _ in 0..<Books.readCount {
      sqlite3_bind_int64(balance.pointer, 1, Int64(account))
      try forEachRow(of: balance) { row in
        let name = text(row, 1)
        blackHole(name)
        sum += Int(sqlite3_column_int64(row, 2))
      }
    }
    return sum
  }

  func insertCosts() throws { try insert(newCosts[...], insertion.pointer) }

  func saveCosts() throws { try insert(newCosts.prefix(Books.savedCount), upsertion.pointer) }

  func saveContext() throws { try insert(newCosts.prefix(Books.savedCount), insertion.pointer) }

  func insertKeptCosts() throws { try insert(newCosts[...], keptInsertion.pointer) }

  private func insert(_ costs: ArraySlice<RawCost>, _ statement: OpaquePointer) throws {
    try connection.execute("BEGIN IMMEDIATE")
    for cost in costs {
      sqlite3_bind_int64(statement, 1, Int64(cost.id))
      sqlite3_bind_int64(statement, 2, Int64(cost.amount))
      sqlite3_bind_double(statement, 3, cost.day)
      sqlite3_bind_int64(statement, 5, Int64(cost.account))
      let code = withText(cost.note, boundTo: statement, 4) {
        let code = sqlite3_step(statement)
        sqlite3_reset(statement)
        return code
      }
      guard code == SQLITE_DONE else { throw SQLiteFailure(connection.handle) }
    }
    try connection.execute("COMMIT")
  }

  @inline(__always)
  private func forEachRow(of statement: RawStatement, _ body: (OpaquePointer) -> Void) throws {
    defer { sqlite3_reset(statement.pointer) }
    while true {
      switch sqlite3_step(statement.pointer) {
      case SQLITE_ROW: body(statement.pointer)
      case SQLITE_DONE: return
      default: throw SQLiteFailure(connection.handle)
      }
    }
  }
}
