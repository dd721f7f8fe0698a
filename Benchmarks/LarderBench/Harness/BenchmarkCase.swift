import ArgumentParser

/// The work that is measured. Raw values are the keys of the report.
enum BenchmarkCase: String, CaseIterable, Codable, ExpressibleByArgument {
  case fetchAll = "fetch-all"
  case find
  case insertBulk = "insert-bulk"
  case saveSingle = "save-single"
  case saveConcurrent = "save-concurrent"
  case indexedQuery = "indexed-query"
  case updateBulk = "update-bulk"

  /// What one measurement does, in a few words.
  func work(on workload: Workload) -> String {
    switch self {
    case .fetchAll: "all \(workload.orders.count) rows"
    case .find: "\(Workload.lookUpCount) look-ups by key"
    case .insertBulk: "\(Workload.insertionCount) inserts, one transaction"
    case .saveSingle: "\(Workload.saveCount) saves, one transaction each"
    case .saveConcurrent: "\(Workload.saveCount) saves from \(Workload.taskCount) tasks"
    case .indexedQuery: "\(Workload.queryCount) × filter, sort, limit \(Workload.queryLimit)"
    case .updateBulk: "\(Workload.updateCount) updates, one transaction"
    }
  }

  /// The ratio to raw C that Larder means to stay under.
  var goal: Double {
    switch self {
    case .fetchAll, .updateBulk: 1.10
    case .find, .saveSingle: 1.50
    case .insertBulk: 1.15
    case .saveConcurrent: 0.50
    case .indexedQuery: 1.20
    }
  }

  /// Whether the checkpoints that SQLite makes within commits are measured.
  ///
  /// They are where many commits follow each other: everybody has to make them meanwhile. They are not where one large
  /// transaction is committed: raw C and GRDB would make one within the measured time, Larder after it.
  var includesCheckpoints: Bool {
    switch self {
    case .insertBulk, .updateBulk: false
    case .fetchAll, .find, .saveSingle, .saveConcurrent, .indexedQuery: true
    }
  }

  /// Whether peak memory is measured too.
  var measuresMemory: Bool {
    self == .fetchAll || self == .insertBulk
  }
}
