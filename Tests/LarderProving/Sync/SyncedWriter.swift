import Foundation
import Larder
import LarderSync
import LarderTestSupport

/// Writes to one replica with all methods, and few keys, so that replicas write to the same rows.
struct SyncedWriter {
  let store: Store
  var random: SplitMix64

  mutating func number() -> Int { Int.random(in: 0..<5, using: &random) }

  mutating func key() -> UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number())))
  }

  /// Writes once, in one of the ways that have these numbers.
  mutating func write(among ways: Range<Int> = 0..<49) async throws {
    let (account, cost, category, tag) = (key(), key(), key(), key())
    let (one, other) = (number(), number())
    switch Int.random(in: ways, using: &random) {
    case 0, 1: try await store.save(SyncedAccount(id: account, name: "\(one)", limit: Double(other)))
    case 2: try await store.updateAll(SyncedAccount.where { $0.id == account }) { $0.name.set("n\(one)") }
    case 3: try await store.deleteAll(SyncedAccount.where { $0.id == account })
    case 4, 5:
      try await store.save(
        SyncedCost(
          id: cost, amount: one, note: "\(other)", receipt: Data([UInt8(one)]), account: ToOne(account),
          category: other > 2 ? ToOne(category) : nil, kind: one > 3 ? ToOne("\(other)") : nil))
    case 6: try await store.updateAll(SyncedCost.where { $0.id == cost }) { $0.amount.set(one) }
    case 7: try await store.updateAll(SyncedCost.where { $0.id == cost }) { $0.account.set(ToOne(account)) }
    case 8: try await store.updateAll(SyncedCost.where { $0.id == cost }) { $0.category.set(ToOne(category)) }
    case 9: try await store.deleteAll(SyncedCost.where { $0.id == cost })
    case 10:
      let parent = other > 3 ? ToOne<SyncedCategory>(key()) : nil
      try await store.save(SyncedCategory(id: category, name: "\(one)", parent: parent))
    case 11: try await store.deleteAll(SyncedCategory.where { $0.id == category })
    case 12: try await store.save(SyncedKind(id: "\(one)", title: "\(other)"))
    case 13: try await store.deleteAll(SyncedKind.where { $0.id == "\(one)" })
    case 14: try await store.save(SyncedTag(id: tag, name: "\(one)"))
    case 15: try await store.deleteAll(SyncedTag.where { $0.id == tag })
    case 16: try await link(cost, tag, isLinked: one > 1)
    case 17:
      try await store.write { db in
        try db.insert(SyncedKind(id: "both \(one)", title: "\(other)"))
        try db.updateAll(SyncedAccount.where { $0.id == account }) { $0.limit.set(nil) }
      }
    case 18:
      let mood = SyncedMood.allCases[other % SyncedMood.allCases.count]
      try await store.save(
        SyncedPage(id: "\(one)", title: "\(other)", mood: mood, views: other, stars: Int8(60 + one)))
    case 19, 20: try await count(SyncedPage.where { $0.id == "\(one)" }, other)
    case 21: try await store.deleteAll(SyncedPage.where { $0.id == "\(one)" })
    case 25...28: try await writeDocument(one, other)
    case 29, 30: try await writePicture(one, other)
    case 31: try await store.insert(SyncedAccount(id: account, name: "\(one)", limit: Double(other)))
    case 32...34: try await rewrite(account, cost, category, one)
    case 35...42: try await writeList(one, other)
    case 43: try await store.save(SyncedKind(id: "\(one)", title: "\(other)"), onConflict: \.title)
    case 44: try await store.save(SyncedWindow(id: one, width: other, list: ToOne("\(other)")))
    case 45...48: try await writeSheet(account, one, other)
    case 22: try await decideConflict()
    case 23: try await decideSetAside()
    default:
      let slot = SyncedSlot(
        shelf: "\(one % 2)", account: one > 1 ? ToOne(account) : nil, number: other, row: "\(number())",
        column: number())
      try await store.save(slot)
    }
  }

  private func count(_ pages: Query<SyncedPage>, _ number: Int) async throws {
    try await store.updateAll(pages) { $0.views.increment(by: number) }
    do {
      try await store.updateAll(pages) { $0.stars.increment(by: Int8(number * 20 - 30)) }
    } catch let error as StoreError where error.code == .invalidValue {
      // What is shown would leave the range.
    }
  }
}
