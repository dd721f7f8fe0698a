import Foundation
import Larder
import Testing

@testable import LarderSync

@Suite("Sync: what happens apart, and what both hold afterwards", .overEachTransport)
struct SyncCaseTests {
  private let a: Replica
  private let b: Replica
  private let account = SharedAccount(name: "Cash")

  init() throws {
    a = try Replica()
    b = try Replica()
  }

  /// Exchanges until nothing is left to send, and expects that both hold the same.
  private func meet() async throws {
    try await a.exchange(with: b)
    try await b.exchange(with: a)
    try await expectEqual([a, b])
  }

  @Test("S1: two properties of one row that are set apart are both kept")
  func differentProperties() async throws {
    try await a.store.insert(account)
    try await meet()
    try await a.store.updateAll(SharedAccount.all) { $0.name.set("Purse") }
    try await b.store.updateAll(SharedAccount.all) { $0.limit.set(10) }
    try await meet()
    let merged = try #require(try await a.store.find(SharedAccount.self, account.id))
    #expect(merged.name == "Purse")
    #expect(merged.limit == 10)
  }

  @Test("S2: of one property that is set apart, the later value stays")
  func sameProperty() async throws {
    try await a.store.insert(account)
    try await meet()
    try await a.store.updateAll(SharedAccount.all) { $0.name.set("A") }
    try await b.setClock(past: a)
    try await b.store.updateAll(SharedAccount.all) { $0.name.set("B") }
    try await meet()
    #expect(try await a.store.find(SharedAccount.self, account.id)?.name == "B")
  }

  @Test("S3: a row that is deleted here and edited there is deleted")
  func deletionAndEdit() async throws {
    try await a.store.insert(account)
    try await meet()
    try await a.store.delete(account)
    try await b.setClock(past: a)
    try await b.store.updateAll(SharedAccount.all) { $0.name.set("B") }
    try await meet()
    #expect(try await b.store.count(SharedAccount.all) == 0)
  }

  @Test("S4: nothing of a deleted row shines through the one that was inserted in its place")
  func reinsertion() async throws {
    try await a.store.insert(SharedAccount(id: account.id, name: "Old", limit: 5))
    try await meet()
    try await a.store.delete(account)
    try await a.store.insert(SharedAccount(id: account.id, name: "New"))
    try await b.advanceClock(by: 60_000)
    try await b.store.updateAll(SharedAccount.all) {
      $0.limit.set(7)
      $0.name.set("Edited")
    }
    try await meet()
    let row = try #require(try await b.store.find(SharedAccount.self, account.id))
    #expect(row.name == "New")
    #expect(row.limit == nil)
  }

  @Test("S5: a cost that is added to a deleted account is set aside, and returns with the account")
  func lateChild() async throws {
    let cost = SharedCost(amount: 3, account: ToOne(account))
    try await a.store.insert(account)
    try await meet()
    try await a.store.delete(account)
    try await b.store.insert(cost)
    try await meet()
    #expect(try await b.store.count(SharedCost.all) == 0)
    #expect(try await b.statuses().values.filter { $0 == .lacksReference }.count == 1)
    try await a.store.insert(SharedAccount(id: account.id, name: "Again"))
    try await meet()
    #expect(try await b.store.find(SharedCost.self, cost.id) == cost)
    #expect(try await a.store.find(SharedAccount.self, account.id)?.balance == 3)
  }

  @Test("S6: a row that is moved out of a deleted one lives on with all its values")
  func move() async throws {
    let other = SharedAccount(name: "Bank")
    let cost = SharedCost(amount: 3, note: "Milk", account: ToOne(account))
    try await a.store.insert([account, other])
    try await a.store.insert(cost)
    try await meet()
    try await a.store.delete(account)
    #expect(try await a.store.count(SharedCost.all) == 0)
    try await b.store.updateAll(SharedCost.all) { $0.account.set(other) }
    try await meet()
    let moved = try #require(try await a.store.find(SharedCost.self, cost.id))
    #expect(moved.account.id == other.id)
    #expect(moved.note == "Milk")
    #expect(try await a.store.count(SharedAccount.all) == 1)
  }

