import Larder

/// All orders by Larder, with one call and with two at once.
struct CoresLarder {
  private let store: Store

  init(path: String) throws {
    store = try Store(at: path, for: LarderOrder.self, schema: .existing)
  }

  func fetchAll() async throws -> [LarderOrder] {
    try await store.fetch(LarderOrder.all)
  }

  /// The orders below a key and those from it on, each fetched by a task of its own, in the order of their keys.
  func fetchHalves(by key: Int) async throws -> [LarderOrder] {
    async let rest = store.fetch(LarderOrder.where { $0.orderID >= key })
    var orders = try await store.fetch(LarderOrder.where { $0.orderID < key })
    orders.append(contentsOf: try await rest)
    return orders
  }
}
