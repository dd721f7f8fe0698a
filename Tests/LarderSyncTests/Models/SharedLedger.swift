import Foundation
import Larder

/// Accounts with costs: each delete rule, unique values of both kinds, a tree, pairs and derived values once.
@Model
struct SharedAccount: Hashable {
  var id: UUID = .v7()
  var name: String
  var limit: Double?
  @Relationship(deleteRule: .cascade, inverse: \SharedCost.account) var costs: ToMany<SharedCost> = []
  @Derived(.sum(\SharedAccount.costs, \SharedCost.amount)) var balance: Int = 0
}

@Model
struct SharedCost: Hashable {
  var id: UUID = .v7()
  var amount: Int
  var note: String?
  var receipt: Data?
  var account: ToOne<SharedAccount>
  var category: ToOne<SharedCategory>?
  @Relationship(deleteRule: .deny) var kind: ToOne<SharedKind>?
  @Relationship(inverse: \SharedTag.costs) var tags: ToMany<SharedTag> = []
}

/// A tree of categories, whose children go with their parent.
@Model
struct SharedCategory: Hashable {
  var id: UUID = .v7()
  @Attribute(.searchable) var name: String
  @Relationship(deleteRule: .cascade) var parent: ToOne<SharedCategory>?
}

@Model
struct SharedKind: Hashable {
  var id: String
  var title: String
}

@Model
struct SharedTag: Hashable {
  var id: UUID = .v7()
  @Attribute(.unique) var name: String
  var costs: ToMany<SharedCost> = []
}

/// A place that at most one account has, on one shelf.
@Model
struct SharedSlot: Hashable {
  var shelf: String
  @Attribute(.unique) var account: ToOne<SharedAccount>?
  var number: Int
  @Attribute(.primaryKey) var row: String
  @Attribute(.primaryKey) var column: Int

  static var indexes: [Index<Self>] { [Index(\.shelf, \.number, unique: true)] }
}

/// A page that everybody counts.
@Model
struct SharedPage: Hashable {
  var id: String
  var title: String = ""
  @Attribute(.counter) var views = 0
  @Attribute(.counter) var stars: Int8 = 0
}

/// A window that stays on its device.
@Model(syncs: false)
struct LocalWindow: Hashable {
  var id: Int
  var title: String
  @Relationship(deleteRule: .cascade) var account: ToOne<SharedAccount>?
}
