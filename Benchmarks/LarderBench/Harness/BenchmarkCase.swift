import ArgumentParser

/// The work that is measured. Raw values are the keys of the report.
enum BenchmarkCase: String, CaseIterable, Codable, ExpressibleByArgument {
  case fetchAll = "fetch-all"
  case fetchAllAsync = "fetch-all-async"
  case find
  case findAsync = "find-async"
  case insertBulk = "insert-bulk"
  case saveSingle = "save-single"
  case saveConcurrent = "save-concurrent"
  case indexedQuery = "indexed-query"
  case indexedQueryAsync = "indexed-query-async"
  case updateBulk = "update-bulk"

  /// What one measurement does, in a few words.
  func work(on workload: Workload) -> String {
    switch self {
    case .fetchAll: "all \(workload.orders.count) rows"
    case .fetchAllAsync: "the same, awaited"
    case .find: "\(Workload.lookUpCount) look-ups by key"
    case .findAsync: "the same look-ups, each awaited"
    case .insertBulk: "\(workload.insertionCount) inserts, one transaction"
    case .saveSingle: "\(Workload.saveCount) saves, one transaction each"
    case .saveConcurrent: "\(Workload.saveCount) saves from \(Workload.taskCount) tasks"
    case .indexedQuery: "\(Workload.queryCount) × filter, sort, limit \(Workload.queryLimit)"
    case .indexedQueryAsync: "the same queries, each awaited"
    case .updateBulk: "\(Workload.updateCount) updates, one transaction"
    }
  }

  /// The ratio to raw C that Larder means to stay under.
  var goal: Double {
    switch self {
    case .fetchAll, .fetchAllAsync: 1.03
    case .find, .indexedQuery: 1.08
    case .findAsync, .indexedQueryAsync: 1.15
    case .insertBulk, .updateBulk: 1.05
    case .saveSingle: 1.10
    case .saveConcurrent: 0.50
    }
  }

  /// How often raw C and Larder take turns in each repetition. Turns of a few milliseconds that follow each other closely
  /// make the ratio exact: a disturbance meets both neighbours, or only few of the turns.
  var rounds: Int {
    switch self {
    case .find, .findAsync, .indexedQuery, .indexedQueryAsync: Workload.turnCount
    case .fetchAll, .fetchAllAsync, .insertBulk, .saveSingle, .saveConcurrent, .updateBulk: 10
    }
  }

  /// Whether the checkpoints that SQLite makes within commits are measured.
  ///
  /// They are where many commits follow each other: everybody has to make them meanwhile. They are not where one large
  /// transaction is committed: raw C and GRDB would make one within the measured time, Larder after it.
  var includesCheckpoints: Bool {
    switch self {
    case .insertBulk, .updateBulk: false
    case .fetchAll, .fetchAllAsync, .find, .findAsync, .saveSingle, .saveConcurrent, .indexedQuery, .indexedQueryAsync:
      true
    }
  }

  /// Whether the file has the index that the queries of this case use.
  var needsIndex: Bool {
    self == .indexedQuery || self == .indexedQueryAsync
  }

  /// Whether peak memory is measured too.
  var measuresMemory: Bool {
    self == .fetchAll || self == .fetchAllAsync || self == .insertBulk
  }
}
