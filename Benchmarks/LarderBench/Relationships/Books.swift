import Foundation
import GRDB
import Larder

/// Accounts and costs, in two forms: with balances that triggers keep, and without.
enum Books {
  static let accountCount = 1000
  static let costCount = 100
  static let insertionCount = 20_000
  static let savedCount = 10_000
  static let readCount = 20_000
  /// Costs from this key on are new in a turn, and gone before the next.
  static let firstNewKey = 1_000_000
}

@Model
struct PlainAccount {
  var id: Int
  var name: String
  @Relationship(inverse: \PlainCost.account) var costs: ToMany<PlainCost> = []
}

@Model
struct PlainCost {
  var id: Int
  var amount: Int
  var day: Date
  var note: String?
  @Relationship(deleteRule: .cascade) var account: ToOne<PlainAccount>
}

@Model
struct KeptAccount {
  var id: Int
  var name: String
  @Relationship(inverse: \KeptCost.account) var costs: ToMany<KeptCost> = []
  @Derived(.sum(\KeptAccount.costs, \KeptCost.amount)) var balance: Int = 0
}

@Model
struct KeptCost {
  var id: Int
  var amount: Int
  var day: Date
  var note: String?
  @Relationship(deleteRule: .cascade) var account: ToOne<KeptAccount>
}

/// The same rows for whoever keeps no references.
struct RawAccount {
  var id: Int
  var name: String
  var costs: [RawCost] = []
}

struct RawCost: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "PlainCost"

  var id: Int
  var amount: Int
  var day: Double
  var note: String?
  var account: Int
}

/// GRDB's record of an account, with its association.
struct RecordedAccount: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "PlainAccount"
  static let costs = hasMany(RawCost.self, using: ForeignKey(["account"]))

  var id: Int
  var name: String

  /// An account with what its costs come to.
  struct Summed: Decodable, FetchableRecord {
    var id: Int
    var total: Int?
  }
}

/// A cost in the table whose balances triggers keep.
struct RecordedKeptCost: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "KeptCost"

  var id: Int
  var amount: Int
  var day: Double
  var note: String?
  var account: Int
}

/// An account with its balance.
struct RecordedKeptAccount: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "KeptAccount"

  var id: Int
  var name: String
  var balance: Int
}
