import Foundation
import Testing

@testable import Larder

@Model("parts")
struct StoredPart: Hashable {
  var id: Int
  @Attribute(.unique) var name: String
  var weight: Double?
  var tags: [String] = []
  var madeAt: Date = Date(timeIntervalSinceReferenceDate: 100.5)
}

@Model(expires: true)
struct TicketThatExpires: Hashable {
  var id: Int
}

@Suite("Rows as data, and calls with and without await", .timeLimit(.minutes(20)))
struct ModelRowTests {
  private static let parts = [
    StoredPart(id: 1, name: "axle", weight: 2.5, tags: ["iron", "long"]), StoredPart(id: 2, name: "bolt"),
    StoredPart(id: 3, name: "cog", weight: 1),
  ]

  @Test(
    "A5: the data of a model's rows come by name, filtered, sorted and limited, with and without await, in a snapshot and a transaction"
  )
  func data() async throws {
    let store = try Store(inMemoryFor: StoredPart.self)
    try await store.insert(Self.parts)
    let query = StoredPart.where { $0.weight != nil || $0.name == "bolt" }.sorted(by: \.name, order: .reverse).limit(
      2, offset: 1)
    let expected: [[String: Value]] = [
      ["id": 2, "name": "bolt", "weight": .null, "tags": "[]", "madeAt": 100.5],
      ["id": 1, "name": "axle", "weight": 2.5, "tags": "[\"iron\",\"long\"]", "madeAt": 100.5],
    ]
    #expect(try await store.rows(query).map(\.dictionary) == expected)
    #expect(try store.blocking.rows(query).map(\.dictionary) == expected)
    #expect(try await store.read { db in try db.rows(query).map(\.dictionary) } == expected)
    try await store.write { db in
      try db.deleteAll(StoredPart.where { $0.id == 2 })
      let rows = try db.rows(query)
      #expect(rows.map(\.dictionary) == [expected[1]])
    }
    let row = try #require(try await store.rows(StoredPart.where { $0.id == 1 }).first)
    #expect(row.names == ["id", "name", "weight", "tags", "madeAt"])
    #expect(row["nothing"] == nil)
    #expect(try row.get("madeAt", as: Date.self) == Date(timeIntervalSinceReferenceDate: 100.5))
    #expect(try await store.rows(StoredPart.where { $0.id > 7 }).isEmpty)
  }

  @Test("A7: every verb is there with and without await, and ends in the same value or the same error")
  func verbs() async throws {
    let (waiting, blocking) = (
      try Store(inMemoryFor: StoredPart.self), try Store(inMemoryFor: StoredPart.self).blocking
    )
    let (axle, bolt, cog) = (Self.parts[0], Self.parts[1], Self.parts[2])
    var other = cog
    other.name = "axle"
    let steps: [(String, () async throws -> String, () throws -> String)] = [
      ("insert", { "\(try await waiting.insert(axle))" }, { "\(try blocking.insert(axle))" }),
      ("insert again", { "\(try await waiting.insert(axle))" }, { "\(try blocking.insert(axle))" }),
      ("insert several", { "\(try await waiting.insert([bolt, cog]))" }, { "\(try blocking.insert([bolt, cog]))" }),
      ("save", { "\(try await waiting.save(axle))" }, { "\(try blocking.save(axle))" }),
      (
        "save a taken name", { [other] in "\(try await waiting.save([bolt, other]))" },
        { [other] in "\(try blocking.save([bolt, other]))" }
      ),
      ("update", { "\(try await waiting.update(bolt))" }, { "\(try blocking.update(bolt))" }),
      (
        "find", { "\(try await waiting.find(StoredPart.self, 1) as Any)" },
        { "\(try blocking.find(StoredPart.self, 1) as Any)" }
      ),
      ("count", { "\(try await waiting.count(StoredPart.all))" }, { "\(try blocking.count(StoredPart.all))" }),
      ("delete", { "\(try await waiting.delete(cog))" }, { "\(try blocking.delete(cog))" }),
      ("update none", { "\(try await waiting.update(cog))" }, { "\(try blocking.update(cog))" }),
      (
        "updateAll", { "\(try await waiting.updateAll(StoredPart.all) { $0.weight.set(9) })" },
        { "\(try blocking.updateAll(StoredPart.all) { $0.weight.set(9) })" }
      ),
      (
        "sum", { "\(try await waiting.sum(StoredPart.all, of: \.weight) as Any)" },
        { "\(try blocking.sum(StoredPart.all, of: \.weight) as Any)" }
      ),
      (
        "deleteAll", { "\(try await waiting.deleteAll(StoredPart.all))" },
        { "\(try blocking.deleteAll(StoredPart.all))" }
      ),
      (
        "first", { "\(try await waiting.first(StoredPart.all) as Any)" },
        { "\(try blocking.first(StoredPart.all) as Any)" }
      ),
      (
        "sql", { "\(try await waiting.sql("select nothing from parts"))" },
        { "\(try blocking.sql("select nothing from parts"))" }
      ),
    ]
    var failures: [String] = []
    for (name, asynchronous, synchronous) in steps {
      var (waited, blocked) = ("", "")
      do { waited = try await asynchronous() } catch { waited = "\(error)" }
      do { blocked = try synchronous() } catch { blocked = "\(error)" }
      #expect(waited == blocked, "\(name)")
      if waited.hasPrefix("StoreError") { failures.append(name) }
    }
    #expect(failures == ["insert again", "save a taken name", "update none", "sql"])
  }

  @Test("B7: the time at which a model's row expires is in a backup, and holds there")
  func backup() async throws {
    let (file, clock) = (try StoreFile(), TestClock())
    let store = try Store(at: file.path, for: TicketThatExpires.self, configuration: clock.configuration)
    let end = clock.now + 60
    try await store.save(TicketThatExpires(id: 1), expires: end)
    try await store.save(TicketThatExpires(id: 2))
    let copy = file.folder.appending(component: "copy.larder", directoryHint: .notDirectory)
    try await store.backup(to: copy)
    try store.blocking.backup(to: file.folder.appending(component: "second.larder", directoryHint: .notDirectory))
    let memory = try Store(inMemoryFor: TicketThatExpires.self, configuration: clock.configuration)
    try await memory.save(TicketThatExpires(id: 1), expires: end)
    try await memory.backup(to: file.folder.appending(component: "memory.larder", directoryHint: .notDirectory))
    // Names mean the rows that are there again.
    let restored = try Store(at: copy, for: TicketThatExpires.self, configuration: clock.configuration)
    #expect(try await restored.expiry(of: TicketThatExpires.self, 1) == end)
    #expect(try await restored.count(TicketThatExpires.all) == 2)
    clock.now = end
    for store in [store, memory] {
      #expect(try await store.sql("select id from \(TicketThatExpires.self)").map { $0["id"] }.contains(1) == false)
      #expect(try await store.write { db in try db.find(TicketThatExpires.self, 1) } == nil)
    }
    #expect(try await restored.fetch(TicketThatExpires.all).map(\.id) == [2])
    #expect(try await restored.find(TicketThatExpires.self, 1) == nil)
  }
}
