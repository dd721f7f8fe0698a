import Foundation
import Larder
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

@Suite("Sync: models of two versions", .overEachTransport)
struct SyncSchemaTests {
  private func reopened(
    _ replica: Replica, _ models: any Model.Type..., migrations: [Migration] = []
  ) async throws -> Replica {
    await replica.store.close()
    var configuration = Store.Configuration(sync: .on)
    configuration.migrations = migrations
    return try Replica(folder: replica.folder, models, configuration: configuration)
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

    old = try await reopened(old, SecondItem.self, Extra.self)
    try await old.exchange(with: new)
    try await new.exchange(with: old)
    // The column of the removed property is still in the table of the older file.
    #expect(try await old.shownRows() == new.shownRows())
    #expect(try await old.state() == new.state())
    #expect(try await old.store.find(SecondItem.self, item.id)?.color == "blue")
    #expect(try await old.store.find(SecondItem.self, item.id)?.code == "L1")
    #expect(try await old.store.count(Extra.all) == 1)
  }

  @Test("S16: a property that was removed keeps its values for replicas that have it")
  func removedProperty() async throws {
    let old = try Replica([FirstItem.self])
    var new = try Replica([FirstItem.self])
    let item = FirstItem(title: "Lamp", size: 7)
    try await new.store.insert(item)
    new = try await reopened(new, SecondItem.self)
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
    a = try await reopened(a, SecondItem.self, migrations: [migration])
    try await a.exchange(with: b)
    #expect(try await b.store.find(SecondItem.self, item.id) == SecondItem(id: item.id, name: "Lamp!", color: "size 7"))
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
