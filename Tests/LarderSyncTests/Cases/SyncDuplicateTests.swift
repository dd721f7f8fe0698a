import Foundation
import Larder
import Testing

@testable import LarderSync

@Suite("Sync: duplicates are merged", .overEachTransport)
struct SyncDuplicateTests {
  private let a: Replica
  private let b: Replica
  private let account = SharedAccount(name: "Cash")

  init() throws {
    a = try Replica()
    b = try Replica()
  }

  private func meet(_ others: Replica...) async throws {
    for _ in 0..<2 {
      for replica in [a, b] + others {
        for other in [a, b] + others where other.path != replica.path { try await replica.exchange(with: other) }
      }
    }
    try await expectEqual([a, b] + others)
  }

  @Test("S9: what refers to the duplicate refers to the other row afterwards, on all replicas")
  func pairs() async throws {
    let c = try Replica()
    let (first, second) = (SharedTag(name: "x"), SharedTag(name: "x"))
    let (one, two) = (SharedCost(amount: 1, account: ToOne(account)), SharedCost(amount: 2, account: ToOne(account)))
    try await a.store.insert(account)
    try await a.store.insert([one, two])
    try await meet(c)
    try await a.store.insert(first)
    try await a.store.link(one, \.tags, first)
    try await b.setClock(past: a)
    try await b.store.insert(second)
    try await b.store.link(one, \.tags, second)
    try await b.store.link(two, \.tags, second)
    try await meet(c)
    #expect(try await c.store.fetch(SharedTag.all).map(\.id) == [first.id])
    let duplicate = try #require(
      try await c.store.sync.setAside().first { if case .duplicate = $0.reason { true } else { false } })
    try await c.store.sync.merge(duplicate)
    try await meet(c)
    for replica in [a, b, c] {
      #expect(try await replica.store.sync.setAside().isEmpty)
      #expect(try await replica.store.fetch(SharedTag.all).map(\.id) == [first.id])
      let tagged = try await replica.store.fetch(SharedTag.all.including(\.costs))
      #expect(Set(tagged.first?.costs.loaded?.map(\.id) ?? []) == [one.id, two.id])
    }
    await #expect(throws: StoreError.self) { try await c.store.sync.merge(duplicate) }
  }

  @Test("S9: the values that the other row lacks are listed, and one call takes each over")
  func values() async throws {
    let (one, other) = (SharedAccount(name: "One"), SharedAccount(name: "Other"))
    try await a.store.insert([one, other])
    try await meet()
    func slot(_ account: SharedAccount, _ row: String) -> SharedSlot {
      SharedSlot(shelf: row, account: ToOne(account), number: 1, row: row, column: 1)
    }
    try await a.store.insert(slot(one, "a"))
    try await b.setClock(past: a)
    try await b.store.insert(slot(one, "b"))
    try await meet()
    try await b.store.sync.merge(try #require(try await b.store.sync.setAside().first))
    try await meet()
    let conflict = try #require(try await a.store.sync.conflicts().first)
    #expect(try await a.store.sync.conflicts().count == 1)
    #expect(conflict.kind == .value(property: "shelf"))
    #expect(conflict.lost == "b")
    try await a.store.sync.restore(conflict)
    try await meet()
    #expect(try await b.store.fetch(SharedSlot.all).map(\.shelf) == ["b"])
    #expect(try await b.store.sync.conflicts().isEmpty)
  }

  @Test("S9: a duplicate of a row that is itself the duplicate of another one is listed")
  func chain() async throws {
    let c = try Replica()
    try await a.store.insert(account)
    try await meet(c)
    func slot(_ account: SharedAccount?, _ number: Int, _ row: String) -> SharedSlot {
      SharedSlot(shelf: "s", account: account.map { ToOne($0) }, number: number, row: row, column: 1)
    }
    try await a.store.insert(slot(account, 1, "first"))
    try await b.setClock(past: a)
    try await b.store.insert(slot(account, 2, "second"))
    try await c.setClock(past: b)
    try await c.store.insert(slot(nil, 2, "third"))
    try await meet(c)
    for replica in [a, b, c] {
      #expect(try await replica.store.fetch(SharedSlot.all).map(\.row) == ["first"])
      let listed = try await replica.store.sync.setAside()
      #expect(Set(listed.map(\.reason)).count == 2 && listed.count == 2)
    }
    // The first of two that have no other obstacle is in as soon as anything changes.
    try await a.store.updateAll(SharedSlot.all) { $0.account.set(nil) }
    try await meet(c)
    #expect(Set(try await c.store.fetch(SharedSlot.all).map(\.row)) == ["first", "second"])
  }

  @Test("S9: a row that waits can be merged into any row of its table that is named")
  func named() async throws {
    let owners = (SharedAccount(name: "One"), SharedAccount(name: "Other"))
    try await a.store.insert([owners.0, owners.1])
    try await meet()
    // A row that waits for its account is set aside too, and can be merged into any row of its table.
    let cost = SharedCost(amount: 1, account: ToOne(owners.0))
    try await a.store.deleteAll(SharedAccount.where { $0.id == owners.0.id })
    try await b.store.insert(cost)
    let kept = SharedCost(amount: 2, account: ToOne(owners.1))
    try await b.store.insert(kept)
    try await meet()
    let row = try #require(try await a.store.sync.setAside().first)
    await #expect(throws: StoreError.self) { try await a.store.sync.merge(row) }
    await #expect(throws: StoreError.self) { try await a.store.sync.merge(row, into: row.key) }
    let key = Value.blob(withUnsafeBytes(of: kept.id.uuid) { Data($0) })
    try await a.store.sync.merge(row, into: [key])
    try await meet()
    #expect(try await b.store.fetch(SharedCost.all).map(\.id) == [kept.id])
    #expect(
      Set(try await b.store.sync.conflicts().map(\.kind)) == [.value(property: "account"), .value(property: "amount")])
  }
}
