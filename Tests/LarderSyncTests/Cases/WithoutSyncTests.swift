import Foundation
import Larder
import Testing

@testable import LarderSync

@Model("Item")
private struct WideItem: Hashable {
  var id: String
  var title: String
  var size: Int?
}

@Model("Item")
private struct NarrowItem: Hashable {
  var id: String
  var title: String
}

@Model("Item")
private struct IndexedItem: Hashable {
  var id: String
  @Attribute(.indexed) var title: String
  var size: Int?
}

@Suite("Sync: programs that know nothing of it")
struct WithoutSyncTests {
  private let a: Replica
  private let b: Replica

  init() throws {
    a = try Replica([SharedKind.self, SharedTag.self])
    b = try Replica([SharedKind.self, SharedTag.self])
  }

  private func fill() async throws {
    for id in ["a", "b", "c"] { try await a.store.insert(SharedKind(id: id, title: id)) }
    try await a.store.documents("people").save("ada", ["name": "Ada"])
    try await a.store.documents("people").save("bea", ["name": "Bea"])
    try await a.exchange(with: b)
  }

  private func reopen() throws -> Replica { try Replica(folder: a.folder, [SharedKind.self, SharedTag.self]) }

  /// Opens the file again with sync, and exchanges in both directions.
  private func meet() async throws -> Replica {
    let again = try reopen()
    try await again.exchange(with: b)
    try await b.exchange(with: again)
    try await expectEqual([again, b])
    return again
  }

  @Test("S20: what a program without sync writes is tracked, and a model that it lacks stays as it is")
  func writes() async throws {
    try await fill()
    try await a.store.insert(SharedTag(name: "x"))
    await a.store.close()
    let plain = try Store(at: a.path, for: SharedKind.self)
    try await plain.insert(SharedKind(id: "d", title: "d"))
    try await plain.delete(SharedKind.self, "a")
    try await plain.documents("people").update("ada", ["name": "Augusta"])
    try await plain.documents("people").delete("bea")
    try await plain.documents("places").save("graz", ["name": "Graz"])
    await plain.close()
    _ = try await meet()
    #expect(try await b.store.fetch(SharedKind.all.sorted(by: \.id)).map(\.id) == ["b", "c", "d"])
    #expect(try await b.store.documents("people").find("ada")?["name"] == "Augusta")
    #expect(try await b.store.documents("people").count() == 1)
    #expect(try await b.store.documents("places").count() == 1)
    #expect(try await b.store.count(SharedTag.all) == 1)
  }

  @Test("a program without sync removes no collection, and is told how to")
  func collection() async throws {
    try await fill()
    await a.store.close()
    let plain = try Store(at: a.path, for: SharedKind.self)
    let error = await #expect(throws: StoreError.self) { try await plain.documents("people").deleteCollection() }
    #expect(error?.code == .unsupported && error?.message.contains("LarderSync") == true)
    #expect(try await plain.documents("people").count() == 2)
    await plain.close()
    let again = try await meet()
    try await again.store.documents("people").deleteCollection()
    await again.store.close()
    _ = try await meet()
    #expect(try await b.store.documents("people").count() == 0)
  }

  @Test("a program without sync changes no model of the file, whatever it declares", arguments: [0, 1])
  func models(number: Int) async throws {
    let wide = try Replica([WideItem.self])
    try await wide.store.insert(WideItem(id: "a", title: "A", size: 1))
    await wide.store.close()
    let models: [any Model.Type] = [[NarrowItem.self], [IndexedItem.self]][number]
    do {
      let plain = try Store(at: wide.path, for: models)
      try await plain.sql("UPDATE Item SET title = 'B'")
      await plain.close()
    } catch let error as StoreError {
      #expect(error.code == .unsupported && error.message.contains("LarderSync"))
    }
    let again = try Replica(folder: wide.folder, [WideItem.self])
    let other = try Replica([WideItem.self])
    try await again.exchange(with: other)
    try await expectEqual([again, other])
    #expect(try await other.store.find(WideItem.self, "a")?.size == 1)
  }

  /// Copies a table under its name, as tools that edit schemas do, and calls the SQL in between.
  private func rebuild(_ statements: String) async throws {
    let schema = try await a.store.sql("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'SharedKind'")
    guard case .text(let sql)? = schema.first?["sql"] else { throw StoreError(.corrupt, ofModel: nil, "no table") }
    await a.store.close()
    try a.executeOutside(
      """
      \(sql.replacing("SharedKind", with: "rebuilt")); INSERT INTO rebuilt SELECT * FROM SharedKind; \(statements); \
      DROP TABLE SharedKind; ALTER TABLE rebuilt RENAME TO SharedKind
      """)
  }

