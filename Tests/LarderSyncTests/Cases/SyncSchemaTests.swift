import Foundation
import Larder
import LarderTestSupport
import Testing

@testable import LarderSync

@Model("Item")
private struct FirstItem: Hashable {
  var id: UUID = .v7()
  var title: String
  var size: Int = 0
}

@Model("Item")
private struct SecondItem: Hashable {
  var id: UUID = .v7()
  @Attribute(originalName: "title") var name: String
  var color: String = "red"
  @Attribute(.unique) var code: String?
}

@Model("Extra")
private struct Extra: Hashable {
  var id: UUID = .v7()
  var item: ToOne<SecondItem>
}

@Model("Page")
private struct FirstPage: Hashable {
  var id: String
  var text: String = ""
}

@Model("Page")
private struct SecondPage: Hashable {
  var id: String
  var text: String = ""
  @Attribute(.counter) var stars = 0
}

@Model("Lamp")
private struct FirstLamp: Hashable {
  var id: String
  var title: String = ""
  var size: Int = 0
  var note: String?
  @Relationship(deleteRule: .cascade) var shelf: ToOne<FirstPage>?
}

/// Numbers have other types, and the note is required.
@Model("Lamp")
private struct SecondLamp: Hashable {
  var id: String
  var title: String = ""
  @Attribute(.unique) var size: Double = 0
  var note: String = "none"
  @Relationship(deleteRule: .cascade) var shelf: ToOne<FirstPage>?
}

/// A lamp that stays when its shelf is deleted.
@Model("Lamp")
private struct LooseLamp: Hashable {
  var id: String
  var title: String = ""
  var size: Int = 0
  var note: String?
  @Relationship(deleteRule: .nullify) var shelf: ToOne<FirstPage>?
}

@Model("Bulb")
private struct FirstBulb: Hashable {
  var id: String
  @Relationship(deleteRule: .cascade) var shelf: ToOne<FirstPage>?
  @Relationship(deleteRule: .cascade) var room: ToOne<FirstPage>?
  @Relationship(deleteRule: .cascade) var next: ToOne<FirstBulb>?
}

/// A bulb that stays when its shelf is deleted, and goes with its room.
@Model("Bulb")
private struct LooseBulb: Hashable {
  var id: String
  @Relationship(deleteRule: .nullify) var shelf: ToOne<FirstPage>?
  @Relationship(deleteRule: .cascade) var room: ToOne<FirstPage>?
  @Relationship(deleteRule: .cascade) var next: ToOne<LooseBulb>?
}

@Model("Lamp")
private struct BareLamp: Hashable {
  var id: String
  var title: String = ""
  var size: Int = 0
  var note: String?
}

