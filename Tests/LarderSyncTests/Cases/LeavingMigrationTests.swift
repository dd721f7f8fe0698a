import Foundation
import Larder
import Testing

@testable import LarderSync

@Model("Stop")
private struct SharedStop: Hashable {
  var id: String
  var name: String
  var note = ""
}

@Model("Stop", syncs: false)
private struct LocalStop: Hashable {
  var id: String
  var name: String
}

/// The model when it takes part again, still without notes.
@Model("Stop")
private struct NarrowStop: Hashable {
  var id: String
  var name: String
}

@Model("Offer", expires: true)
private struct SharedOffer: Hashable {
  var id: String
  var price: Int
}

@Model("Offer", syncs: false)
private struct LocalOffer: Hashable {
  var id: String
  var price: Int
}

@Model("Route")
private struct Route: Hashable {
  var id: String
  var stop: ToOne<SharedStop>?
}

@Model("Route")
private struct LocalRoute: Hashable {
  var id: String
  var stop: ToOne<LocalStop>?
}

@Suite("Sync: models that leave, and lose columns with it")
struct LeavingMigrationTests {
  private func reopened(
    _ replica: Replica, _ models: any Model.Type..., statement: String? = nil
  ) async throws -> Replica {
    let change = statement.map { statement in [Migration("change") { _ = try $0.sql(SQL(raw: statement)) }] }
    return try await replica.reopened(models, migrations: change ?? [])
  }

  /// Two replicas with the same two stops.
  private func pair() async throws -> (Replica, Replica) {
    let (a, b) = (try Replica([SharedStop.self]), try Replica([SharedStop.self]))
    try await a.store.insert(["1", "2"].map { SharedStop(id: $0, name: "n\($0)", note: "of \($0)") })
    try await a.exchange(with: b)
    try await b.exchange(with: a)
    return (a, b)
  }

  @Test(
    "S16: what a migration removes of a model that leaves is held and handed on, and is there when the model returns",
    arguments: ["ALTER TABLE Stop DROP COLUMN note", "DROP TABLE Stop"])
  func migration(statement: String) async throws {
    let (a, b) = try await pair()
    let before = try await b.state()
    let local = try await reopened(b, LocalStop.self, statement: statement)
    #expect(try await local.state() == before)
    let c = try Replica([SharedStop.self])
    try await c.exchange(with: local)
    #expect(try await c.rows() == a.rows())
    let narrow = try await reopened(local, NarrowStop.self, statement: statement)
    #expect(try await narrow.store.fetch(NarrowStop.all.sorted(by: \.id)).map(\.name) == ["n1", "n2"])
    try await a.store.updateAll(SharedStop.where { $0.id == "1" }) { $0.note.set("later") }
    for _ in 0..<2 {
      try await narrow.exchange(with: a)
      try await a.exchange(with: narrow)
    }
    #expect(try await narrow.state() == a.state())
    #expect(try await a.store.fetch(SharedStop.all.sorted(by: \.id)).map(\.note) == ["later", "of 2"])
    #expect(try await a.store.sync.conflicts().isEmpty)
  }

  @Test("S13: a model that leaves may lose its date of expiry")
  func expiry() async throws {
    let (a, b) = (try Replica([SharedOffer.self]), try Replica([SharedOffer.self]))
    try await a.store.insert(SharedOffer(id: "x", price: 3))
    try await a.exchange(with: b)
    let before = try await b.state()
    let local = try await reopened(b, LocalOffer.self)
    #expect(try await local.store.find(LocalOffer.self, "x")?.price == 3)
    #expect(try await local.state() == before)
  }

  @Test("S20: of a model that leaves, what a tool has not removed is held and handed on")
  func outside() async throws {
    let (a, b) = try await pair()
    let triggers = try await b.store.sql("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'Stop'")
      .compactMap { $0["name"]?.text }
    #expect(!triggers.isEmpty)
    await b.store.close()
    let statements = triggers.map { "DROP TRIGGER \($0.quotedName)" } + ["ALTER TABLE Stop DROP COLUMN note"]
    try b.executeOutside(statements.joined(separator: "; "))
    let local = try await reopened(b, LocalStop.self)
    let held = try await local.state()
    #expect(held.count == 2)
    #expect(held.values.allSatisfy { $0.properties.map(\.name) == ["name"] })
    let c = try Replica([SharedStop.self])
    try await c.exchange(with: local)
    #expect(try await c.store.fetch(SharedStop.all.sorted(by: \.id)).map(\.name) == ["n1", "n2"])
    try await c.exchange(with: a)
    try await a.exchange(with: c)
    try await expectEqual([a, c])
    #expect(try await a.store.fetch(SharedStop.all.sorted(by: \.id)).map(\.note) == ["of 1", "of 2"])
  }

  @Test("a model that may not leave is refused before the file is changed")
  func refusal() async throws {
    let a = try Replica([SharedStop.self, Route.self])
    try await a.store.insert(SharedStop(id: "1", name: "n", note: "of 1"))
    let before = try await a.state()
    let error = await #expect(throws: StoreError.self) {
      _ = try await reopened(
        a, LocalStop.self, LocalRoute.self, statement: "ALTER TABLE Stop DROP COLUMN note")
    }
    #expect(error?.code == .unsupported)
    let again = try await reopened(a, SharedStop.self, Route.self)
    #expect(try await again.state() == before)
    #expect(try await again.store.find(SharedStop.self, "1")?.note == "of 1")
  }
}
