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

  private func reopened(
    _ replica: Replica, _ models: any Model.Type..., migrations: [Migration] = []
  ) async throws -> Replica {
    await replica.store.close()
    var configuration = Store.Configuration(sync: .on)
    configuration.migrations = migrations
    return try Replica(folder: replica.folder, models, configuration: configuration)
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
    let updated = try await reopened(old, TitledSign.self, Wall.self)
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
    var updated = try await reopened(old, TitledSign.self, Wall.self)
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
    updated = try await reopened(updated, BareSign.self, Wall.self, migrations: [drop])
    try await meet(updated, new)
    updated = try await reopened(updated, TitledSign.self, Wall.self, migrations: [drop])
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
      replica = try await reopened(old, TitledSign.self, Wall.self)
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
    let third = try await reopened(new, RetitledSign.self, Wall.self)
    try await old.store.updateAll(BareSign.all) { $0.size.set(5) }
    try await third.exchange(with: old)
    #expect(try await third.store.find(RetitledSign.self, "1") == RetitledSign(id: "1", size: 5, title: "none"))
    try await meet(third, old)
  }
}
