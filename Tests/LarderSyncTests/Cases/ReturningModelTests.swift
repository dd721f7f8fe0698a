import Foundation
import Larder
import LarderTestSupport
import Testing

@testable import LarderSync

@Model("Spot")
private struct SharedSpot: Hashable {
  var id: String
  var name: String
  var note = ""
}

@Model("Spot", syncs: false)
private struct LocalSpot: Hashable {
  var id: String
  var name: String
  var note = ""
}

@Suite("Sync: models and collections that leave and return")
struct ReturningModelTests {
  private let a: Replica
  private var b: Replica

  init() async throws {
    (a, b) = (try Replica([SharedSpot.self]), try Replica([SharedSpot.self]))
    try await a.store.insert(["1", "2", "3", "4"].map { SharedSpot(id: $0, name: "first") })
    try await a.exchange(with: b)
    try await b.exchange(with: a)
    try await a.setClock(past: b)
  }

  private func meet(_ other: Replica) async throws {
    for _ in 0..<2 {
      try await other.exchange(with: a)
      try await a.exchange(with: other)
    }
    try await expectEqual([a, other])
  }

  @Test("what others changed meanwhile is there, and what was changed here too")
  mutating func edits() async throws {
    b = try await b.reopened(LocalSpot.self)
    try await a.setClock(past: b)
    try await a.store.updateAll(SharedSpot.where { $0.id == "1" }) { $0.name.set("of a") }
    try await a.store.updateAll(SharedSpot.where { $0.id == "2" }) { $0.name.set("of a") }
    try await b.store.updateAll(LocalSpot.where { $0.id == "2" }) { $0.note.set("of b") }
    try await b.store.updateAll(LocalSpot.where { $0.id == "3" }) { $0.name.set("of b") }
    try await b.exchange(with: a)
    #expect(try await b.store.find(LocalSpot.self, "1")?.name == "first")
    b = try await b.reopened(SharedSpot.self)
    #expect(try await b.store.sync.waiting().isEmpty)
    try await meet(b)
    for replica in [a, b] {
      #expect(
        try await replica.store.fetch(SharedSpot.all.sorted(by: \.id)) == [
          SharedSpot(id: "1", name: "of a"), SharedSpot(id: "2", name: "of a", note: "of b"),
          SharedSpot(id: "3", name: "of b"), SharedSpot(id: "4", name: "first"),
        ])
    }
  }

  @Test("what was deleted here meanwhile comes back, whoever had written it, and so does a name")
  mutating func deletions() async throws {
    try await b.store.insert(SharedSpot(id: "5", name: "of b"))
    try await b.store.sync.setName("b")
    try await meet(b)
    b = try await b.reopened(LocalSpot.self)
    try await b.store.deleteAll(LocalSpot.where { ["1", "5"].contains($0.id) })
    try await b.exchange(with: a)
    b = try await b.reopened(SharedSpot.self)
    // The other side begins.
    for _ in 0..<2 {
      try await a.exchange(with: b)
      try await b.exchange(with: a)
    }
    try await expectEqual([a, b])
    #expect(try await b.store.fetch(SharedSpot.all.sorted(by: \.id)).map(\.id) == ["1", "2", "3", "4", "5"])
    #expect(try await a.store.sync.conflicts().isEmpty)
    #expect(try await a.store.sync.name(of: b.store.sync.replica()) == "b")
  }

  @Test("documents that were deleted while their collection was away come back by files as well")
  func deletedDocuments() async throws {
    try await b.store.documents("notes").save("n", ["text": "t"])
    try await b.exchange(with: a)
    try await b.store.sync.setSyncs(false, collection: "notes")
    try await b.store.documents("notes").deleteAll()
    try await b.store.sync.setSyncs(true, collection: "notes")
    let file = try await a.store.sync.export(
      to: a.folder.file("changes"), for: b.store.sync.replica(), since: b.store.sync.cursor(of: a.store.sync.replica()))
    try await b.store.sync.import(from: file.url)
    #expect(try await b.store.documents("notes").find("n") == ["text": "t"])
    try await b.exchange(with: a)
    try await expectEqual([a, b])
  }

  @Test("a collection that is removed while it is away returns with the first documents that come")
  func removedCollection() async throws {
    try await b.store.documents("notes").save("n", ["text": "t"])
    try await a.store.sync.import(from: b.store.sync.export(to: b.folder.file("changes")).url)
    try await b.store.sync.setSyncs(false, collection: "notes")
    try await b.store.documents("notes").deleteCollection()
    try await b.store.sync.setSyncs(true, collection: "notes")
    try await a.store.documents("notes").save("m", ["text": "u"])
    for _ in 0..<2 { try await a.exchange(with: b) }
    try await expectEqual([a, b])
    #expect(try await b.store.documents("notes").keys().count == 2)
  }

  @Test("documents that were deleted with their collection, and saved again while it was away, are new ones")
  func deletedAndSavedAgain() async throws {
    let documents = b.store.documents("notes")
    try await documents.save("n", ["text": "t", "more": 1])
    try await b.exchange(with: a)
    _ = try await documents.deleteCollection()
    try await b.store.sync.setSyncs(false, collection: "notes")
    try await documents.save("n", ["text": "u"])
    try await b.exchange(with: a)
    #expect(try await a.store.documents("notes").find("n") == nil)
    try await b.store.sync.setSyncs(true, collection: "notes")
    try await meet(b)
    for replica in [a, b] { #expect(try await replica.store.documents("notes").find("n") == ["text": "u"]) }
    #expect(try await a.store.sync.conflicts().isEmpty)
  }

  @Test("who hears through a replica that has switched off a collection overwrites nothing that he has not seen")
  func relayedKnowledge() async throws {
    let c = try Replica([SharedSpot.self])
    try await c.store.sync.setSyncs(false, collection: "notes")
    try await c.store.documents("notes").save("n", ["text": "of c"])
    try await a.store.documents("notes").save("n", ["text": "of a"])
    try await b.exchange(with: a)
    try await b.store.sync.setSyncs(false, collection: "notes")
    try await c.exchange(with: b)
    try await c.setClock(past: a)
    try await c.store.sync.setSyncs(true, collection: "notes")
    for _ in 0..<2 { try await c.exchange(with: a) }
    try await expectEqual([a, c])
    #expect(try await a.store.documents("notes").find("n") == ["text": "of a"])
    #expect(try await a.store.sync.conflicts().map(\.lost) == [.text("\"of c\"")])
  }

  @Test("documents that came while their collection was away are there as soon as it takes part again")
  func arrivedDocuments() async throws {
    try await b.store.sync.setSyncs(false, collection: "notes")
    try await a.store.documents("notes").save("n", ["text": "t"])
    try await a.exchange(with: b)
    #expect(try await b.store.documents("notes").keys().isEmpty)
    try await b.store.sync.setSyncs(true, collection: "notes")
    #expect(try await b.store.documents("notes").find("n") == ["text": "t"])
  }

  @Test("a document whose time has come when another collection returns is there, although its own is new")
  func waitingDocument() async throws {
    try await b.store.sync.setSyncs(false, collection: "notes")
    for replica in [a, b] { try await replica.store.documents("notes").save("n", ["text": "t"]) }
    try await a.advanceClock(by: 365 * 24 * 60 * 60 * 1000)
    try await a.store.documents("later").save("m", ["text": "u"])
    try await b.store.sync.import(from: a.store.sync.export(to: a.folder.file("changes")).url)
    #expect(try await b.store.sync.waiting().map(\.key) == [["m"]])
    try await b.advanceClock(by: 366 * 24 * 60 * 60 * 1000)
    try await b.store.sync.setSyncs(true, collection: "notes")
    #expect(try await b.store.documents("later").find("m") == ["text": "u"])
    try await meet(b)
  }

  @Test("what is written right after a collection returns was written by someone who saw what had come")
  func writtenAfterReturn() async throws {
    let (ours, theirs) = (a.store.documents("notes"), b.store.documents("notes"))
    try await b.store.sync.setSyncs(false, collection: "notes")
    try await ours.save("n", ["text": "of a", "more": 1])
    try await theirs.save("n", ["text": "of b"])
    try await a.exchange(with: b)
    try await b.store.sync.setSyncs(true, collection: "notes")
    #expect(try await theirs.find("n") == ["text": "of a", "more": 1])
    #expect(try await b.store.sync.conflicts().map(\.lost) == [.text("\"of b\"")])
    try await theirs.save("n", ["text": "later"])
    try await meet(b)
    for replica in [a, b] {
      #expect(try await replica.store.documents("notes").find("n") == ["text": "later"])
      #expect(try await replica.store.sync.conflicts().isEmpty)
    }
  }

  @Test("rows that came before their model are there as soon as the app has it")
  func laterModel() async throws {
    let c = try Replica([SharedKind.self])
    try await c.exchange(with: a)
    try await c.exchange(with: b)
    let updated = try await c.reopened(SharedKind.self, SharedSpot.self)
    #expect(try await updated.store.count(SharedSpot.all) == 4)
    #expect(try await updated.store.sync.exchange(with: a.store.sync).received == 0)
  }

  @Test("of a value that both may have changed, one counts and the other is in conflict")
  mutating func conflicts() async throws {
    b = try await b.reopened(LocalSpot.self)
    try await a.setClock(past: b)
    try await a.store.updateAll(SharedSpot.where { $0.id == "1" }) { $0.name.set("of a") }
    try await b.store.updateAll(LocalSpot.where { $0.id == "1" }) { $0.name.set("of b") }
    try await b.exchange(with: a)
    b = try await b.reopened(SharedSpot.self)
    try await meet(b)
    #expect(try await b.store.find(SharedSpot.self, "1")?.name == "of a")
    let conflict = try #require(try await a.store.sync.conflicts().first)
    #expect(conflict.lost == .text("of b"))
    #expect(try await a.store.sync.conflicts().count == 1)
    try await a.store.sync.restore(conflict)
    try await meet(b)
    #expect(try await b.store.find(SharedSpot.self, "1")?.name == "of b")
  }

  @Test("a row that was deleted elsewhere and is here is a new one")
  mutating func deletion() async throws {
    b = try await b.reopened(LocalSpot.self)
    try await a.store.deleteAll(SharedSpot.where { $0.id == "1" })
    try await b.exchange(with: a)
    b = try await b.reopened(SharedSpot.self)
    try await meet(b)
    #expect(try await a.store.find(SharedSpot.self, "1")?.name == "first")
  }

  @Test("two models that met for the first time keep both values of a row")
  func firstMeeting() async throws {
    var c = try Replica([LocalSpot.self])
    try await c.store.insert(LocalSpot(id: "1", name: "of c"))
    try await c.exchange(with: a)
    c = try await c.reopened(SharedSpot.self)
    try await meet(c)
    #expect(try await c.store.count(SharedSpot.all) == 4)
    let values = Set(
      [try await a.store.find(SharedSpot.self, "1")?.name]
        + (try await a.store.sync.conflicts().map { "\($0.lost)" }))
    #expect(values.count == 2)
  }

  @Test("a collection that leaves and returns has the changes of both sides")
  func documents() async throws {
    try await a.store.documents("notes").save("n", ["text": "t", "size": 1, "old": true])
    try await a.exchange(with: b)
    try await b.exchange(with: a)
    try await b.store.sync.setSyncs(false, collection: "notes")
    try await a.setClock(past: b)
    try await a.store.documents("notes").save("n", ["text": "of a", "size": 1, "old": true])
    try await b.store.documents("notes").save("n", ["text": "t", "size": 2])
    try await b.exchange(with: a)
    try await b.store.sync.setSyncs(true, collection: "notes")
    try await meet(b)
    let document = try #require(try await a.store.documents("notes").find("n"))
    #expect(document == ["text": "of a", "size": 2])
  }

  @Test("a collection of which documents came before it existed here is there when it returns")
  func unknownCollection() async throws {
    let c = try Replica([SharedSpot.self])
    try await c.store.sync.setSyncs(false, collection: "notes")
    try await a.store.documents("notes").save("n", ["text": "t"])
    try await c.exchange(with: a)
    #expect(try await c.store.documents("notes").find("n") == nil)
    try await c.store.sync.setSyncs(true, collection: "notes")
    try await meet(c)
    #expect(try await c.store.documents("notes").find("n") == ["text": "t"])
  }
}
