import Foundation
import Larder
import Testing

@testable import LarderSync

@Suite("Sync: everybody lists what was lost")
struct SyncLostValueTests {
  private let a: Replica
  private let b: Replica
  private let c: Replica
  private let account = SharedAccount(name: "Cash")

  init() throws {
    a = try Replica()
    b = try Replica()
    c = try Replica()
  }

  private func meet() async throws {
    for _ in 0..<2 {
      for (one, other) in [(a, b), (b, c), (c, a)] { try await one.exchange(with: other) }
    }
    try await expectEqual([a, b, c])
  }

  /// `a` and `b` set the name apart, and `b` later.
  private func disagree() async throws {
    try await a.store.insert(account)
    try await meet()
    try await a.store.updateAll(SharedAccount.all) { $0.name.set("A") }
    try await b.setClock(past: a)
    try await b.store.updateAll(SharedAccount.all) { $0.name.set("B") }
    try await meet()
  }

  @Test("S2: a replica that had no part lists the value that lost, with the names of both devices")
  func bystander() async throws {
    try await a.store.sync.setName("Ada's laptop")
    try await b.store.sync.setName("Phone")
    try await disagree()
    let conflict = try #require(try await c.store.sync.conflicts().first)
    #expect(try await c.store.sync.conflicts().count == 1)
    #expect(conflict.lost == "A")
    #expect(conflict.lostReplica == "Ada's laptop")
    #expect(conflict.currentReplica == "Phone")
    try await c.store.sync.restore(conflict)
    try await meet()
    #expect(try await b.store.find(SharedAccount.self, account.id)?.name == "A")
    #expect(try await a.store.sync.conflicts().isEmpty)
  }

  @Test("S2: what one dismisses is dismissed everywhere, and both may")
  func dismissal() async throws {
    try await disagree()
    for replica in [a, c] {
      try await replica.store.sync.dismiss(try #require(try await replica.store.sync.conflicts().first))
    }
    try await meet()
    for replica in [a, b, c] { #expect(try await replica.store.sync.conflicts().isEmpty) }
    #expect(try await b.state().values.flatMap(\.losses).map(\.isDismissed) == [true])
    #expect(try await b.state().values.flatMap(\.losses).map(\.value) == [.null])
  }

  @Test("S3: a bystander lists the deleted row, and brings it back")
  func deletedRow() async throws {
    try await a.store.insert(account)
    try await meet()
    try await a.store.delete(account)
    try await b.store.updateAll(SharedAccount.all) { $0.name.set("Edited") }
    try await meet()
    try await c.store.sync.restore(try #require(try await c.store.sync.conflicts().first))
    try await meet()
    #expect(try await a.store.find(SharedAccount.self, account.id)?.name == "Edited")
  }

  @Test("a bystander restores the value of a row that was deleted afterwards, and the row is back everywhere")
  func valueOfDeletedRow() async throws {
    try await disagree()
    try await a.store.delete(account)
    try await meet()
    try await c.store.sync.restore(try #require(try await c.store.sync.conflicts().first))
    try await meet()
    for replica in [a, b, c] {
      #expect(try await replica.store.find(SharedAccount.self, account.id)?.name == "A")
      #expect(try await replica.store.sync.conflicts().isEmpty)
    }
  }

  @Test("what was added to a counter that lost brings back the row that was deleted afterwards")
  func additionToDeletedRow() async throws {
    try await a.store.insert(SharedPage(id: "p", views: 1))
    try await meet()
    try await a.store.delete(SharedPage.self, "p")
    try await a.store.insert(SharedPage(id: "p"))
    try await b.store.updateAll(SharedPage.all) { $0.views.increment(by: 5) }
    try await meet()
    let conflict = try #require(try await c.store.sync.conflicts().first)
    #expect(conflict.isAddition)
    // Whoever deletes the page knows of the addition, but the conflict was read before.
    try await a.store.delete(SharedPage.self, "p")
    try await meet()
    try await c.store.sync.restore(conflict)
    try await meet()
    for replica in [a, b, c] {
      let page = try await replica.store.find(SharedPage.self, "p")
      #expect(page?.views == Int(conflict.lost.integer ?? 0))
    }
  }

  @Test("a value that somebody overwrites knowing both is no longer listed by anybody")
  func overwritten() async throws {
    try await disagree()
    try await c.store.updateAll(SharedAccount.all) { $0.name.set("C") }
    try await meet()
    for replica in [a, b, c] { #expect(try await replica.store.sync.conflicts().isEmpty) }
  }

  @Test("a name reaches everybody, the later one stays, and one that is too long is refused")
  func names() async throws {
    let replica = try await a.store.sync.replica()
    #expect(try await a.store.sync.name() == nil)
    try await a.store.sync.setName("First")
    try await a.exchange(with: b)
    try await b.exchange(with: c)
    #expect(try await c.store.sync.name(of: replica) == "First")
    try await a.store.sync.setName("Second")
    try await a.exchange(with: b)
    try await c.exchange(with: b)
    #expect(try await b.store.sync.name(of: replica) == "Second")
    #expect(try await c.store.sync.name(of: replica) == "Second")
    #expect(try await a.store.sync.name() == "Second")
    await #expect(throws: StoreError.self) {
      try await a.store.sync.setName(String(repeating: "x", count: 257))
    }
    try await a.store.sync.setName("")
    try await a.exchange(with: b)
    #expect(try await b.store.sync.name(of: replica) == nil)
  }
}
