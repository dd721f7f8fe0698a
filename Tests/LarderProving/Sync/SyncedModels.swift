import Foundation
import Larder
import LarderTestSupport

/// Accounts with costs: each delete rule, unique values, a tree, pairs and derived values once.
@Model
struct SyncedAccount {
  var id: UUID
  var name: String
  var limit: Double?
  @Relationship(deleteRule: .cascade, inverse: \SyncedCost.account) var costs: ToMany<SyncedCost> = []
  @Derived(.sum(\SyncedAccount.costs, \SyncedCost.amount)) var balance: Int = 0
}

@Model
struct SyncedCost {
  var id: UUID
  var amount: Int
  var note: String?
  var receipt: Data?
  var account: ToOne<SyncedAccount>
  var category: ToOne<SyncedCategory>?
  @Relationship(deleteRule: .deny) var kind: ToOne<SyncedKind>?
  @Relationship(inverse: \SyncedTag.costs) var tags: ToMany<SyncedTag> = []
}

/// A tree, whose children go with their parent.
@Model
struct SyncedCategory {
  var id: UUID
  @Attribute(.searchable) var name: String
  @Relationship(deleteRule: .cascade) var parent: ToOne<SyncedCategory>?
}

@Model
struct SyncedKind {
  var id: String
  @Attribute(.unique) var title: String
}

@Model
struct SyncedTag {
  var id: UUID
  @Attribute(.unique) var name: String
  var costs: ToMany<SyncedCost> = []
}

/// Writes to one replica, with few keys, so that replicas write to the same rows.
struct SyncedWriter {
  let store: Store
  var random: SplitMix64

  private mutating func number() -> Int { Int.random(in: 0..<5, using: &random) }

  private mutating func key() -> UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number())))
  }

  mutating func write() async throws {
    let (account, cost, category, tag) = (key(), key(), key(), key())
    let (one, other) = (number(), number())
    switch Int.random(in: 0..<17, using: &random) {
    case 0: try await store.save(SyncedAccount(id: account, name: "\(one)", limit: Double(other)))
    case 1: try await store.updateAll(SyncedAccount.where { $0.id == account }) { $0.name.set("n\(one)") }
    case 2: try await store.deleteAll(SyncedAccount.where { $0.id == account })
    case 3, 4: try await saveCost(cost, account, other > 2 ? category : nil, one, other)
    case 5: try await store.updateAll(SyncedCost.where { $0.id == cost }) { $0.amount.set(one) }
    case 6: try await store.updateAll(SyncedCost.where { $0.id == cost }) { $0.account.set(ToOne(account)) }
    case 7: try await store.updateAll(SyncedCost.where { $0.id == cost }) { $0.category.set(ToOne(category)) }
    case 8: try await store.deleteAll(SyncedCost.where { $0.id == cost })
    case 9:
      let parent = other > 3 ? ToOne<SyncedCategory>(key()) : nil
      try await store.save(SyncedCategory(id: category, name: "\(one)", parent: parent))
    case 10: try await store.deleteAll(SyncedCategory.where { $0.id == category })
    case 11: try await store.save(SyncedKind(id: "\(one)", title: "\(other)"))
    case 12: try await store.deleteAll(SyncedKind.where { $0.id == "\(one)" })
    case 13: try await store.save(SyncedTag(id: tag, name: "\(one)"))
    case 14: try await store.deleteAll(SyncedTag.where { $0.id == tag })
    case 15: try await inTransaction(account, one, other)
    default: try await link(cost, tag, isLinked: one > 1)
    }
  }

  private func saveCost(_ key: UUID, _ account: UUID, _ category: UUID?, _ one: Int, _ other: Int) async throws {
    try await store.save(
      SyncedCost(
        id: key, amount: one, note: "\(other)", receipt: Data([UInt8(one)]), account: ToOne(account),
        category: category.map { ToOne($0) }, kind: one > 3 ? ToOne("\(other)") : nil))
  }

  private func inTransaction(_ account: UUID, _ one: Int, _ other: Int) async throws {
    try await store.write { db in
      try db.save(SyncedKind(id: "both \(one)", title: "both \(other)"))
      try db.updateAll(SyncedAccount.where { $0.id == account }) { $0.limit.set(nil) }
    }
  }

  private func link(_ cost: UUID, _ tag: UUID, isLinked: Bool) async throws {
    guard let found = try await store.find(SyncedCost.self, cost),
      let linked = try await store.find(SyncedTag.self, tag)
    else { return }
    if isLinked {
      try await store.link(found, \.tags, linked)
    } else {
      try await store.unlink(found, \.tags, linked)
    }
  }
}
