import GRDBSQLite

/// The yardstick: the fastest use of the SQLite C interface that we can write by hand for this one table.
///
/// One connection without mutexes, statements prepared once and kept, columns read and parameters bound by position
/// straight into and from the same Swift values that everybody else returns and takes. Each column is fetched once, texts
/// are bound where they lie, and an array whose size is known is made in that size.
final class RawC: Contender {
  private let connection: RawConnection
  private let selectAll: RawStatement
  private let selectByKey: RawStatement
  private let selectLatestOfCustomer: RawStatement
  private let insert: RawStatement
  private let upsert: RawStatement
  private let update: RawStatement
  private let begin: RawStatement
  private let commit: RawStatement

  convenience init(path: String, checkpointsInCommit: Bool = true) throws {
    let connection = try RawConnection(path: path)
    if !checkpointsInCommit { sqlite3_wal_autocheckpoint(connection.handle, 0) }
    try self.init(connection)
  }

  init(_ connection: RawConnection) throws {
    self.connection = connection
    selectAll = try RawStatement(OrdersTable.selectAll, on: connection)
    selectByKey = try RawStatement(OrdersTable.selectByKey, on: connection)
    selectLatestOfCustomer = try RawStatement(OrdersTable.selectLatestOfCustomer, on: connection)
    insert = try RawStatement(OrdersTable.insert, on: connection)
    upsert = try RawStatement(OrdersTable.upsert, on: connection)
    update = try RawStatement(OrdersTable.update, on: connection)
    begin = try RawStatement("BEGIN IMMEDIATE", on: connection)
    commit = try RawStatement("COMMIT", on: connection)
  }

  func fetchAll() throws -> [Order] {
    try rows(of: selectAll.pointer)
  }

  func find(_ keys: [Int], body: (Order?) -> Void) throws {
    let statement = selectByKey.pointer
    for key in keys {
      sqlite3_bind_int64(statement, 1, Int64(key))
      let code = sqlite3_step(statement)
      let order = code == SQLITE_ROW ? Order(row: statement) : nil
      sqlite3_reset(statement)
      guard code == SQLITE_ROW || code == SQLITE_DONE else { throw SQLiteFailure(connection.handle) }
      body(order)
    }
  }

  func latest(_ count: Int, ofEach customers: [String], body: ([Order]) -> Void) throws {
    let statement = selectLatestOfCustomer.pointer
    for customer in customers {
      sqlite3_bind_int64(statement, 2, Int64(count))
      body(try withText(customer, boundTo: statement, 1) { try rows(of: statement, reserving: count) })
    }
  }

  func insertAll(_ orders: [Order]) throws {
    try inTransaction { try run(insert.pointer, forEach: orders) }
  }

  /// The same: C does not wait.
  func fetchAllAsync() throws -> [Order] {
    try fetchAll()
  }

  /// The same look-ups: C does not wait.
  func findAsync(_ keys: [Int], body: (Order?) -> Void) throws {
    try find(keys, body: body)
  }

  /// The same queries: C does not wait.
  func latestAsync(_ count: Int, ofEach customers: [String], body: ([Order]) -> Void) throws {
    try latest(count, ofEach: customers, body: body)
  }

  /// Each statement outside a transaction is a transaction of its own.
  func saveEach(_ orders: [Order]) throws {
    try run(upsert.pointer, forEach: orders)
  }

  /// One transaction each, one after another: a connection is used by one thread at a time.
  func saveConcurrently(_ orders: [Order], tasks: Int) throws {
    try saveEach(orders)
  }

  func updateAll(_ orders: [Order]) throws {
    try inTransaction { try run(update.pointer, forEach: orders) }
  }

  @inline(__always)
  private func rows(of statement: OpaquePointer, reserving count: Int = 0) throws -> [Order] {
    defer { sqlite3_reset(statement) }
    var orders: [Order] = []
    orders.reserveCapacity(count)
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: orders.append(Order(row: statement))
      case SQLITE_DONE: return orders
      default: throw SQLiteFailure(connection.handle)
      }
    }
  }

  @inline(__always)
  private func run(_ statement: OpaquePointer, forEach orders: [Order]) throws {
    for order in orders {
      try order.withValues(boundTo: statement) { try run(statement) }
    }
  }

  @inline(__always)
  private func run(_ statement: OpaquePointer) throws {
    let code = sqlite3_step(statement)
    sqlite3_reset(statement)
    guard code == SQLITE_DONE else { throw SQLiteFailure(connection.handle) }
  }

  private func inTransaction(_ body: () throws -> Void) throws {
    try run(begin.pointer)
    do {
      try body()
      try run(commit.pointer)
    } catch {
      try connection.execute("ROLLBACK")
      throw error
    }
  }
}
