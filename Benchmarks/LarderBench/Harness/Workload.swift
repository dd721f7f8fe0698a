import LarderRandom

/// The inputs of the cases, the same in every run and for every contender.
struct Workload {
  /// Turns repeat after so many, with other inputs in each.
  static let turnCount = 40
  static let lookUpCount = 500
  static let saveCount = 1_000
  static let taskCount = 64
  static let updateCount = 5_000
  static let queryCount = 50
  static let queryLimit = 50

  /// New orders have keys from here on; nothing below is ever deleted.
  static let firstNewKey = 1_000_000

  /// The rows of the template.
  let orders: [Order]

  /// How many orders are inserted in one transaction.
  var insertionCount = 10_000

  /// The inputs for measuring memory, of which the orders need more than the program.
  var forMemory: Workload { Workload(orders: orders, insertionCount: 100_000) }

  /// Keys of existing orders in random order, for each turn.
  func lookUpKeys() -> [[Int]] {
    var generator = SplitMix64(seed: 1)
    return (0..<Self.turnCount).map { _ in
      (0..<Self.lookUpCount).map { _ in orders[Int.random(in: orders.indices, using: &generator)].orderID }
    }
  }

  /// The customers of the queries in random order, for each turn.
  func customers() -> [[String]] {
    let customers = Set(orders.compactMap(\.customerID)).sorted()
    var generator = SplitMix64(seed: 2)
    return (0..<Self.turnCount).map { _ in
      (0..<Self.queryCount).map { _ in customers[Int.random(in: customers.indices, using: &generator)] }
    }
  }

  /// Orders that the file does not have yet, by key.
  func newOrders<Record: OrderRecord>(_ count: Int) -> [Record] {
    (0..<count).map { index in
      var order = orders[index % orders.count]
      order.orderID = Self.firstNewKey + index
      return Record(order)
    }
  }

  /// Changes of existing orders, by key; they begin again where there are fewer orders than updates.
  ///
  /// - Parameter variant: 0 or 1. Turns alternate between them, since SQLite does not write a page that an update
  ///   leaves as it was.
  func changedOrders<Record: OrderRecord>(variant: Int) -> [Record] {
    (0..<Self.updateCount).map { index in
      var order = orders[index % orders.count]
      order.freight += Double(1 + variant)
      order.shipName = "\(order.shipName ?? "") \(variant)"
      return Record(order)
    }
  }
}