@Suite("Sync: models of two versions", .overEachTransport)
struct SyncSchemaTests {
  @Test("S16: numbers of another type, and a note that became required, show in the form of each app")
  func otherTypes() async throws {
    var old = try Replica([FirstLamp.self, FirstPage.self])
    let new = try Replica([SecondLamp.self, FirstPage.self])
    try await old.store.insert([
      FirstLamp(id: "a", size: 7), FirstLamp(id: "b", size: 8, note: "old"),
    ])
    try await new.store.insert(SecondLamp(id: "c", size: 3, note: "new"))
    for _ in 0..<2 { try await old.exchange(with: new) }
    #expect(try await new.store.find(SecondLamp.self, "a") == SecondLamp(id: "a", size: 7, note: "none"))
    #expect(try await old.store.find(FirstLamp.self, "c") == FirstLamp(id: "c", size: 3, note: "new"))
    for replica in [old, new] { #expect(try await replica.shownRows() == replica.expectedRows()) }
    // A row that is edited keeps what the other app wrote in its form.
    try await old.store.updateAll(FirstLamp.where { $0.id == "c" }) { $0.title.set("C") }
    try await new.store.updateAll(SecondLamp.where { $0.id == "c" }) { $0.size.set(4.5) }
    for _ in 0..<2 { try await old.exchange(with: new) }
    #expect(try await new.store.find(SecondLamp.self, "c")?.title == "C")
    // 4.5 is no Int.
    #expect(try await old.store.sync.setAside().map(\.reason) == [.incomplete])
    try await new.store.updateAll(SecondLamp.where { $0.id == "c" }) { $0.size.set(5) }
    for _ in 0..<2 { try await old.exchange(with: new) }
    try await old.store.updateAll(FirstLamp.where { $0.id == "c" }) { $0.size.set(7) }
    for _ in 0..<2 { try await old.exchange(with: new) }
    // The sizes are equal as numbers, so one of the lamps is a duplicate where they must differ.
    #expect(try await old.store.find(FirstLamp.self, "c")?.size == 7)
    #expect(try await new.store.find(SecondLamp.self, "c") == nil)
    for replica in [old, new] { #expect(try await replica.shownRows() == replica.expectedRows()) }
    try await new.store.deleteAll(SecondLamp.where { $0.id == "a" })
    for _ in 0..<2 { try await old.exchange(with: new) }
    #expect(try await new.store.find(SecondLamp.self, "c")?.size == 7)
    let report = try await old.exchange(with: new)
    #expect(report.sent == 0 && report.received == 0)
    old = try await old.reopened(SecondLamp.self, FirstPage.self)
    for _ in 0..<2 { try await old.exchange(with: new) }
    #expect(try await old.shownRows() == new.shownRows())
    #expect(try await old.shownRows() == old.expectedRows())
  }

  @Test("S16: what was set aside before the types changed is shown in their form when it returns")
  func heldWithOtherTypes() async throws {
    var (a, b) = (try Replica([FirstLamp.self, FirstPage.self]), try Replica([FirstLamp.self, FirstPage.self]))
    try await a.store.insert(FirstPage(id: "p"))
    try await a.exchange(with: b)
    try await a.store.deleteAll(FirstPage.all)
    try await b.store.insert(FirstLamp(id: "a", size: 7, shelf: ToOne("p")))
    for _ in 0..<2 { try await a.exchange(with: b) }
    a = try await a.reopened(SecondLamp.self, FirstPage.self)
    b = try await b.reopened(SecondLamp.self, FirstPage.self)
    try await a.store.insert(FirstPage(id: "p"))
    for _ in 0..<2 { try await a.exchange(with: b) }
    for replica in [a, b] {
      #expect(try await replica.store.find(SecondLamp.self, "a")?.size == 7)
      #expect(try await replica.shownRows() == replica.expectedRows())
    }
  }

  @Test("S6, S16: what went with a deleted row stays away when newer models no longer let it go with that row")
  func goneWithLoosenedReference() async throws {
    for model in [LooseLamp.self, BareLamp.self] as [any Model.Type] {
      var (a, b) = (try Replica([FirstLamp.self, FirstPage.self]), try Replica([FirstLamp.self, FirstPage.self]))
      try await a.store.insert([FirstPage(id: "p"), FirstPage(id: "q")])
      try await a.store.insert([FirstLamp(id: "gone", shelf: ToOne("p")), FirstLamp(id: "kept", shelf: ToOne("q"))])
      try await a.exchange(with: b)
      try await a.store.deleteAll(FirstPage.where { $0.id == "p" })
      for _ in 0..<2 { try await a.exchange(with: b) }
      let gone = RowKey(table: "Lamp", key: [.init("gone")])
      for replica in [a, b] { #expect(try await replica.statuses()[gone] == .cascaded) }
      a = try await a.reopened(model, FirstPage.self)
      for _ in 0..<2 { try await a.exchange(with: b) }
      b = try await b.reopened(model, FirstPage.self)
      for _ in 0..<2 { try await a.exchange(with: b) }
      for replica in [a, b] {
        let shown = try await replica.shownRows()
        #expect(shown.keys.filter { $0.table == "Lamp" }.map(\.key) == [[.init("kept")]])
        #expect(try await shown == replica.expectedRows())
        #expect(try await replica.statuses()[gone] == .deleted)
      }
    }
  }

  @Test("S6, S16: a row that went with two rows, and still goes with one of them, returns with that one")
  func goneWithOneOfTwo() async throws {
    var a = try Replica([FirstBulb.self, FirstPage.self])
    try await a.store.insert([FirstPage(id: "p"), FirstPage(id: "q")])
    try await a.store.insert([
      FirstBulb(id: "gone", shelf: ToOne("p"), room: ToOne("q")),
      FirstBulb(id: "behind", shelf: ToOne("p"), next: ToOne("gone")), FirstBulb(id: "self", shelf: ToOne("p")),
      FirstBulb(id: "left", shelf: ToOne("p")), FirstBulb(id: "right", shelf: ToOne("p"), next: ToOne("left")),
    ])
    try await a.store.updateAll(FirstBulb.where { $0.id == "self" }) { $0.next.set(ToOne("self")) }
    try await a.store.updateAll(FirstBulb.where { $0.id == "left" }) { $0.next.set(ToOne("right")) }
    try await a.store.deleteAll(FirstPage.all)
    a = try await a.reopened(LooseBulb.self, FirstPage.self)
    try await a.store.insert(FirstPage(id: "p"))
    #expect(try await a.store.sync.setAside().isEmpty)
    for id in ["gone", "behind"] {
      #expect(try await a.statuses()[RowKey(table: "Bulb", key: [.init(id)])] == .cascaded)
    }
    try await a.store.insert(FirstPage(id: "q"))
    let b = try Replica([LooseBulb.self, FirstPage.self])
    try await a.exchange(with: b)
    for replica in [a, b] {
      #expect(try await replica.store.fetch(LooseBulb.all.sorted(by: \.id)).map(\.id) == ["behind", "gone"])
    }
  }

  @Test("S16: the older program keeps what it doesn't know, hands it on, and has it after its own update")
  func versions() async throws {
    let new = try Replica([SecondItem.self, Extra.self])
    var old = try Replica([FirstItem.self])
    let item = SecondItem(name: "Lamp", color: "blue", code: "L1")
    try await new.store.insert(item)
    try await new.store.insert(Extra(item: ToOne(item)))
    try await old.exchange(with: new)
    #expect(try await old.store.find(FirstItem.self, item.id)?.title == "Lamp")
    try await old.store.updateAll(FirstItem.all) {
      $0.title.set("Light")
      $0.size.set(3)
    }
    try await old.exchange(with: new)
    #expect(
      try await new.store.find(SecondItem.self, item.id)
        == SecondItem(id: item.id, name: "Light", color: "blue", code: "L1"))

    let third = try Replica([SecondItem.self, Extra.self])
    try await old.exchange(with: third)
    #expect(try await third.rows() == new.rows())

    old = try await old.reopened(SecondItem.self, Extra.self)
    try await old.exchange(with: new)
    try await new.exchange(with: old)
    // The column of the removed property is still in the table of the older file.
    #expect(try await old.shownRows() == new.shownRows())
    #expect(try await old.state() == new.state())
    #expect(try await old.store.find(SecondItem.self, item.id)?.color == "blue")
    #expect(try await old.store.find(SecondItem.self, item.id)?.code == "L1")
    #expect(try await old.store.count(Extra.all) == 1)
  }

  @Test("S16: a row that the older program inserts again keeps what that one doesn't know, on all replicas")
  func insertedAgain() async throws {
    let new = try Replica([SecondItem.self])
    var old = try Replica([FirstItem.self])
    let item = SecondItem(name: "Lamp", color: "blue", code: "L1")
    try await new.store.insert(item)
    try await old.exchange(with: new)
    try await old.store.delete(FirstItem.self, item.id)
    try await old.store.insert(FirstItem(id: item.id, title: "Light"))
    old = try await updated(old, SecondItem.self, after: new)
    for replica in [old, new] {
      let found = try await replica.store.find(SecondItem.self, item.id)
      #expect(found == SecondItem(id: item.id, name: "Light", color: "blue", code: "L1"))
      #expect(try await replica.store.sync.conflicts().isEmpty)
    }
    #expect(try await old.state() == new.state())
  }

  @Test("S16: a row that the older program inserted, deleted and inserted again has the same defaults on all replicas")
  func insertedAgainWithDefaults() async throws {
    let new = try Replica([SecondItem.self])
    var old = try Replica([FirstItem.self])
    let item = FirstItem(title: "Lamp")
    try await old.store.insert(item)
    try await old.exchange(with: new)
    try await old.store.delete(FirstItem.self, item.id)
    try await old.store.insert(FirstItem(id: item.id, title: "Light"))
    old = try await updated(old, SecondItem.self, after: new)
    #expect(try await new.store.find(SecondItem.self, item.id) == SecondItem(id: item.id, name: "Light"))
    #expect(try await old.state() == new.state())
    #expect(try await old.shownRows() == new.shownRows())
  }

  @Test("what the older program hadn't heard of when it inserted a row again is listed")
  func insertedAgainUnseen() async throws {
    let new = try Replica([SecondItem.self])
    var old = try Replica([FirstItem.self])
    let (sent, own) = (SecondItem(name: "Lamp", color: "blue"), FirstItem(title: "Chair"))
    try await new.store.insert(sent)
    try await old.store.insert(own)
    try await old.exchange(with: new)
    try await new.exchange(with: old)
    try await new.store.updateAll(SecondItem.where { $0.id == sent.id }) { $0.color.set("green") }
    try await new.store.updateAll(SecondItem.where { $0.id == own.id }) { $0.color.set("black") }
    for item in [FirstItem(id: sent.id, title: "Light"), own] {
      try await old.store.delete(FirstItem.self, item.id)
      try await old.store.insert(item)
    }
    old = try await updated(old, SecondItem.self, after: new)
    let rows = [SecondItem(id: sent.id, name: "Light", color: "blue"), SecondItem(id: own.id, name: "Chair")]
    for row in rows {
      #expect(try await new.store.find(SecondItem.self, row.id) == row)
      #expect(try await old.store.find(SecondItem.self, row.id) == row)
    }
    #expect(try await old.state() == new.state())
    let conflicts = try await new.store.sync.conflicts()
    #expect(conflicts.map(\.lost).sorted { "\($0)" < "\($1)" } == ["black", "green"])
    for conflict in conflicts { try await new.store.sync.restore(conflict) }
    #expect(try await new.store.find(SecondItem.self, sent.id)?.color == "green")
    #expect(try await new.store.find(SecondItem.self, own.id)?.color == "black")
  }

  @Test("S16: an older program that inserts a row again keeps counters that it doesn't know")
  func insertedAgainWithCounter() async throws {
    let new = try Replica([SecondPage.self])
    var old = try Replica([FirstPage.self])
    try await new.store.insert(SecondPage(id: "p", stars: 3))
    try await old.exchange(with: new)
    try await new.store.updateAll(SecondPage.all) { $0.stars.increment(by: 2) }
    try await old.store.delete(FirstPage.self, "p")
    try await old.store.insert(FirstPage(id: "p", text: "again"))
    old = try await updated(old, SecondPage.self, after: new)
    for replica in [old, new] {
      // What was added meanwhile was not seen.
      #expect(try await replica.store.fetch(SecondPage.all) == [SecondPage(id: "p", text: "again", stars: 3)])
    }
    #expect(try await old.state() == new.state())
    let conflict = try #require(try await new.store.sync.conflicts().first)
    #expect(conflict.isAddition && conflict.lost == 2)
    try await old.store.updateAll(SecondPage.all) { $0.stars.increment(by: 10) }
    try await old.exchange(with: new)
    try await new.exchange(with: old)
    #expect(try await new.store.fetch(SecondPage.all).map(\.stars) == [13])
    #expect(try await old.state() == new.state())
  }

  @Test(
    "what a counter had in a former life of its row stays there, when a program inserts the row that doesn't know it")
  func formerLives() async throws {
    let other = try Replica([SecondPage.self])
    var replica = try Replica([SecondPage.self])
    try await replica.store.insert(SecondPage(id: "p", stars: 3))
    try await replica.store.delete(SecondPage.self, "p")
    try await replica.store.insert(SecondPage(id: "p"))
    replica = try await replica.reopened(FirstPage.self)
    try await replica.store.delete(FirstPage.self, "p")
    try await replica.store.insert(FirstPage(id: "p"))
    try await replica.exchange(with: other)
    #expect(try await other.store.fetch(SecondPage.all).map(\.stars) == [0])
  }

  @Test("S17: a copy adds to a counter that an older program has taken over into a new life of the row")
  func copiedCounter() async throws {
    let new = try Replica([SecondPage.self])
    let old = try Replica([FirstPage.self])
    try await new.store.insert(SecondPage(id: "p", stars: 3))
    try await old.exchange(with: new)
    try await old.store.delete(FirstPage.self, "p")
    try await old.store.insert(FirstPage(id: "p"))
    try await old.exchange(with: new)
    let folder = try TemporaryFolder()
    try await new.store.backup(to: folder.file("test.larder"))
    let copy = try Replica(folder: folder, [SecondPage.self])
    try await copy.store.updateAll(SecondPage.all) { $0.stars.increment(by: 10) }
    for _ in 0..<2 {
      try await copy.exchange(with: new)
      try await new.exchange(with: old)
      try await old.exchange(with: copy)
    }
    for replica in [new, copy] {
      #expect(try await replica.store.fetch(SecondPage.all).map(\.stars) == [13])
    }
    #expect(try await copy.state() == new.state())
  }

  @Test("a row that came back while nobody tracked its table keeps what the program doesn't know")
  func returned() async throws {
    let new = try Replica([SecondItem.self])
    let old = try Replica([FirstItem.self])
    let item = SecondItem(name: "Lamp", color: "blue", code: "L1")
    try await new.store.insert(item)
    try await old.exchange(with: new)
    try await old.store.delete(FirstItem.self, item.id)
    let found = try await old.store.sql("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'Item'")
    let declaration = try #require(found.first?["sql"]?.text)
    await old.store.close()
    let key = withUnsafeBytes(of: item.id.uuid) { $0.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) } }
    try old.executeOutside(
      """
      \(declaration.replacing("Item", with: "rebuilt")); INSERT INTO rebuilt (id, title, size) VALUES (x'\(key.joined())', 'Light', 0); \
      DROP TABLE Item; ALTER TABLE rebuilt RENAME TO Item
      """)
    let again = try await old.reopened(FirstItem.self)
    try await again.exchange(with: new)
    try await new.exchange(with: again)
    let row = SecondItem(id: item.id, name: "Light", color: "blue", code: "L1")
    #expect(try await new.store.find(SecondItem.self, item.id) == row)
    #expect(try await again.state() == new.state())
  }

