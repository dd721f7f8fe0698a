import Foundation
import Larder
import Testing

private enum First {
  @Model("Note")
  struct Note: Hashable {
    var id: Int
    var title: String
    var note: String?
  }
}

private enum Second {
  @Model("Note")
  struct Note: Hashable {
    var id: Int
    var title: String
    var note: String = "none"
  }

  @Model("Note")
  struct WithoutDefault: Hashable {
    var id: Int
    var title: String
    var note: String
  }

  @Model("Remark")
  struct Renamed: Hashable {
    var id: Int
    var title: String
    var note: String?
  }
}

@Suite("What named migrations and plans see of rows from before")
struct RequiredBeforeMigrationTests {
  private let file: StoreFile

  init() throws {
    file = try StoreFile()
    try file.write([First.Note(id: 1, title: "a", note: nil), First.Note(id: 2, title: "b", note: "x")])
  }

  @Test("a migration reads a property that became required with its default")
  func readsDefault() throws {
    let migration = Migration("read") { db in
      for note in try db.fetch(Second.Note.all) {
        try db.update(Second.Note(id: note.id, title: note.title + note.note, note: note.note))
      }
    }
    let store = try file.open(Second.Note.self, migrations: [migration])
    #expect(try store.blocking.fetch(Second.Note.all.sorted(by: \.id)).map(\.title) == ["anone", "bx"])
  }

  @Test("where there is no default the error names a remedy that works")
  func namesRemedy() throws {
    let reading = Migration("read") { db in _ = try db.fetch(Second.WithoutDefault.all) }
    try file.expectRefusal(.migrationFailed, naming: "fill the column with SQL in a migration") {
      _ = try file.open(Second.WithoutDefault.self, migrations: [reading])
    }
    let filling = Migration("fill") { db in try db.sql("update Note set note = '' where note is null") }
    let store = try file.open(Second.WithoutDefault.self, migrations: [filling, reading])
    #expect(try store.blocking.count(Second.WithoutDefault.all) == 2)
  }

  @Test(
    "a plan names the table that a renamed struct may have left behind; a table without rows or with other columns it does not"
  )
  func renamedStruct() throws {
    let plan = try Store.plan(at: file.path, for: Second.Renamed.self)
    #expect(plan.notes.count == 1)
    #expect(plan.description.contains("@Model(\"Note\")"), "\(plan)")
    let log = CapturedLog()
    let store = try Store(
      at: file.path, for: Second.Renamed.self, configuration: Store.Configuration(log: log.logger))
    #expect(log.lines.contains { $0.hasPrefix("warning") && $0.contains("@Model(\"Note\")") }, "\(log.lines)")
    // As long as the new table has no rows.
    #expect(try Store.plan(at: file.path, for: Second.Renamed.self).notes == plan.notes)
    try store.blocking.insert(Second.Renamed(id: 9, title: "new"))
    #expect(try Store.plan(at: file.path, for: Second.Renamed.self).notes.isEmpty)
    let empty = try StoreFile()
    _ = try empty.open(First.Note.self)
    #expect(try Store.plan(at: empty.path, for: Second.Renamed.self).notes.isEmpty)
  }
}