  @Test("S7: a cleared reference refers again when the category comes back, and a move of it holds")
  func nullification() async throws {
    let (food, rent) = (SharedCategory(name: "Food"), SharedCategory(name: "Rent"))
    let left = SharedCost(amount: 1, account: ToOne(account), category: ToOne(food))
    let moved = SharedCost(amount: 2, account: ToOne(account), category: ToOne(food))
    try await a.store.insert(account)
    try await a.store.insert([food, rent])
    try await a.store.insert([left, moved])
    try await meet()
    try await a.store.delete(food)
    let shown = try #require(try await a.store.find(SharedCost.self, left.id))
    #expect(shown.category == nil)
    // The reference that isn't shown isn't taken away by whoever saves the row.
    try await a.store.save(shown)
    try await b.store.updateAll(SharedCost.where { $0.id == moved.id }) { $0.category.set(rent) }
    try await meet()
    #expect(try await a.store.find(SharedCost.self, moved.id)?.category?.id == rent.id)
    #expect(try await b.store.find(SharedCost.self, left.id)?.category == nil)
    try await b.store.insert(food)
    try await meet()
    #expect(try await a.store.find(SharedCost.self, left.id)?.category?.id == food.id)
    #expect(try await a.store.find(SharedCost.self, moved.id)?.category?.id == rent.id)
  }

  @Test("S8: a row to which another refers by .deny is back, with its values")
  func denial() async throws {
    let kind = SharedKind(id: "meal", title: "Meal")
    try await a.store.insert(account)
    try await a.store.insert(kind)
    try await meet()
    try await a.store.delete(kind)
    let cost = SharedCost(amount: 1, account: ToOne(account), kind: ToOne(kind))
    try await b.store.insert(cost)
    try await meet()
    #expect(try await a.store.find(SharedKind.self, "meal")?.title == "Meal")
    try await b.store.delete(cost)
    try await meet()
    #expect(try await a.store.find(SharedKind.self, "meal") == nil)
    #expect(try await b.store.find(SharedKind.self, "meal") == nil)
  }

  @Test("S9: of two rows with one unique value the earlier is visible, and the other when it lets go")
  func uniqueValues() async throws {
    let (first, second) = (SharedTag(name: "x"), SharedTag(name: "x"))
    try await a.store.insert(first)
    try await b.setClock(past: a)
    try await b.store.insert(second)
    try await meet()
    #expect(try await b.store.fetch(SharedTag.all).map(\.id) == [first.id])
    #expect(try await a.statuses().values.map { $0 } == [.duplicate])
    try await b.store.updateAll(SharedTag.all) { $0.name.set("y") }
    try await meet()
    #expect(Set(try await a.store.fetch(SharedTag.all).map(\.name)) == ["x", "y"])
    try await a.store.updateAll(SharedTag.where { $0.name == "y" }) { $0.name.set("z") }
    try await b.store.deleteAll(SharedTag.where { $0.name == "x" })
    try await meet()
    #expect(try await a.store.fetch(SharedTag.all).map(\.name) == ["z"])
  }

  @Test("S10: batches in the wrong order, twice, and with one missing end as if they had come in order")
  func disorder() async throws {
    for number in 0..<6 {
      let account = SharedAccount(name: "\(number)")
      try await a.store.insert(account)
      try await a.store.insert(SharedCost(amount: number, account: ToOne(account)))
    }
    let (sender, recipient) = (try await a.store.sync.replica(), try await b.store.sync.replica())
    var cursor = ChangeCursor(replica: sender, position: 0)
    var batches: [ChangeBatch] = []
    repeat {
      batches.append(try await a.store.sync.changes(after: cursor, for: recipient, limit: 1))
      cursor = batches[batches.count - 1].upTo
    } while !batches[batches.count - 1].isLast
    #expect(batches.count > 6)
    let route = try #require(SyncRoute.current)
    let missing = batches.remove(at: 1)
    for batch in batches.reversed() {
      try await route.deliver(batch, to: b)
      try await route.deliver(batch, to: b)
      #expect(try await b.store.check().isHealthy)
    }
    #expect(try await b.store.sync.cursor(of: sender) == missing.since)
    if route.transport.keepsMessages { try await route.deliver(missing, to: b) }
    try await meet()
    #expect(try await b.store.count(SharedCost.all) == 6)
  }

