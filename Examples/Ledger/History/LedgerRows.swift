import Larder

/// Rows of the ledger: what a change found, or what it left.
struct LedgerRows: Codable, Sendable {
  var accounts: [Account] = []
  var categories: [Category] = []
  var costs: [Cost] = []
}

extension StoreWriter {
  /// Takes the ledger from one state of some rows to another: what is only in the first goes, what is in the second is
  /// saved.
  func replace(_ old: LedgerRows, with new: LedgerRows) throws {
    try delete(old.costs.missing(in: new.costs))
    try delete(old.accounts.missing(in: new.accounts))
    try delete(old.categories.missing(in: new.categories))
    try save(new.accounts)
    try save(new.categories)
    try save(new.costs)
  }
}

extension Array where Element: Model {
  fileprivate func missing(in others: [Element]) -> [Element] {
    let kept = Set(others.map(\.id))
    return filter { !kept.contains($0.id) }
  }
}
