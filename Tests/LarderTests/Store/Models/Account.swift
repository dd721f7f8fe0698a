import Larder

/// Accounts between which money is moved: the sum of their balances never changes.
@Model("accounts")
struct LedgerAccount: Hashable {
  var id: Int
  var balance: Int = 100

  static let count = 10
  static let total = 1000

  static func fill(_ store: Store) throws {
    try store.blocking.insert((0..<count).map { LedgerAccount(id: $0) })
  }

  /// Moves an amount in two statements: between them the sum is wrong.
  static func transfer(_ amount: Int, from source: Int, to target: Int, in db: Transaction) throws {
    try db.updateAll(LedgerAccount.where { $0.id == source }) { $0.balance.increment(by: -amount) }
    try db.updateAll(LedgerAccount.where { $0.id == target }) { $0.balance.increment(by: amount) }
  }
}

/// A row with a value that is unique beside its key.
@Model("parcels")
struct Parcel: Hashable {
  var id: Int
  @Attribute(.unique) var code: String
  var weight: Double = 1

  init(id: Int, code: String? = nil, weight: Double = 1) {
    self.id = id
    self.code = code ?? "code \(id)"
    self.weight = weight
  }
}
