/// One way of keeping orders in SQLite, with the work of every case written as its users would write it.
///
/// The loops belong to the contender, so that nothing stands between its calls. Records are made before the clock
/// starts.
protocol Contender: AnyObject {
  associatedtype Record: OrderRecord

  /// Opens a file that has the table `Orders` already, in WAL mode with synchronous = NORMAL.
  ///
  /// - Parameter checkpointsInCommit: False leaves out the checkpoints that SQLite adds to commits. Who makes its
  ///   checkpoints elsewhere need not look at it.
  init(path: String, checkpointsInCommit: Bool) throws

  /// Every order, by key.
  func fetchAll() async throws -> [Record]

  /// The same through an asynchronous method.
  func fetchAllAsync() async throws -> [Record]

  /// The order of each key, one look-up a key.
  func find(_ keys: [Int], body: (Record?) -> Void) async throws

  /// The same look-ups through an asynchronous method, each awaited.
  func findAsync(_ keys: [Int], body: (Record?) -> Void) async throws

  /// For each customer, one query for the newest `count` orders.
  func latest(_ count: Int, ofEach customers: [String], body: ([Record]) -> Void) async throws

  /// The same queries through an asynchronous method, each awaited.
  func latestAsync(_ count: Int, ofEach customers: [String], body: ([Record]) -> Void) async throws

  /// Inserts new orders in one transaction.
  func insertAll(_ records: [Record]) async throws

  /// Saves (inserts, or updates where the key exists) one order after another, each in a transaction of its own.
  func saveEach(_ records: [Record]) async throws

  /// Saves orders one by one from several tasks at once. Each save is on disk when its call returns.
  func saveConcurrently(_ records: [Record], tasks: Int) async throws

  /// Updates all columns of existing orders in one transaction.
  func updateAll(_ records: [Record]) async throws
}

extension Array where Element: Sendable {
  /// Calls `body` for every element, from `count` tasks at once that each take every `count`-th element, one after
  /// another.
  func forEach(inTasks count: Int, _ body: @escaping @Sendable (Element) async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for first in 0..<count {
        group.addTask {
          for index in stride(from: first, to: self.count, by: count) {
            try await body(self[index])
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
