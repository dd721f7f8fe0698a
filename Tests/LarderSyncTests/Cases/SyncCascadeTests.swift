import Foundation
import Larder
import Testing

@testable import LarderSync

@Suite("Sync: rows that go with a row that they refer to")
struct SyncCascadeTests {
  let a: Replica
  let b: Replica
  private let account = SharedAccount(name: "Cash")
  private let milk: SharedCost

  init() async throws {
    a = try Replica()
    b = try Replica()
    milk = SharedCost(amount: 3, note: "Milk", account: ToOne(account))
    try await a.store.insert(account)
    try await a.store.insert(milk)
    try await meet()
  }

  private func meet() async throws {
    try await a.exchange(with: b)
    try await expectEqual([a, b])
  }

  @Test("S5: a cascade that its author knew is no loss, on neither side", .overEachTransport)
  func known() async throws {
    try await b.store.updateAll(SharedCost.all) { $0.amount.set(4) }
    try await meet()
    try await a.store.delete(account)
    #expect(try await a.store.sync.setAside().isEmpty)
    try await meet()
    for replica in [a, b] {
      #expect(try await replica.store.count(SharedCost.all) == 0)
      #expect(try await replica.store.sync.setAside().isEmpty)
    }
    #expect(try await a.exchange(with: b).setAside == 0)
  }

  @Test("S5: what an author of a cascade did not know is listed, and what they knew is not", .overEachTransport)
  func unknown() async throws {
    let bread = SharedCost(amount: 5, note: "Bread", account: ToOne(account))
    try await a.store.delete(account)
    try await b.store.insert(bread)
    try await meet()
    for replica in [a, b] {
      #expect(try await replica.store.sync.setAside().map { $0.properties["note"] } == ["Bread"])
      #expect(try await a.exchange(with: b).setAside == 1)
    }
    try await b.store.sync.restore(try #require(try await b.store.sync.setAside().first))
    try await meet()
    #expect(Set(try await a.store.fetch(SharedCost.all).map(\.note)) == ["Milk", "Bread"])
  }

  @Test("S5: an edit that the author of a cascade did not know is listed", .overEachTransport)
  func edited() async throws {
    try await a.store.delete(account)
    try await b.store.updateAll(SharedCost.all) { $0.amount.set(4) }
    try await meet()
    for replica in [a, b] {
      #expect(try await replica.store.sync.setAside().map { $0.properties["amount"] } == [4])
    }
  }

  @Test("S5: a whole tree goes and returns", .overEachTransport)
  func tree() async throws {
    let root = SharedCategory(name: "Root")
    let branch = SharedCategory(name: "Branch", parent: ToOne(root))
    let leaf = SharedCategory(name: "Leaf", parent: ToOne(branch))
    try await a.store.insert([root, branch, leaf])
    try await meet()
    try await a.store.delete(root)
    try await meet()
    #expect(try await b.store.count(SharedCategory.all) == 0)
    #expect(try await b.store.sync.setAside().isEmpty)
    try await b.store.insert(SharedCategory(id: root.id, name: "Again"))
    try await meet()
    #expect(try await a.store.count(SharedCategory.all) == 3)
  }

  @Test("what went with a deleted row is forgotten with it")
  func forgotten() async throws {
    try await a.store.delete(account)
    try await meet()
    for replica in [a, b] {
      try await replica.store.sync.setRetention(.zero)
      #expect(try await replica.store.sync.forgetDeletions(at: Date(timeIntervalSinceNow: 60)) == 1)
      #expect(try await replica.state().isEmpty)
    }
    try await meet()
    #expect(try await a.store.count(SharedAccount.all) == 0)
    let c = try Replica()
    try await c.exchange(with: a)
    #expect(try await c.state().isEmpty)
  }

  @Test("what went with a deleted row stays for as long as somebody may miss a part of it")
  func missed() async throws {
    try await a.store.delete(account)
    try await b.store.insert(SharedCost(amount: 5, note: "Bread", account: ToOne(account)))
    try await meet()
    try await a.store.sync.setRetention(.zero)
    #expect(try await a.store.sync.forgetDeletions(at: Date(timeIntervalSinceNow: 60)) == 0)
    try await a.store.sync.discard(try #require(try await a.store.sync.setAside().first))
    #expect(try await a.store.sync.forgetDeletions(at: Date(timeIntervalSinceNow: 60)) == 2)
    #expect(try await a.state().isEmpty)
  }

  @Test("S5: a chain of thousands of rows goes with its first one, on both sides")
  func chain() async throws {
    let (a, b) = (try Replica(), try Replica())
    try await a.store.write { db in
      var last: SharedCategory?
      for number in 0..<2000 {
        let category = SharedCategory(name: "\(number)", parent: last.map { ToOne($0) })
        try db.insert(category)
        last = category
      }
    }
    try await a.store.sync.exchange(with: b.store.sync)
    try await a.store.deleteAll(SharedCategory.where { $0.name == "0" })
    try await a.store.sync.exchange(with: b.store.sync)
    #expect(try await b.store.count(SharedCategory.all) == 0)
    #expect(try await b.store.sync.setAside().isEmpty)
  }
}
