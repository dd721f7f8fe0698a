import Foundation
import Larder
import Testing

@testable import LarderSync

@Suite("Sync: after one exchange both sides hold the same rows")
struct SingleExchangeTests {
  private let a: Replica
  private let b: Replica

  init() throws {
    a = try Replica()
    b = try Replica()
  }

  /// Brings both to the same state.
  private func meet() async throws {
    for _ in 0..<3 { try await a.exchange(with: b) }
    try await expectEqual([a, b])
  }

  private func exchange(begunByWriter: Bool) async throws {
    _ = try await begunByWriter ? a.exchange(with: b) : b.exchange(with: a)
    #expect(try await a.store.sync.pending(for: b.store.sync) == 0)
    #expect(try await b.store.sync.pending(for: a.store.sync) == 0)
    try await expectEqual([a, b])
  }

  @Test("S9: the duplicate is in when the other row is deleted or renamed", arguments: [true, false], [true, false])
  func duplicate(isDeleted: Bool, begunByWriter: Bool) async throws {
    try await a.store.insert(SharedTag(name: "x"))
    try await b.setClock(past: a)
    try await b.store.insert(SharedTag(name: "x"))
    try await meet()
    let winner = try #require(try await a.store.fetch(SharedTag.all).first)
    if isDeleted {
      try await a.store.delete(winner)
    } else {
      try await a.store.updateAll(SharedTag.all) { $0.name.set("y") }
    }
    try await exchange(begunByWriter: begunByWriter)
    #expect(try await a.store.count(SharedTag.where { $0.name == "x" }) == 1)
    #expect(try await a.store.sync.setAside().isEmpty)
  }

  @Test("S7: what refers to a row that is inserted again refers to it again", arguments: [true, false])
  func nullified(begunByWriter: Bool) async throws {
    let account = SharedAccount(name: "Cash")
    let category = SharedCategory(name: "Food")
    try await a.store.insert(account)
    try await a.store.insert(category)
    try await a.store.insert(SharedCost(amount: 1, account: ToOne(account), category: ToOne(category)))
    try await meet()
    try await a.store.delete(category)
    try await meet()
    try await a.store.insert(category)
    try await exchange(begunByWriter: begunByWriter)
    #expect(try await a.store.fetch(SharedCost.all).first?.category?.id == category.id)
  }

  @Test("S8: a deleted row that is wanted is back, and nothing is left to send", arguments: [true, false])
  func wanted(begunByWriter: Bool) async throws {
    let account = SharedAccount(name: "Cash")
    try await a.store.insert(account)
    try await a.store.insert(SharedKind(id: "k", title: "K"))
    try await meet()
    try await b.store.deleteAll(SharedKind.all)
    try await a.store.insert(SharedCost(amount: 1, account: ToOne(account), kind: ToOne("k")))
    try await exchange(begunByWriter: begunByWriter)
    #expect(try await a.store.count(SharedKind.all) == 1)
  }

  @Test("S8: a deleted row is gone when nothing refers to it any longer", arguments: [true, false])
  func denied(begunByWriter: Bool) async throws {
    let account = SharedAccount(name: "Cash")
    try await a.store.insert(account)
    try await a.store.insert(SharedKind(id: "k", title: "K"))
    try await meet()
    try await b.store.insert(SharedCost(amount: 1, account: ToOne(account), kind: ToOne("k")))
    try await a.store.deleteAll(SharedKind.all)
    try await meet()
    #expect(try await a.store.count(SharedKind.all) == 1)
    try await a.store.deleteAll(SharedCost.all)
    try await exchange(begunByWriter: begunByWriter)
    #expect(try await a.store.count(SharedKind.all) == 0)
  }

  @Test("S8: it is gone as well after a batch without changes")
  func deniedUntilBatch() async throws {
    let account = SharedAccount(name: "Cash")
    try await a.store.insert(account)
    try await a.store.insert(SharedKind(id: "k", title: "K"))
    try await meet()
    try await b.store.insert(SharedCost(amount: 1, account: ToOne(account), kind: ToOne("k")))
    try await a.store.deleteAll(SharedKind.all)
    try await meet()
    try await a.store.deleteAll(SharedCost.all)
    let (own, other) = (try await a.store.sync.replica(), try await b.store.sync.replica())
    let nothing = try await b.store.sync.changes(after: a.store.sync.cursor(of: other), for: own, limit: 10)
    #expect(nothing.rows.isEmpty && nothing.knowledge.isEmpty)
    try await a.store.sync.apply(nothing)
    #expect(try await a.store.count(SharedKind.all) == 0)
  }

  @Test("a row that waits is listed or visible, also before the next exchange")
  func listed() async throws {
    try await a.store.insert(SharedTag(name: "x"))
    try await b.setClock(past: a)
    try await b.store.insert(SharedTag(name: "x"))
    try await meet()
    try await a.store.delete(try #require(try await a.store.fetch(SharedTag.all).first))
    let listed = try await a.store.sync.setAside().count
    let shown = try await a.store.count(SharedTag.all)
    #expect(listed + shown == 1)
  }
}