  @Test("S20: what the command line of SQLite writes is tracked like everything else")
  func commandLine() async throws {
    try await a.store.insert(account)
    try await meet()
    try a.executeOutside("UPDATE SharedAccount SET name = 'Shell'")
    try a.executeOutside("INSERT INTO SharedKind (id, title) VALUES ('it''s', 'Kind')")
    try await meet()
    #expect(try await b.store.find(SharedAccount.self, account.id)?.name == "Shell")
    #expect(try await b.store.find(SharedKind.self, "it's")?.title == "Kind")
    try b.executeOutside("INSERT OR REPLACE INTO SharedKind (id, title) VALUES ('it''s', 'Replaced')")
    try b.executeOutside("PRAGMA foreign_keys = ON; DELETE FROM SharedAccount")
    try await meet()
    #expect(try await a.store.count(SharedAccount.all) == 0)
    #expect(try await a.store.find(SharedKind.self, "it's")?.title == "Replaced")
  }

  @Test("S21: a full store sends everything when sync is switched on; off and on again, it is a new replica")
  func switching() async throws {
    let full = try Replica(configuration: .init())
    try await full.store.insert(account)
    try await full.store.insert(SharedCost(amount: 4, account: ToOne(account)))
    #expect(try await !full.store.sync.isEnabled())
    try await full.store.sync.enable()
    let first = try await full.store.sync.replica()
    try await full.exchange(with: b)
    #expect(try await b.store.count(SharedCost.all) == 1)
    try await full.store.sync.disable()
    try await full.store.updateAll(SharedAccount.all) { $0.name.set("Off") }
    let triggers = try await full.store.sql(
      "SELECT name FROM sqlite_master WHERE name LIKE '\\_larder\\_sync%' ESCAPE '\\'")
    #expect(triggers.isEmpty)
    try await full.store.sync.enable()
    #expect(try await full.store.sync.replica() != first)
    try await full.exchange(with: b)
    try await b.exchange(with: full)
    try await expectEqual([full, b])
    #expect(try await b.store.find(SharedAccount.self, account.id)?.name == "Off")
  }

  @Test("a third replica has everything from a relay")
  func relay() async throws {
    let c = try Replica()
    try await a.store.insert(account)
    try await a.exchange(with: b)
    try await b.exchange(with: c)
    try await c.store.insert(SharedCost(amount: 9, account: ToOne(account)))
    try await c.exchange(with: b)
    try await b.exchange(with: a)
    try await expectEqual([a, b, c])
    #expect(try await a.store.count(SharedCost.all) == 1)
  }

  @Test("an exchange after which nothing changed sends nothing")
  func silence() async throws {
    try await a.store.insert(account)
    try await meet()
    let report = try await a.exchange(with: b)
    #expect(report.received == 0)
    #expect(report.sent == 0)
  }

  @Test("a row that refers to itself, or in a circle, is deleted everywhere")
  func circles() async throws {
    var (one, two, own) = (SharedCategory(name: "1"), SharedCategory(name: "2"), SharedCategory(name: "own"))
    try await a.store.insert([one, two, own])
    one.parent = ToOne(two)
    two.parent = ToOne(one)
    own.parent = ToOne(own)
    try await a.store.save([one, two, own])
    try await meet()
    try await a.store.delete(own)
    try await a.store.delete(one)
    try await meet()
    // Children go with their parent, in a circle too.
    for replica in [a, b] { #expect(try await replica.store.fetch(SharedCategory.all).isEmpty) }
  }
}
