import Foundation
import Larder
import Testing

@testable import LarderSync

@Suite("Sync: the history of a store")
struct HistoryTests {
  private let replica: Replica

  init() throws {
    replica = try Replica()
  }

  @Test("names the rows that changed since, deleted ones among them, each once and as they are now")
  func changes() async throws {
    let kinds = ["a", "b", "c"].map { SharedKind(id: $0, title: "T") }
    try await replica.store.insert(kinds)
    let first = try await replica.store.history()
    #expect(first.changes.map(\.key) == [["a"], ["b"], ["c"]])
    #expect(first.isLast)
    try await replica.store.updateAll(SharedKind.where { $0.id == "a" }) { $0.title.set("U") }
    try await replica.store.updateAll(SharedKind.where { $0.id == "a" }) { $0.title.set("V") }
    try await replica.store.delete(kinds[1])
    let second = try await replica.store.history(after: first.cursor)
    #expect(second.changes.map(\.key) == [["a"], ["b"]])
    #expect(second.changes.map(\.isDeleted) == [false, true])
    #expect(second.changes[0].properties.map(\.value) == ["V"])
    #expect(second.changes[1].properties.map(\.value) == ["T"])
    let own = try await replica.store.sync.replica()
    #expect(second.changes.allSatisfy { $0.lastWrite.replica == own })
    #expect(abs(second.changes[0].lastWrite.date.timeIntervalSinceNow) < 60)
    #expect(try await replica.store.history(after: second.cursor).changes.isEmpty)
  }

  @Test("is read in parts that leave nothing out")
  func parts() async throws {
    try await replica.store.insert((0..<50).map { SharedKind(id: "\($0)", title: "T") })
    var found: [RowChange] = []
    var cursor: ChangeCursor?
    while true {
      let history = try await replica.store.history(after: cursor, limit: 7)
      #expect(history.changes.count <= 7)
      found += history.changes
      cursor = history.cursor
      if history.isLast { break }
    }
    #expect(found.count == 50)
    #expect(Set(found.map(\.key)).count == 50)
  }

  @Test("a save that changes nothing, and an update to the same value, are no changes")
  func noChange() async throws {
    let account = SharedAccount(name: "Cash", limit: 1)
    try await replica.store.insert(account)
    let cursor = try await replica.store.history().cursor
    try await replica.store.save(account)
    try await replica.store.updateAll(SharedAccount.all) { $0.limit.set(1) }
    #expect(try await replica.store.history(after: cursor).changes.isEmpty)
    try await replica.store.updateAll(SharedAccount.all) { $0.limit.set(2) }
    let change = try #require(try await replica.store.history(after: cursor).changes.first)
    let stamps = Dictionary(uniqueKeysWithValues: change.properties.map { ($0.name, $0.stamp) })
    #expect(stamps["name"] == change.stamp)
    #expect(try #require(stamps["limit"]) > change.stamp)
  }

  @Test("what a transaction rolls back is no change")
  func rollback() async throws {
    struct Refusal: Error {}
    let cursor = try await replica.store.history().cursor
    await #expect(throws: Refusal.self) {
      try await replica.store.write { db in
        try db.insert(SharedKind(id: "a", title: "A"))
        throw Refusal()
      }
    }
    #expect(try await replica.store.history(after: cursor).changes.isEmpty)
  }

  @Test("a derived value and an effect of a delete rule are no changes of their rows")
  func effects() async throws {
    let account = SharedAccount(name: "Cash")
    try await replica.store.insert(account)
    let category = SharedCategory(name: "Food")
    try await replica.store.insert(category)
    let cost = SharedCost(amount: 2, account: ToOne(account), category: ToOne(category))
    try await replica.store.insert(cost)
    var cursor = try await replica.store.history().cursor
    try await replica.store.updateAll(SharedCost.all) { $0.amount.set(3) }
    #expect(try await replica.store.history(after: cursor).changes.map(\.table) == ["SharedCost"])
    cursor = try await replica.store.history().cursor
    try await replica.store.delete(category)
    try await replica.store.delete(account)
    #expect(
      Set(try await replica.store.history(after: cursor).changes.map(\.table)) == [
        "SharedCategory", "SharedAccount",
      ])
  }

  @Test("of one row it says who wrote each property when, under the names that people gave the replicas")
  func writes() async throws {
    let other = try Replica()
    try await replica.store.sync.setName("Laptop")
    let account = SharedAccount(name: "Cash", limit: 1)
    try await replica.store.insert(account)
    try await replica.exchange(with: other)
    try await other.store.updateAll(SharedAccount.all) { $0.limit.set(2) }
    try await replica.exchange(with: other)
    let key = [try account.id.storedValue()]
    let writes = try #require(try await replica.store.sync.writes(ofRowWith: key, in: "sharedaccount"))
    #expect(writes.row.isOwn && writes.row.replicaName == "Laptop" && !writes.isDeleted)
    #expect(Set(writes.properties.keys) == ["name", "limit"])
    #expect(writes.properties["name"]?.stamp == writes.row.stamp)
    let limit = try #require(writes.properties["limit"])
    #expect(!limit.isOwn && limit.replicaName == nil && limit.stamp > writes.row.stamp)
    let seen = try #require(try await other.store.sync.writes(ofRowWith: key, in: "SharedAccount"))
    #expect(seen.row.replicaName == "Laptop" && seen.properties["limit"]?.isOwn == true)
    try await other.store.delete(account)
    try await replica.exchange(with: other)
    let deleted = try #require(try await replica.store.sync.writes(ofRowWith: key, in: "SharedAccount"))
    #expect(deleted.isDeleted && !deleted.row.isOwn)
    #expect(try await replica.store.sync.writes(ofRowWith: [try UUID().storedValue()], in: "SharedAccount") == nil)
    #expect(try await replica.store.sync.writes(ofRowWith: [1, 2, 3], in: "SharedAccount") == nil)
    #expect(try await replica.store.sync.writes(ofRowWith: key, in: "Nothing") == nil)
    try await replica.store.documents("papers").save("plan", ["title": "T", "a.b": 1])
    let document = try #require(try await replica.store.sync.writes(ofRowWith: ["plan"], in: "papers"))
    #expect(document.properties["title"]?.isOwn == true && document.properties["a.b"]?.isOwn == true)
  }

  @Test("without sync it is refused, with the remedy")
  func withoutSync() async throws {
    let plain = try Replica(configuration: .init())
    let error = await #expect(throws: StoreError.self) { try await plain.store.history() }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("sync: .on") == true)
    let left = try await plain.store.sql(
      "SELECT name FROM sqlite_master WHERE substr(name, 1, 13) = '_larder_sync_'")
    #expect(left.isEmpty)
  }
}
