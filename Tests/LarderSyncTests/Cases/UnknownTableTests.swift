import Foundation
import Larder
import Testing

@testable import LarderSync

/// Rows of models that only other replicas have.
@Suite("Sync: tables of other models")
struct UnknownTableTests {
  private let messages = Messages()

  @Test("S16: after a model with a key of three values has come, all rows can be written", arguments: [false, true])
  func wideKeys(reopens: Bool) async throws {
    var a = try Replica()
    let b = try Replica()
    let rows = [
      try messages.row("Seat", .init("a"), .integer(1), .integer(2)),
      try messages.row("Cell", .init("a"), .integer(1), .integer(2), .integer(3)),
    ]
    try await a.store.sync.apply(messages.batch(rows))
    if reopens {
      a = try await a.reopened()
    }
    try await a.store.insert(SharedKind(id: "k", title: "K"))
    try await a.store.insert(SharedSlot(shelf: "s", number: 1, row: "r", column: 1))
    try await a.store.documents("notes").save("n", ["text": "t"])
    try await a.store.updateAll(SharedKind.all) { $0.title.set("L") }
    try await a.store.deleteAll(SharedSlot.all)
    try await a.exchange(with: b)
    try await expectEqual([a, b])
    #expect(try await b.state().count == 5)
  }

  @Test("S16: a file whose triggers an earlier version has left behind is repaired when it is opened")
  func leftTriggers() async throws {
    let a = try Replica()
    try await a.store.sync.apply(messages.batch([try messages.row("Seat", .init("a"), .integer(1), .integer(2))]))
    try await a.store.writingModule { connection in
      let tracker = Tracker(connection)
      for table in try tracker.tracked() {
        try tracker.dropTriggers(of: table.id)
        for trigger in TrackingTriggers(table: table, keyCount: 2).creation { try connection.execute(trigger) }
      }
      // SQLite checks the triggers, which name the other table.
      try connection.execute("ALTER TABLE \(SyncTables.tables) DROP COLUMN left_at")
      try connection.execute("DROP TABLE \(SyncTables.forgotten)")
      try connection.setInUse(2, SyncFeature.self)
    }
    await #expect(throws: (any Error).self) { try await a.store.insert(SharedKind(id: "k", title: "K")) }
    let opened = try await a.reopened()
    try await opened.store.insert(SharedKind(id: "k", title: "K"))
    try await opened.forgetSomething()
    #expect(try await opened.state().count == 2)
  }

  @Test("a file of an earlier version that is opened without sync exchanges, and forgets deletions")
  func withoutOpening() async throws {
    let (a, b) = (try Replica(), try Replica())
    try await b.store.insert(SharedKind(id: "k", title: "K"))
    try await a.store.writingModule { connection in
      try connection.execute("DROP TABLE \(SyncTables.forgotten)")
      try connection.setInUse(2, SyncFeature.self)
    }
    await a.store.close()
    let opened = try Replica(folder: a.folder, configuration: .init(sync: .off))
    try await opened.exchange(with: b)
    try await opened.forgetSomething()
    #expect(try await opened.store.fetch(SharedKind.all).map(\.id) == ["k"])
  }

  @Test(
    "S22: names that are equal as Swift compares texts are different tables",
    arguments: ["", "_larder_documents:"])
  func names(prefix: String) async throws {
    let (a, b) = (try Replica(), try Replica())
    let names = ["\u{E9}", "e\u{301}"].map { prefix + $0 }
    let values: [String: ReplicatedValue] = prefix.isEmpty ? ["name": .init("n")] : [".name": .init("\"n\"")]
    let rows = try names.map { try messages.row($0, .init("k"), values: values) }
    // In one batch, and in two.
    try await a.store.sync.apply(messages.batch([rows[0]]))
    try await a.store.sync.apply(messages.batch(rows, upTo: 2))
    try await b.exchange(with: a)
    for replica in [a, b] {
      let tables = try await replica.state().keys.map { Data($0.table.utf8) }
      #expect(Set(tables) == Set(names.map { Data($0.utf8) }))
    }
    try await a.exchange(with: b)
    try await b.exchange(with: a)
    try await expectEqual([a, b])
    if !prefix.isEmpty {
      try await a.store.sync.setSyncs(false, collection: "e\u{301}")
      #expect(try await a.store.sync.syncs(collection: "\u{E9}"))
      try await a.exchange(with: b)
      #expect(try await a.store.documents("\u{E9}").find("k") != nil)
    }
  }

  @Test("S22: a causal length that would leave no room for a deletion is refused")
  func poisonedLength() async throws {
    let (a, b) = (try Replica(), try Replica())
    for length in [.max - 2, (1 << 53) + 1] as [Int64] {
      let row = try messages.row("SharedKind", .init("k"), length: length, values: ["title": .init("K")])
      await #expect(throws: StoreError.self) { try await a.store.sync.apply(messages.batch([row])) }
    }
    try await a.store.sync.apply(
      messages.batch([try messages.row("SharedKind", .init("k"), length: (1 << 52) + 1, values: ["title": .init("K")])])
    )
    try await a.store.deleteAll(SharedKind.all)
    try await a.store.insert(SharedKind(id: "k", title: "again"))
    try await a.exchange(with: b)
    #expect(try await b.store.find(SharedKind.self, "k")?.title == "again")
  }
}
