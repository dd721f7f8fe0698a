import Foundation
import Larder
import Testing

private enum First {
  @Model("Note")
  struct Note: Hashable {
    var id: UUID = .v7()
    var title: String
    var body: String
  }
}

private enum Second {
  @Model("Note")
  struct Note: Hashable {
    var id: UUID = .v7()
    var title: String
  }
}

@Suite("The copy before a migration destroys anything")
struct MigrationBackupTests {
  private let file: StoreFile

  init() throws {
    file = try StoreFile()
    try file.write([First.Note(title: "a", body: "x"), First.Note(title: "b", body: "y")])
  }

  @Test(
    "the copy is made before the first destructive statement and holds the old data",
    arguments: [
      SQL("update Note set title = 'changed'"), SQL("delete from Note"), SQL("drop table Note"),
      SQL("alter table Note drop column body"),
      SQL(
        "insert into Note (id, title, body) select id, 'changed', '' from Note where true on conflict (id) do update set title = excluded.title"
      ),
    ])
  func copies(statement: SQL) throws {
    let migration = Migration("destroy") { db in
      try db.insert(First.Note(title: "before", body: ""))
      try db.sql(statement)
    }
    _ = try file.open(Second.Note.self, migrations: [migration])
    #expect(try file.names == ["test.larder", "test.larder.backup-1"])
    #expect(
      try file.sql("select title, body from Note order by title", in: "test.larder.backup-1").map { $0["title"] } == [
        "a", "b",
      ])
  }

  @Test("a migration that only adds makes no copy")
  func additive() throws {
    let migration = Migration("add") { db in
      try db.insert(First.Note(title: "c", body: ""))
      try db.sql("create table Mine (x)")
      try db.sql("create index by_body on Note (body)")
      _ = try db.count(First.Note.all)
    }
    _ = try file.open(First.Note.self, migrations: [migration])
    #expect(try file.names == ["test.larder"])
  }

  @Test("each copy has a name of its own, and one opening makes one")
  func numbered() throws {
    let first = Migration("1") { db in try db.sql("update Note set title = title || '1'") }
    let second = Migration("2") { db in try db.sql("update Note set title = title || '2'") }
    let third = Migration("3") { db in try db.sql("update Note set title = title || '3'") }
    _ = try file.open(First.Note.self, migrations: [first, second])
    _ = try file.open(First.Note.self, migrations: [first, second, third])
    #expect(try file.names == ["test.larder", "test.larder.backup-1", "test.larder.backup-2"])
    #expect(
      try file.sql("select title from Note order by title", in: "test.larder.backup-1").map { $0["title"] } == [
        "a", "b",
      ])
    #expect(
      try file.sql("select title from Note order by title", in: "test.larder.backup-2").map { $0["title"] } == [
        "a12", "b12",
      ])
  }

  @Test("a copy is made before a table is rebuilt because a property left")
  func rebuilt() throws {
    _ = try file.open(Second.Note.self)
    #expect(try file.names == ["test.larder", "test.larder.backup-1"])
    let copy = try Store(at: file.path + ".backup-1", for: First.Note.self)
    #expect(try copy.blocking.fetch(First.Note.all.sorted(by: \.title)).map(\.body) == ["x", "y"])
  }

  @Test("an attempt that fails leaves no copy")
  func failed() throws {
    let migration = Migration("fails") { db in
      try db.sql("delete from Note")
      throw CocoaError(.featureUnsupported)
    }
    try file.expectRefusal(.migrationFailed, naming: "fails") {
      _ = try file.open(First.Note.self, migrations: [migration])
    }
  }
}
