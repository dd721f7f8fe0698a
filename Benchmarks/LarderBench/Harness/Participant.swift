/// A contender at work on one case, with its own file and its inputs ready.
final class Participant<Subject: Contender>: AnyParticipant {
  let benchmark: BenchmarkCase
  let name: ContenderName

  private let subject: Subject
  private let input: Input
  private let path: String
  private let maintenance: RawConnection
  private var turn = 0

  /// What the case is fed with, already in the contender's own types: lists that are used one after another.
  private enum Input {
    case nothing
    case keys([[Int]])
    case customers([[String]])
    case records([[Subject.Record]])
  }

  /// Opens the contender's file and makes the inputs.
  init(
    _ subject: Subject.Type, named name: ContenderName, in benchmark: BenchmarkCase, on workload: Workload, path: String
  ) throws {
    self.benchmark = benchmark
    self.name = name
    self.path = path
    self.subject = try Subject(path: path, checkpointsInCommit: benchmark.includesCheckpoints)
    maintenance = try RawConnection(path: path)
    input =
      switch benchmark {
      case .fetchAll, .fetchAllAsync: .nothing
      case .find, .findAsync: .keys(workload.lookUpKeys())
      case .indexedQuery, .indexedQueryAsync: .customers(workload.customers())
      case .insertBulk: .records([workload.newOrders(workload.insertionCount)])
      case .saveSingle, .saveConcurrent: .records([workload.newOrders(Workload.saveCount)])
      case .updateBulk: .records([workload.changedOrders(variant: 0), workload.changedOrders(variant: 1)])
      }
  }

  /// Does the work once.
  ///
  /// - Returns: the times from the first call to the return of the last one. Releasing what was fetched is not part of
  ///   them.
  func perform() async throws -> Measurement {
    turn += 1
    switch (benchmark, input) {
    case (.fetchAllAsync, _):
      return try await time { try await subject.fetchAllAsync() }
    case (.find, .keys(let lists)):
      let keys = lists[turn % lists.count]
      return try await time { try await subject.find(keys) { blackHole($0) } }
    case (.findAsync, .keys(let lists)):
      let keys = lists[turn % lists.count]
      return try await time { try await subject.findAsync(keys) { blackHole($0) } }
    case (.indexedQuery, .customers(let lists)):
      let customers = lists[turn % lists.count]
      return try await time { try await subject.latest(Workload.queryLimit, ofEach: customers) { blackHole($0) } }
    case (.indexedQueryAsync, .customers(let lists)):
      let customers = lists[turn % lists.count]
      return try await time { try await subject.latestAsync(Workload.queryLimit, ofEach: customers) { blackHole($0) } }
    case (.insertBulk, .records(let lists)):
      return try await time { try await subject.insertAll(lists[0]) }
    case (.saveSingle, .records(let lists)):
      return try await time { try await subject.saveEach(lists[0]) }
    case (.saveConcurrent, .records(let lists)):
      return try await time { try await subject.saveConcurrently(lists[0], tasks: Workload.taskCount) }
    case (.updateBulk, .records(let lists)):
      return try await time { try await subject.updateAll(lists[turn % lists.count]) }
    default:
      return try await time { try await subject.fetchAll() }
    }
  }

  /// Does the work once, to be compared with that of others.
  ///
  /// - Returns: the orders that the case read; for a case that writes, the orders that the file then holds.
  func outcome() async throws -> [Order] {
    var orders: [Order] = []
    switch (benchmark, input) {
    case (.fetchAll, _):
      orders = try await subject.fetchAll().map { Order($0) }
    case (.fetchAllAsync, _):
      orders = try await subject.fetchAllAsync().map { Order($0) }
    case (.find, .keys(let keys)):
      try await subject.find(Array(keys.joined())) { record in
        if let record { orders.append(Order(record)) }
      }
    case (.findAsync, .keys(let keys)):
      try await subject.findAsync(Array(keys.joined())) { record in
        if let record { orders.append(Order(record)) }
      }
    case (.indexedQuery, .customers(let customers)):
      try await subject.latest(Workload.queryLimit, ofEach: Array(customers.joined())) { records in
        orders.append(contentsOf: records.map { Order($0) })
      }
    case (.indexedQueryAsync, .customers(let customers)):
      try await subject.latestAsync(Workload.queryLimit, ofEach: Array(customers.joined())) { records in
        orders.append(contentsOf: records.map { Order($0) })
      }
    default:
      _ = try await perform()
      orders = try RawC(path: path).fetchAll()
    }
    return orders
  }

  /// Makes the conditions at the start of the next turn equal for all: new orders are gone, and everything is in the
  /// database file.
  ///
  /// Another connection does it, outside the measured time, in the same way for every contender. So all of them begin a
  /// writing turn with an empty write-ahead log, free pages in the file, and a page cache that SQLite finds outdated.
  /// Updates are not undone: each turn writes other values than the one before.
  func restore() throws {
    switch benchmark {
    case .fetchAll, .fetchAllAsync, .find, .findAsync, .indexedQuery, .indexedQueryAsync: return
    case .insertBulk, .saveSingle, .saveConcurrent:
      try maintenance.execute("DELETE FROM Orders WHERE orderID >= \(Workload.firstNewKey)")
    case .updateBulk: break
    }
    try maintenance.emptyLog()
  }

  private func time<Result>(_ work: () async throws -> Result) async rethrows -> Measurement {
    let start = Measurement.sinceSomeStart()
    let result = try await work()
    let measurement = Measurement.sinceSomeStart() - start
    blackHole(result)
    return measurement
  }
}