  /// Sends what the replica has, and opens it with newer models before it hears what the other one makes of that.
  private func updated(_ replica: Replica, _ models: any Model.Type..., after other: Replica) async throws -> Replica {
    let cursor = try await other.store.sync.cursor(of: replica.store.sync.replica())
    let changes = try await replica.store.sync.changes(after: cursor, for: other.store.sync.replica(), limit: 100)
    try await other.store.sync.apply(changes)
    await replica.store.close()
    let updated = try Replica(folder: replica.folder, models)
    try await updated.exchange(with: other)
    try await other.exchange(with: updated)
    return updated
  }

  @Test("S16: a property that was removed keeps its values for replicas that have it")
  func removedProperty() async throws {
    let old = try Replica([FirstItem.self])
    var new = try Replica([FirstItem.self])
    let item = FirstItem(title: "Lamp", size: 7)
    try await new.store.insert(item)
    new = try await new.reopened(SecondItem.self)
    try await new.store.updateAll(SecondItem.all) { $0.name.set("Light") }
    try await new.exchange(with: old)
    #expect(try await old.store.find(FirstItem.self, item.id) == FirstItem(id: item.id, title: "Light", size: 7))
  }

  @Test("what a migration writes is sent, and a column that it drops may go")
  func migration() async throws {
    var a = try Replica([FirstItem.self])
    let b = try Replica([SecondItem.self])
    let item = FirstItem(title: "Lamp", size: 7)
    try await a.store.insert(item)
    try await a.exchange(with: b)
    let migration = Migration("colors") { db in
      _ = try db.sql("UPDATE Item SET color = 'size ' || size, name = name || '!'")
      _ = try db.sql("ALTER TABLE Item DROP COLUMN size")
    }
    a = try await a.reopened(SecondItem.self, migrations: [migration])
    try await a.exchange(with: b)
    #expect(try await b.store.find(SecondItem.self, item.id) == SecondItem(id: item.id, name: "Lamp!", color: "size 7"))
  }

