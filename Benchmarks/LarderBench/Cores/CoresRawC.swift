import GRDBSQLite

/// All orders by C, on one connection and on two at once.
struct CoresRawC {
  private let all: RawC
  private let first: Half
  private let second: Half

  init(path: String) throws {
    all = try RawC(path: path)
    first = try Half(path: path, "orderID < ?")
    second = try Half(path: path, "orderID >= ?")
  }

  func fetchAll() throws -> [Order] {
    try all.fetchAll()
  }

  /// The orders below a key and those from it on, each read by a thread of its own, in the order of their keys.
  func fetchHalves(by key: Int) async throws -> [Order] {
    let second = second
    async let rest = second.fetch(key)
    var orders = try first.fetch(key)
    orders.append(contentsOf: try await rest)
    return orders
  }

  /// A connection and its statement. It may be sent to another thread because `fetchHalves` waits for both halves: each
  /// is used by one thread at a time.
  private final class Half: @unchecked Sendable {
    private let connection: RawConnection
    private let statement: RawStatement

    init(path: String, _ condition: String) throws {
      connection = try RawConnection(path: path)
      statement = try RawStatement("\(OrdersTable.selectAll) WHERE \(condition)", on: connection)
    }

    func fetch(_ key: Int) throws -> [Order] {
      let pointer = statement.pointer
      sqlite3_bind_int64(pointer, 1, Int64(key))
      defer { sqlite3_reset(pointer) }
      var orders: [Order] = []
      while true {
        switch sqlite3_step(pointer) {
        case SQLITE_ROW: orders.append(Order(row: pointer))
        case SQLITE_DONE: return orders
        default: throw SQLiteFailure(connection.handle)
        }
      }
    }
  }
}