  @Test("S20: a table that a tool has rebuilt is tracked again, and what came and went meanwhile is sent")
  func rebuilding() async throws {
    try await fill()
    try await b.setClock(past: a)
    try await b.store.updateAll(SharedKind.where { $0.id == "b" }) { $0.title.set("edited") }
    try await rebuild(
      "DELETE FROM rebuilt WHERE id = 'a'; INSERT INTO rebuilt (id, title) VALUES ('new', 'n')")
    let again = try await meet()
    #expect(try await b.store.fetch(SharedKind.all.sorted(by: \.id)).map(\.id) == ["b", "c", "new"])
    #expect(try await again.store.find(SharedKind.self, "b")?.title == "edited")
    try await again.store.updateAll(SharedKind.where { $0.id == "c" }) { $0.title.set("later") }
    await again.store.close()
    _ = try await meet()
    #expect(try await b.store.find(SharedKind.self, "c")?.title == "later")
  }

  @Test("what was written while triggers were off is found, and becomes changes")
  func untracked() async throws {
    try await fill()
    #expect(try await a.store.sync.untrackedChanges().isEmpty)
    let triggers = try await a.store.sql(
      "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND (tbl_name = 'SharedKind' OR name GLOB '*track*insert')"
    )
    await a.store.close()
    let drop = triggers.map { "DROP TRIGGER \($0["name"]?.text ?? "")" }
    let create = triggers.map { $0["sql"]?.text ?? "" }
    try a.executeOutside(
      (drop + [
        "DELETE FROM SharedKind WHERE id IN ('a', 'b')", "INSERT INTO SharedKind (id, title) VALUES ('new', 'n')",
      ] + create).joined(separator: ";\n"))
    let again = try reopen()
    let changes = try await again.store.sync.untrackedChanges()
    let change = try #require(changes.first)
    #expect(changes.count == 1)
    #expect(change.model == "SharedKind" && change.table == "SharedKind")
    #expect((change.lacksTriggers, change.unknownRows, change.missingRows) == (false, 1, 2))
    #expect(change.description.contains("recordUntrackedChanges") && !change.description.contains("new"))
    #expect(try await again.store.sync.recordUntrackedChanges() == changes)
    #expect(try await again.store.sync.untrackedChanges().isEmpty)
    #expect(try await again.store.sync.recordUntrackedChanges().isEmpty)
    await again.store.close()
    let last = try await meet()
    #expect(try await b.store.fetch(SharedKind.all.sorted(by: \.id)).map(\.id) == ["c", "new"])
    try await last.store.insert(SharedKind(id: "later", title: "l"))
    await last.store.close()
    _ = try await meet()
    #expect(try await b.store.count(SharedKind.all) == 3)
  }

  @Test("any trigger of tracking that is missing is found and made anew, those of collections too")
  func missingTriggers() async throws {
    try await fill()
    let triggers = try await a.store.sql(
      "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name GLOB '_larder_sync_track_[0-9]*'"
    ).compactMap { $0["name"]?.text }
    #expect(triggers.count > 8)
    for trigger in triggers {
      try await a.store.writingModule { try $0.execute("DROP TRIGGER main.\(trigger)") }
      let changes = try await a.store.sync.untrackedChanges()
      #expect(changes.map(\.lacksTriggers) == [true], "\(trigger)")
      try await a.store.sync.recordUntrackedChanges()
      #expect(try await a.store.sync.untrackedChanges().isEmpty, "\(trigger)")
    }
    try await a.store.insert(SharedKind(id: "d", title: "d"))
    try await a.store.documents("people").delete("bea")
    try await a.exchange(with: b)
    try await expectEqual([a, b])
    #expect(try await b.store.count(SharedKind.all) == 4)
    #expect(try await b.store.documents("people").count() == 1)
  }

  @Test("untracked changes are nobody's in a file whose sync is off")
  func untrackedWithoutSync() async throws {
    try await a.store.sync.disable()
    let error = await #expect(throws: StoreError.self) { try await a.store.sync.untrackedChanges() }
    #expect(error?.code == .unsupported)
    await #expect(throws: StoreError.self) { try await a.store.sync.recordUntrackedChanges() }
  }

  @Test("S20: a row that was deleted, and is back in a rebuilt table, is a new one")
  func returning() async throws {
    try await fill()
    try await a.store.delete(SharedKind.self, "a")
    try await a.exchange(with: b)
    try await rebuild("INSERT INTO rebuilt (id, title) VALUES ('a', 'again')")
    _ = try await meet()
    #expect(try await b.store.find(SharedKind.self, "a")?.title == "again")
  }