  @Test("what a migration writes is sent, if others have the rows already without this file having heard of them")
  func migrationAfterPulling() async throws {
    var a = try Replica([FirstItem.self])
    let b = try Replica([SecondItem.self])
    let item = FirstItem(title: "Lamp", size: 7)
    try await a.store.insert(item)
    // Whoever takes changes, or a file of them, lets the sender settle nothing.
    let cursor = try await b.store.sync.cursor(of: a.store.sync.replica())
    let changes = try await a.store.sync.changes(after: cursor, for: b.store.sync.replica(), limit: 100)
    try await b.store.sync.apply(changes)
    #expect(try await b.store.find(SecondItem.self, item.id)?.color == "red")
    let migration = Migration("colors") { db in _ = try db.sql("UPDATE Item SET color = 'of ' || name") }
    a = try await a.reopened(SecondItem.self, migrations: [migration])
    try await a.exchange(with: b)
    #expect(try await b.store.find(SecondItem.self, item.id)?.color == "of Lamp")
    #expect(try await a.state() == b.state())
  }

  @Test("a program that knows the models from the file alone shows rows of the older program with the defaults")
  func defaultsOfFile() async throws {
    let old = try Replica([FirstItem.self])
    var new = try Replica([SecondItem.self])
    let item = FirstItem(title: "Lamp")
    try await old.store.insert(item)
    let file = old.folder.file("changes")
    try await old.store.sync.export(to: file)
    await new.store.close()
    let tool = try Store(at: new.path, configuration: Store.Configuration(schema: .existing))
    let report = try await tool.sync.import(from: file)
    #expect(report.setAside == 0)
    #expect(try await tool.sync.setAside().isEmpty)
    await tool.close()
    new = try Replica(folder: new.folder, [SecondItem.self])
    #expect(try await new.store.find(SecondItem.self, item.id) == SecondItem(id: item.id, name: "Lamp"))
  }

