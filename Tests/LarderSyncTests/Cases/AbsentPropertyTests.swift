import Foundation
import Larder
import LarderTestSupport
import Testing

@testable import LarderSync

@Model("Sign")
private struct BareSign: Hashable {
  var id: String
  var size = 0
  @Relationship(deleteRule: .cascade) var wall: ToOne<Wall>?
}

@Model("Sign")
private struct TitledSign: Hashable {
  var id: String
  var size = 0
  @Relationship(deleteRule: .cascade) var wall: ToOne<Wall>?
  var title: String = "none"
  var note: String?
}

/// The default is another one.
@Model("Sign")
private struct RetitledSign: Hashable {
  var id: String
  var size = 0
  @Relationship(deleteRule: .cascade) var wall: ToOne<Wall>?
  var title: String = "new"
  var note: String?
}

/// There is no default.
@Model("Sign")
private struct RequiredSign: Hashable {
  var id: String
  var size = 0
  @Relationship(deleteRule: .cascade) var wall: ToOne<Wall>?
  var title: String
  var note: String?
}

/// The default of an optional property isn't nil.
@Model("Sign")
private struct ShadedSign: Hashable {
  var id: String
  var size = 0
  @Relationship(deleteRule: .cascade) var wall: ToOne<Wall>?
  var shade: String? = "grey"
}

@Model("Sign", syncs: false)
private struct LocalSign: Hashable {
  var id: String
  var size = 0
  @Relationship(deleteRule: .cascade) var wall: ToOne<Wall>?
  var title: String = "none"
  var note: String?
}

@Model("Label")
private struct BareLabel: Hashable {
  var id: String
  var name = ""
}

@Model("Label")
private struct ScopedLabel: Hashable {
  static var indexes: [Index<Self>] { [Index(\.name, \.scope, unique: true)] }
  var id: String
  var name = ""
  var scope = "private"
}

@Model("Label")
private struct RescopedLabel: Hashable {
  static var indexes: [Index<Self>] { [Index(\.name, \.scope, unique: true)] }
  var id: String
  var name = ""
  var scope = "shared"
}

@Model("Wall")
private struct Wall: Hashable {
  var id: String
}

@Suite("Sync: properties that the app which inserted a row doesn't have")
struct AbsentPropertyTests {
  private let old: Replica
  private let new: Replica

  init() throws {
    old = try Replica([BareSign.self, Wall.self])
    new = try Replica([TitledSign.self, Wall.self])
  }

  /// Lets all replicas meet until nobody has anything new, and compares what they know.
  private func meet(_ replicas: Replica...) async throws {
    for _ in 0..<2 {
      for (number, replica) in replicas.enumerated() {
        for other in replicas[(number + 1)...] { try await replica.exchange(with: other) }
      }
    }
    for replica in replicas {
      #expect(try await replica.state() == replicas[0].state())
      #expect(try await replica.store.check().findings.isEmpty)
    }
  }

  /// Two devices insert a row with the same key, that of the older app later.
  private func insertBoth() async throws {
    try await new.store.insert(TitledSign(id: "1", title: "X", note: "Y"))
    try await old.setClock(past: new)
    try await old.store.insert(BareSign(id: "1", size: 2))
  }

  @Test("S16: a value that was written counts, not the default of a row from an older app, whichever comes first")
  func defaultOfOlderApp() async throws {
    try await insertBoth()
    let third = try Replica([TitledSign.self, Wall.self])
    try await third.exchange(with: old)
    #expect(try await third.store.find(TitledSign.self, "1") == TitledSign(id: "1", size: 2, title: "none"))
    try await third.exchange(with: new)
    let sign = TitledSign(id: "1", size: 2, title: "X", note: "Y")
    #expect(try await third.store.find(TitledSign.self, "1") == sign)
    try await meet(new, old, third)
    #expect(try await new.store.find(TitledSign.self, "1") == sign)
  }