  @Test(
    "S20: a table that a tool has removed or renamed has lost its rows, on all replicas",
    arguments: ["DROP TABLE SharedKind", "ALTER TABLE SharedKind RENAME TO Elsewhere"])
  func removing(statement: String) async throws {
    try await fill()
    await a.store.close()
    try a.executeOutside(statement)
    let again = try await meet()
    #expect(try await b.store.count(SharedKind.all) == 0)
    #expect(try await b.store.documents("people").count() == 2)
    try await again.store.insert(SharedKind(id: "a", title: "new"))
    await again.store.close()
    _ = try await meet()
    #expect(try await b.store.find(SharedKind.self, "a")?.title == "new")
  }

  @Test("a table that a migration with sync removes stays on other replicas")
  func droppingMigration() async throws {
    let models: [any Model.Type] = [WideItem.self, SharedPage.self]
    let (one, other) = (try Replica(models), try Replica(models))
    try await one.store.insert(WideItem(id: "a", title: "A"))
    try await one.exchange(with: other)
    await one.store.close()
    var configuration = Store.Configuration(sync: .on)
    configuration.migrations = [Migration("drop") { _ = try $0.sql("DROP TABLE Item") }]
    let again = try Replica(folder: one.folder, [SharedPage.self], configuration: configuration)
    try await again.exchange(with: other)
    #expect(try await other.store.count(WideItem.all) == 1)
    try await other.store.insert(WideItem(id: "b", title: "B"))
    try await again.exchange(with: other)
    let third = try Replica(models)
    try await third.exchange(with: again)
    #expect(try await third.store.find(WideItem.self, "b")?.title == "B")
  }

  @Test("the rows of a table that a migration with sync empties are deleted everywhere, and the table goes on")
  func emptyingMigration() async throws {
    var configuration = Store.Configuration(sync: .on)
    configuration.migrations = [Migration("drop") { _ = try $0.sql("DROP TABLE SharedPage") }]
    let pages = try Replica([SharedPage.self])
    try await pages.store.insert(SharedPage(id: "a"))
    let other = try Replica([SharedPage.self])
    try await pages.exchange(with: other)
    await pages.store.close()
    let again = try Replica(folder: pages.folder, [SharedPage.self], configuration: configuration)
    try await again.store.insert(SharedPage(id: "b"))
    try await again.exchange(with: other)
    try await other.exchange(with: again)
    try await expectEqual([again, other])
    #expect(try await other.store.fetch(SharedPage.all).map(\.id) == ["b"])
  }

  private func replace(_ statement: String) async throws {
    try await a.store.insert(SharedTag(name: "x"))
    try await a.store.insert(SharedTag(name: "y"))
    try await a.exchange(with: b)
    try a.executeOutside(statement.replacing("NEW", with: "randomblob(16)"))
    try await a.exchange(with: b)
    try await b.exchange(with: a)
    try await expectEqual([a, b])
  }

  @Test(
    "S20: a row that the command line replaces, because another gets its unique value, is deleted everywhere",
    arguments: [
      "INSERT OR REPLACE INTO SharedTag (id, name) VALUES (NEW, 'x')",
      "REPLACE INTO SharedTag (id, name) SELECT id, 'x' FROM SharedTag WHERE name = 'y'",
      "UPDATE OR REPLACE SharedTag SET name = 'x' WHERE name = 'y'",
    ])
  func replacing(statement: String) async throws {
    try await replace(statement)
    #expect(try await b.store.count(SharedTag.where { $0.name == "x" }) == 1)
    #expect(try await b.store.count(SharedTag.all) == (statement.contains("NEW") ? 2 : 1))
  }

  @Test(
    "S20: a row that keeps its unique value from another stays, whatever the command line does about it",
    arguments: [
      "INSERT OR IGNORE INTO SharedTag (id, name) VALUES (NEW, 'x')",
      "INSERT OR IGNORE INTO SharedTag (id, name) VALUES (NEW, 'x'); INSERT INTO SharedTag (id, name) VALUES (NEW, 'z')",
      "UPDATE OR IGNORE SharedTag SET name = 'x' WHERE name = 'y'; UPDATE SharedTag SET name = 'z' WHERE name = 'y'",
      "INSERT INTO SharedTag (id, name) VALUES (NEW, 'x') ON CONFLICT (name) DO UPDATE SET name = 'z'",
    ])
  func ignoring(statement: String) async throws {
    try await replace(statement)
    let names = Set(try await b.store.fetch(SharedTag.all).map(\.name))
    #expect(names.isSuperset(of: statement.contains("DO UPDATE") ? ["y", "z"] : ["x"]))
    #expect(try await b.store.count(SharedTag.all) == (statement.contains("; INSERT") ? 3 : 2))
  }
}
