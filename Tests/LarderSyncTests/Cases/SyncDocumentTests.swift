import Foundation
import Larder
import LarderTestSupport
import Testing

@testable import LarderSync

extension Replica {
  /// The documents of a collection, whose properties have no order, with the dates of their expiry.
  func documents(_ name: String) async throws -> [String: [String: DocumentValue]] {
    let collection = store.documents(name)
    var found: [String: [String: DocumentValue]] = [:]
    for (key, document) in try await collection.find(try await collection.keys()) {
      found[key] = Dictionary(document.map { ($0.name, $0.value) }) { $1 }
    }
    return found
  }
}

@Suite("Sync: documents", .overEachTransport)
struct SyncDocumentTests {
  private let a: Replica
  private let b: Replica

  init() throws {
    a = try Replica([SharedKind.self])
    b = try Replica([SharedKind.self])
  }

  /// Exchanges until nothing is left to send, and expects that both hold the same.
  private func meet(_ collections: String...) async throws {
    try await a.exchange(with: b)
    try await b.exchange(with: a)
    for name in collections.isEmpty ? ["people"] : collections {
      #expect(try await a.documents(name) == b.documents(name))
    }
    try await expectEqual([a, b])
  }

  @Test("S15: two properties of one document that are set apart are both kept")
  func differentProperties() async throws {
    let (ours, theirs) = (a.store.documents("people"), b.store.documents("people"))
    try await ours.save("ada", ["name": "Ada", "age": 36, "tags": ["x"], "address": ["city": "London"]])
    try await meet()
    #expect(try await theirs.find("ada") == ours.find("ada"))
    try await ours.update("ada", ["name": "Ada L."])
    try await theirs.update("ada", ["age": 37])
    try await theirs.update("ada", ["new": nil])
    try await meet()
    let merged: Document = [
      "name": "Ada L.", "age": 37, "tags": ["x"], "address": ["city": "London"], "new": nil,
    ]
    #expect(try await ours.find("ada") == merged)
    #expect(try await a.store.sync.conflicts().isEmpty)
    for documents in [ours, theirs] { #expect(try await documents.properties.contains("new")) }
  }

  @Test("S15: of one property that is set apart, the later value stays, and the other is in conflicts")
  func sameProperty() async throws {
    let (ours, theirs) = (a.store.documents("people"), b.store.documents("people"))
    try await ours.save("ada", ["name": "Ada", "address": ["city": "London", "street": "A"]])
    try await meet()
    try await ours.update("ada", ["address": ["city": "Paris", "street": "A"]])
    try await b.setClock(past: a)
    try await theirs.update("ada", ["address": ["city": "London", "street": "B"]])
    try await meet()
    // A nested value is one value.
    #expect(try await ours.find("ada")?["address"] == ["city": "London", "street": "B"])
    let conflict = try #require(try await a.store.sync.conflicts().first)
    #expect(conflict.kind == .value(property: "address") && conflict.table == "people")
    #expect(conflict.lost == .text(#"{"city":"Paris","street":"A"}"#))
    try await a.store.sync.restore(conflict)
    try await meet()
    #expect(try await theirs.find("ada")?["address"] == ["city": "Paris", "street": "A"])
    #expect(try await b.store.sync.conflicts().isEmpty)
  }

  @Test("S15: a property that is removed here goes there too, unless it is set again later")
  func removal() async throws {
    let (ours, theirs) = (a.store.documents("people"), b.store.documents("people"))
    try await ours.save("ada", ["name": "Ada", "age": 36, "city": "London"])
    try await meet()
    try await ours.save("ada", ["name": "Ada"])
    try await b.setClock(past: a)
    try await theirs.update("ada", ["city": "Paris"])
    try await meet()
    #expect(try await ours.find("ada") == ["name": "Ada", "city": "Paris"])
    try await theirs.save("ada", ["name": "Ada", "city": "Paris", "age": 37])
    try await meet()
    #expect(try await ours.find("ada")?["age"] == 37)
  }

  @Test("S15: a deleted document is gone on both sides, one that was edited meanwhile can be brought back")
  func deletion() async throws {
    let (ours, theirs) = (a.store.documents("people"), b.store.documents("people"))
    let documents: [(key: String, value: Document)] = [("ada", ["name": "Ada"]), ("bob", ["name": "Bob", "age": 5])]
    try await ours.save(keyed: documents)
    try await meet()
    try await ours.deleteAll()
    try await b.setClock(past: a)
    try await theirs.update("bob", ["age": 6])
    try await meet()
    #expect(try await theirs.count() == 0)
    let conflict = try #require(try await a.store.sync.conflicts().first)
    #expect(conflict.kind == .deletedRow && conflict.key == [.text("bob")])
    try await a.store.sync.restore(conflict)
    try await meet()
    #expect(try await theirs.find("bob") == ["name": "Bob", "age": 6])
  }

  @Test("S15: a deleted document can be brought back by a replica that never had its collection")
  func deletionHeardOf() async throws {
    try await a.store.documents("people").save("ada", ["name": "Ada"])
    try await a.store.documents("people").save("bob", ["name": "Bob"])
    try await meet()
    try await a.store.documents("people").deleteAll()
    try await b.setClock(past: a)
    for key in ["ada", "bob"] { try await b.store.documents("people").update(key, ["age": 37]) }
    try await meet()
    let c = try a.another()
    try await c.exchange(with: a)
    let conflicts = try await c.store.sync.conflicts()
    try await c.store.sync.restore(try #require(conflicts.first { $0.key == [.text("ada")] }))
    #expect(try await c.store.documents("people").find("ada") == ["name": "Ada", "age": 37])
    try await c.store.sync.restore(try #require(conflicts.first { $0.key == [.text("bob")] }))
    for replica in [a, b] { try await c.exchange(with: replica) }
    for replica in [a, b, c] { #expect(try await replica.documents("people").count == 2) }
    try await expectEqual([a, b, c])
  }

  @Test("S15: a deleted document can be brought back after its collection was removed")
  func deletionWithCollection() async throws {
    try await a.store.documents("people").save("ada", ["name": "Ada"])
    try await meet()
    _ = try await a.store.documents("people").deleteCollection()
    try await b.setClock(past: a)
    try await b.store.documents("people").update("ada", ["age": 37])
    try await meet()
    try await a.store.sync.restore(try #require(try await a.store.sync.conflicts().first))
    #expect(try await a.store.documents("people").find("ada") == ["name": "Ada", "age": 37])
    try await meet()
  }

  @Test("S15: nothing of a deleted document shines through the one that was saved in its place")
  func reinsertion() async throws {
    let (ours, theirs) = (a.store.documents("people"), b.store.documents("people"))
    try await ours.save("ada", ["name": "Ada", "age": 36])
    try await meet()
    try await ours.delete("ada")
    try await ours.save("ada", ["name": "Ada II."])
    try await b.advanceClock(by: 60_000)
    try await theirs.update("ada", ["age": 37, "city": "London"])
    try await meet()
    #expect(try await theirs.find("ada") == ["name": "Ada II."])
    // Who saved it knew the name, and neither of the others.
    for replica in [a, b] {
      let conflicts = try await replica.store.sync.conflicts()
      #expect(Set(conflicts.map(\.kind)) == [.value(property: "age"), .value(property: "city")])
      #expect(conflicts.allSatisfy { $0.current == .null })
    }
    let age = try #require(try await a.store.sync.conflicts().first { $0.kind == .value(property: "age") })
    #expect(age.lost == .text("37"))
    try await a.store.sync.restore(age)
    try await meet()
    #expect(try await theirs.find("ada") == ["name": "Ada II.", "age": 37])
    try await theirs.save("ada", ["name": "Ada III."])
    try await meet()
    #expect(try await ours.find("ada") == ["name": "Ada III."])
    #expect(try await a.store.sync.conflicts().map(\.kind) == [.value(property: "city")])
  }

  @Test("S15: numbers, texts and names arrive as they were, also with a NUL, a quotation mark and without letters")
  func edges() async throws {
    let document: Document = [
      "integer": .integer(.max), "least": .integer(.min), "real": 0.1, "tiny": .real(.leastNonzeroMagnitude),
      "whole": 1.0,
      "zero": .real(-0.0), "null": nil, "true": true, "empty": "", "nul\0": "x\0y", "\"quoted\"": "\"", "": 1,
      "point.ed[0]": [[], [:], [1, 1.0, nil]], "é": "ü", ".": "p", "expires": 3, "json": "{}",
      String(repeating: "long", count: 500): 1,
    ]
    try await a.store.documents("people").save("k\u{1}'\"", document)
    try await meet()
    #expect(try await b.store.documents("people").find("k\u{1}'\"") == document)
    try await b.store.documents("people").update("k\u{1}'\"", ["nul\0": "x\0z", "real": 0.30000000000000004, "": 2])
    try await meet()
    let changed = try #require(try await a.store.documents("people").find("k\u{1}'\""))
    #expect(changed["nul\0"] == "x\0z" && changed["real"] == .real(0.30000000000000004) && changed[""] == 2)
    for replica in [a, b] { #expect(try await replica.store.sync.conflicts().isEmpty) }
  }

  @Test("S15: a number that becomes -0.0 is another one")
  func negativeZero() async throws {
    let (ours, theirs) = (a.store.documents("people"), b.store.documents("people"))
    try await ours.save("ada", ["x": 0.0, "y": 1])
    try await meet()
    for value in [-0.0, 0.0] {
      try await ours.update("ada", ["x": .real(value)])
      try await meet()
      guard case .real(let number)? = try await theirs.find("ada")?["x"] else {
        Issue.record("the number is missing")
        return
      }
      #expect(number.sign == value.sign)
    }
  }

  @Test("S15: the date of expiry is a property of its own, and expiry itself sends nothing")
  func expiry() async throws {
    let (ours, theirs) = (a.store.documents("people"), b.store.documents("people"))
    let (soon, later) = (Date(timeIntervalSinceNow: 3600), Date(timeIntervalSinceNow: 7200))
    try await ours.save("ada", ["name": "Ada"], expires: soon)
    try await meet()
    #expect(try await theirs.expiry(of: "ada") == soon)
    try await ours.update("ada", ["name": "Ada L."])
    #expect(try await theirs.setExpiry(of: "ada", to: later))
    try await meet()
    #expect(try await ours.expiry(of: "ada") == later)
    #expect(try await theirs.find("ada") == ["name": "Ada L."])
  }

  @Test("S15: a collection that is removed takes its documents along, and can be made again")
  func removedCollection() async throws {
    try await a.store.documents("people").save("ada", ["name": "Ada", "age": 1])
    try await meet()
    #expect(try await a.store.documents("people").deleteCollection())
    try await meet()
    #expect(try await b.store.documents("people").count() == 0)
    try await b.store.documents("people").save("ada", ["name": "Ada II."])
    try await meet()
    #expect(try await a.store.documents("people").find("ada") == ["name": "Ada II."])
  }

  @Test("B13: a collection that doesn't take part stays here, and what others send of it is handed on")
  func localCollection() async throws {
    let c = try Replica([SharedKind.self])
    try await b.store.sync.setSyncs(false, collection: "Drafts")
    #expect(try await !b.store.sync.syncs(collection: "drafts"))
    try await b.store.documents("drafts").save("b", ["text": "mine"])
    try await a.store.documents("drafts").save("a", ["text": "theirs"])
    try await a.exchange(with: b)
    try await b.exchange(with: c)
    #expect(try await b.documents("drafts").keys.sorted() == ["b"])
    #expect(try await c.documents("drafts").keys.sorted() == ["a"])
    try await b.store.sync.setSyncs(true, collection: "drafts")
    try await b.exchange(with: a)
    try await b.exchange(with: a)
    #expect(try await b.documents("drafts").keys.sorted() == ["a", "b"])
    #expect(try await a.documents("drafts") == b.documents("drafts"))
  }

  @Test("S15: a collection that stays on its device does so when sync is switched off and on again")
  func localCollectionSwitched() async throws {
    let c = try Replica([SharedKind.self])
    try await b.store.sync.setSyncs(false, collection: "Drafts")
    try await b.store.documents("drafts").save("b", ["text": "mine"])
    for _ in 0..<2 {
      try await b.store.sync.disable()
      try await b.store.sync.enable()
      #expect(try await !b.store.sync.syncs(collection: "drafts"))
    }
    try await b.store.documents("drafts").save("c", ["text": "mine, too"])
    try await a.exchange(with: b)
    let file = b.folder.file("changes")
    try await b.store.sync.export(to: file)
    try await c.store.sync.import(from: file)
    #expect(try await a.documents("drafts").isEmpty)
    #expect(try await c.documents("drafts").isEmpty)
    try await b.store.sync.setSyncs(true, collection: "drafts")
    try await b.store.sync.disable()
    try await b.store.sync.enable()
    try await c.exchange(with: b)
    #expect(try await c.documents("drafts").keys.sorted() == ["b", "c"])
  }

  @Test("S15: attachments of documents come with them")
  func attachments() async throws {
    let image = try await a.store.attach(Data("image".utf8))
    try await a.store.documents("people", of: [String: [Attached]].self).save("ada", ["images": [image]])
    try await meet()
    let found = try #require(
      try await b.store.documents("people", of: [String: [Attached]].self).find("ada")?["images"]?.first)
    #expect(try await b.store.data(of: found) == Data("image".utf8))
  }

  @Test("S15: documents that were there before, and those that the command line writes, are changes like others")
  func adoption() async throws {
    let folder = try TemporaryFolder()
    let plain = try Store(at: folder.file("test.larder"), for: SharedKind.self)
    try await plain.documents("people").save("ada", ["name": "Ada"])
    await plain.close()
    let full = try Replica(folder: folder, [SharedKind.self])
    try await full.exchange(with: b)
    #expect(try await b.documents("people") == ["ada": ["name": "Ada"]])
    try b.executeOutside(#"UPDATE people SET json = '{"name" : "Ada", "age": 5}'"#)
    try b.executeOutside(#"INSERT INTO people (key, json) VALUES ('bad', 'no JSON')"#)
    try await b.exchange(with: full)
    #expect(try await full.documents("people")["ada"] == ["name": "Ada", "age": 5])
    #expect(try await full.documents("people")["bad"]?.isEmpty == true)
  }

  @Test("S15: the history shows documents with their properties")
  func history() async throws {
    try await a.store.documents("people").save("ada", ["name": "Ada", "age": 1])
    try await a.store.documents("people").save("ada", ["name": "Ada L."])
    let change = try #require(try await a.store.history().changes.first)
    #expect(change.isDocument && change.table == "people" && change.key == [.text("ada")])
    let values = Dictionary(uniqueKeysWithValues: change.properties.map { ($0.name, $0.value) })
    #expect(values == ["name": .text("\"Ada L.\""), "age": .null, "expires": .null])
  }
}