  @Test("S16: nor the default of a row that was there before the app was updated")
  func defaultOfUpdatedApp() async throws {
    try await insertBoth()
    let updated = try await old.reopened(TitledSign.self, Wall.self)
    #expect(try await updated.store.find(TitledSign.self, "1") == TitledSign(id: "1", size: 2, title: "none"))
    try await updated.exchange(with: new)
    for replica in [updated, new] {
      #expect(
        try await replica.store.find(TitledSign.self, "1") == TitledSign(id: "1", size: 2, title: "X", note: "Y"))
    }
    try await meet(updated, new)
  }

  @Test("S16: what is written after the update counts, and so does the default of a row that is inserted then")
  func writesAfterUpdate() async throws {
    try await insertBoth()
    try await old.store.insert(BareSign(id: "2"))
    try await old.store.insert(BareSign(id: "3"))
    try await new.exchange(with: old)
    var updated = try await old.reopened(TitledSign.self, Wall.self)
    try await updated.setClock(past: new)
    try await updated.store.updateAll(TitledSign.where { $0.id == "2" }) { $0.title.set("Z") }
    try await updated.store.updateAll(TitledSign.where { $0.id == "2" }) { $0.title.set("none") }
    try await updated.store.delete(TitledSign(id: "1"))
    try await updated.store.insert(TitledSign(id: "1"))
    try await new.store.updateAll(TitledSign.where { $0.id == "3" }) { $0.title.set("late") }
    try await meet(updated, new)
    for replica in [updated, new] {
      let signs = try await replica.store.fetch(TitledSign.all.sorted(by: \.id))
      #expect(signs == [TitledSign(id: "1"), TitledSign(id: "2"), TitledSign(id: "3", title: "late")])
    }
    // Without the properties, and once more with them.
    let drop = Migration("drop") { db in
      for column in ["title", "note"] { _ = try db.sql(SQL(raw: "ALTER TABLE Sign DROP COLUMN \(column)")) }
    }
    updated = try await updated.reopened(BareSign.self, Wall.self, migrations: [drop])
    try await meet(updated, new)
    updated = try await updated.reopened(TitledSign.self, Wall.self, migrations: [drop])
    try await meet(updated, new)
    #expect(try await updated.store.find(TitledSign.self, "3")?.title == "late")
  }

  @Test("S16: a row that went with another one and returns has its defaults", arguments: [true, false])
  func withDeletedRow(isUpdated: Bool) async throws {
    let wall = Wall(id: "w")
    try await old.store.insert(wall)
    try await old.store.insert(BareSign(id: "1", wall: ToOne(wall)))
    var replica = old
    if isUpdated {
      replica = try await old.reopened(TitledSign.self, Wall.self)
      try await new.exchange(with: replica)
    } else {
      try await new.exchange(with: old)
      replica = new
    }
    try await replica.store.delete(wall)
    #expect(try await replica.state().values.allSatisfy { $0.properties.allSatisfy { $0.name != "title" } })
    try await replica.store.insert(wall)
    try await meet(old.path == replica.path ? new : old, replica)
    #expect(try await replica.store.find(TitledSign.self, "1") == TitledSign(id: "1", wall: ToOne(wall)))
  }

  @Test("S16: another default in a later model leaves the rows as they are")
  func otherDefault() async throws {
    try await old.store.insert(BareSign(id: "1"))
    try await new.exchange(with: old)
    let third = try await new.reopened(RetitledSign.self, Wall.self)
    try await old.store.updateAll(BareSign.all) { $0.size.set(5) }
    try await third.exchange(with: old)
    #expect(try await third.store.find(RetitledSign.self, "1") == RetitledSign(id: "1", size: 5, title: "none"))
    try await meet(third, old)
  }

  @Test("S16: a model without the default keeps the rows, and others get what they showed")
  func noDefault() async throws {
    try await old.store.insert(BareSign(id: "1"))
    try await new.exchange(with: old)
    let third = try await new.reopened(RequiredSign.self, Wall.self)
    try await old.store.updateAll(BareSign.all) { $0.size.set(5) }
    try await third.exchange(with: old)
    #expect(try await third.store.find(RequiredSign.self, "1")?.title == "none")
    let fresh = try Replica([RequiredSign.self, Wall.self])
    try await fresh.exchange(with: third)
    #expect(try await fresh.store.find(RequiredSign.self, "1")?.title == "none")
    try await meet(third, old, fresh)
  }

  @Test("S9, S16: a rule over a default goes by what the table shows, whichever model made it")
  func uniqueDefault() async throws {
    let (bare, scoped) = (try Replica([BareLabel.self]), try Replica([ScopedLabel.self]))
    try await bare.store.insert(BareLabel(id: "1", name: "x"))
    try await scoped.exchange(with: bare)
    let rescoped = try await scoped.reopened(RescopedLabel.self)
    let other = try Replica([RescopedLabel.self])
    try await other.setClock(past: rescoped)
    try await other.store.insert([
      RescopedLabel(id: "2", name: "x", scope: "private"), RescopedLabel(id: "3", name: "x", scope: "shared"),
    ])
    try await rescoped.exchange(with: other)
    for replica in [rescoped, other] {
      #expect(try await replica.store.fetch(RescopedLabel.all.sorted(by: \.id)).map(\.id) == ["1", "3"])
    }
    try await meet(rescoped, other)
  }

  @Test("S16: a model that drops the property for a while doesn't make the default a value")
  func withoutPropertyForAWhile() async throws {
    try await insertBoth()
    var third = try Replica([TitledSign.self, Wall.self])
    try await third.exchange(with: old)
    let drop = Migration("drop") { db in
      for column in ["title", "note"] { _ = try db.sql(SQL(raw: "ALTER TABLE Sign DROP COLUMN \(column)")) }
    }
    third = try await third.reopened(BareSign.self, Wall.self, migrations: [drop])
    third = try await third.reopened(TitledSign.self, Wall.self, migrations: [drop])
    try await meet(third, new)
    #expect(try await third.store.find(TitledSign.self, "1")?.title == "X")
  }

  @Test("S16, S21: a model that takes part again takes no default for a value", arguments: [true, false])
  func takingPartAgain(isWritten: Bool) async throws {
    try await old.store.insert([BareSign(id: "1"), BareSign(id: "2")])
    var updated = try await old.reopened(TitledSign.self, Wall.self)
    try await meet(updated, new)
    try await new.setClock(past: updated)
    if isWritten {
      try await new.store.updateAll(TitledSign.where { $0.id == "1" }) { $0.title.set("X") }
      try await meet(updated, new)
    }
    updated = try await updated.reopened(LocalSign.self, Wall.self)
    try await new.setClock(past: updated)
    try await new.store.updateAll(TitledSign.where { $0.id == "1" }) { $0.title.set("Y") }
    try await updated.exchange(with: new)
    try await new.store.updateAll(TitledSign.where { $0.id == "2" }) { $0.title.set("Z") }
    updated = try await updated.reopened(TitledSign.self, Wall.self)
    try await meet(updated, new)
    for replica in [updated, new] {
      #expect(try await replica.store.fetch(TitledSign.all.sorted(by: \.id)).map(\.title) == ["Y", "Z"])
    }
  }

  @Test(
    "S4, S16: a nil that was written is listed if a row of an older app takes its place, and the default isn't",
    arguments: [true, false])
  func lostNil(olderMergesFirst: Bool) async throws {
    let shaded = try Replica([ShadedSign.self, Wall.self])
    try await shaded.store.insert([ShadedSign(id: "1", shade: nil), ShadedSign(id: "2")])
    for _ in 0..<2 {
      try await old.store.insert([BareSign(id: "1"), BareSign(id: "2")])
      try await old.store.deleteAll(BareSign.all)
    }
    try await old.store.insert([BareSign(id: "1"), BareSign(id: "2")])
    if olderMergesFirst { try await old.exchange(with: shaded) }
    try await meet(shaded, old)
    #expect(try await shaded.store.find(ShadedSign.self, "1")?.shade == "grey")
    let conflicts = try await shaded.store.sync.conflicts()
    #expect(conflicts.map(\.property) == ["shade"])
    let conflict = try #require(conflicts.first)
    #expect(conflict.key == [.text("1")] && conflict.lost == .null && conflict.current == .text("grey"))
    try await shaded.store.sync.restore(conflict)
    try await meet(shaded, old)
    let signs = try await shaded.store.fetch(ShadedSign.all.sorted(by: \.id))
    #expect(signs == [ShadedSign(id: "1", shade: nil), ShadedSign(id: "2")])
    #expect(try await shaded.store.sync.conflicts().isEmpty)
    // What isn't listed doesn't keep a deletion. The older app doesn't know the default.
    try await old.store.deleteAll(BareSign.where { $0.id == "2" })
    try await meet(shaded, old)
    try await shaded.forgetAll()
  }

  @Test("S4, S16: such a nil is listed for everybody, also if only the older app has merged it")
  func lostNilAtOlderApp() async throws {
    let shaded = try Replica([ShadedSign.self, Wall.self])
    try await old.store.insert(BareSign(id: "1"))
    try await meet(shaded, old)
    try await shaded.store.updateAll(ShadedSign.all) { $0.shade.set(nil) }
    try await old.store.deleteAll(BareSign.all)
    try await old.store.insert(BareSign(id: "1"))
    let (own, other) = (try await shaded.store.sync.replica(), try await old.store.sync.replica())
    let cursor = try await old.store.sync.cursor(of: own)
    try await old.store.sync.apply(try await shaded.store.sync.changes(after: cursor, for: other, limit: 10))
    let third = try Replica([ShadedSign.self, Wall.self])
    for replica in [third, shaded] {
      try await meet(replica, old)
      #expect(try await replica.store.find(ShadedSign.self, "1")?.shade == "grey")
      #expect(try await replica.store.sync.conflicts().map(\.lost) == [.null])
    }
  }

  @Test("S16, S20: what a program wrote that nobody followed is sent")
  func untracked() async throws {
    try await old.store.insert(BareSign(id: "1"))
    try await new.exchange(with: old)
    let triggers = try await new.store.sql(
      "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'Sign' AND name GLOB '_larder_sync_*'")
    for name in triggers.compactMap({ $0["name"]?.text }) { try new.executeOutside("DROP TRIGGER \"\(name)\"") }
    try new.executeOutside("UPDATE Sign SET note = 'Hello'")
    await new.store.close()
    let third = try Replica(
      folder: new.folder, [TitledSign.self, Wall.self], configuration: Store.Configuration(sync: .on))
    let fresh = try Replica([TitledSign.self, Wall.self])
    try await fresh.exchange(with: third)
    #expect(try await fresh.store.find(TitledSign.self, "1")?.note == "Hello")
    try await meet(third, fresh)
  }

  @Test("S22: a write without a time is refused")
  func withoutTime() async throws {
    try await old.store.insert(BareSign(id: "1"))
    let own = try await new.store.sync.replica()
    let sender = try await old.store.sync.replica()
    let batch = try await old.store.sync.changes(
      after: ChangeCursor(replica: sender, position: 0), for: own, limit: 10)
    let row = try #require(batch.rows.first)
    let untimed = try #require(Stamp(time: 0, replica: sender))
    let properties = row.properties.map {
      PropertyState(name: $0.name, value: $0.value, stamp: untimed, causalLength: $0.causalLength)
    }
    let hostile = ChangeBatch(
      since: batch.since, upTo: batch.upTo, recipient: own, isLast: true, modelsDigest: batch.modelsDigest,
      rows: [row.changed(properties: properties)], knowledge: [])
    let error = await #expect(throws: StoreError.self) { try await new.store.sync.apply(hostile) }
    #expect(error?.code == .invalidValue)
    #expect(try await new.store.count(TitledSign.all) == 0)
  }
}