  @Test("rows that a file without defaults has set aside are visible once a program with the model opens it")
  func defaultsComeLater() async throws {
    let old = try Replica([FirstItem.self])
    var new = try Replica([SecondItem.self])
    let item = FirstItem(title: "Lamp")
    try await old.store.insert(item)
    let changes = old.folder.file("changes")
    try await old.store.sync.export(to: changes)
    // Files of earlier versions describe no defaults.
    try await new.store.writingModule { connection in
      let found = try connection.first(
        "SELECT description FROM \(SyncTables.tables) WHERE name = 'Item'"
      ) { $0.bytes(0) }
      let description = try #require(found)
      var object = try #require(try JSONSerialization.jsonObject(with: description) as? [String: Any])
      let columns = try #require(object["columns"] as? [[String: Any]])
      object["columns"] = columns.map { $0.filter { $0.key != "constantDefault" } }
      let former = try JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
      #expect(former != description)
      try connection.transaction {
        try Tracker(connection).change(
          "UPDATE \(SyncTables.tables) SET description = ?1 WHERE name = 'Item'", [.blob(former)])
      }
    }
    await new.store.close()
    let tool = try Store(at: new.path, configuration: Store.Configuration(schema: .existing))
    #expect(try await tool.sync.import(from: changes).setAside == 1)
    await tool.close()
    new = try Replica(folder: new.folder, [SecondItem.self])
    #expect(try await new.store.sync.setAside().isEmpty)
    #expect(try await new.store.find(SecondItem.self, item.id) == SecondItem(id: item.id, name: "Lamp"))
  }

  @Test("a tracked file is not migrated by a program without sync")
  func withoutSync() async throws {
    let replica = try Replica([FirstItem.self])
    try await replica.store.insert(FirstItem(title: "Lamp"))
    await replica.store.close()
    #expect {
      _ = try Store(at: replica.path, for: SecondItem.self)
    } throws: { error in
      (error as? StoreError)?.code == .unsupported && "\(error)".contains("LarderSync")
    }
    let again = try Store(at: replica.path, for: FirstItem.self)
    try await again.insert(FirstItem(title: "Tracked"))
    #expect(try await again.history().changes.count == 2)
  }

  @Test("a model whose key is counted is refused, with the remedy, and the file stays without sync")
  func countedKeys() async throws {
    let replica = try Replica([CountedItem.self], configuration: .init())
    let error = await #expect(throws: StoreError.self) { try await replica.store.sync.enable() }
    #expect(error?.code == .unsupported)
    #expect(error?.model == "CountedItem")
    #expect(error?.message.contains("UUID") == true)
    #expect(try await !replica.store.sync.isEnabled())
  }
}

@Model
private struct CountedItem {
  var id: Int
}
