import ArgumentParser

/// The work with related rows that is measured. Raw values are the keys of the report.
enum RelationshipCase: String, CaseIterable, Codable, ExpressibleByArgument {
  case loadChildren = "load-children"
  case sumByQuery = "sum-by-query"
  case sumDerived = "sum-derived"
  case derived10 = "derived-read-10"
  case derived1000 = "derived-read-1000"
  case derived100000 = "derived-read-100000"
  case insertChildren = "insert-children"
  case insertDerived = "insert-derived"
  case saveAll = "save-all"
  case contextSave = "context-save"

  /// What one measurement does, in a few words.
  var work: String {
    switch self {
    case .loadChildren: "\(Books.accountCount) accounts with \(Books.costCount) costs each"
    case .sumByQuery: "sum per account, by query"
    case .sumDerived: "sum per account, kept by triggers"
    case .derived10: "\(Books.readCount) balances of 10 costs"
    case .derived1000: "\(Books.readCount) balances of 1000 costs"
    case .derived100000: "\(Books.readCount) balances of 100000 costs"
    case .insertChildren: "\(Books.insertionCount) costs, one transaction"
    case .insertDerived: "the same, balances kept by triggers"
    case .saveAll: "\(Books.savedCount) costs inserted or replaced"
    case .contextSave: "\(Books.savedCount) pending costs, Context.save()"
    }
  }

  /// The ratio that Larder means to stay under, where one was set, and what it is the ratio to.
  var goal: (ratio: Double, yardstick: (contender: ContenderName, benchmark: RelationshipCase))? {
    switch self {
    case .loadChildren: (1.3, (.rawC, self))
    case .contextSave: (1.5, (.larder, .saveAll))
    default: nil
    }
  }
}
