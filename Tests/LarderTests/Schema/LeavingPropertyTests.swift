import Foundation
import Larder
import Testing

private enum First {
  @Model("Note")
  struct Note: Hashable {
    var id: UUID = .v7()
    var title: String
    @Attribute(.indexed) var body: String = "nothing"
    var views: Int
  }
}

private enum Second {
  @Model("Note")
  struct Note: Hashable {
    var id: UUID = .v7()
    var title: String
  }
}

private enum Third {
  @Model("Note")
  struct Note: Hashable {
    var id: UUID = .v7()
    var title: String
    @Attribute(.indexed) var body: String = "nothing"
    var views: Int = 7
    var extra: Int = 9
  }

  @Model("Note")
  struct WithoutExtra: Hashable {
    var id: UUID = .v7()
    var title: String
    @Attribute(.indexed) var body: String = "nothing"
    var views: Int = 7
  }
}

@Suite("Properties that leave a model and return")
struct LeavingPropertyTests {
  private let file: StoreFile
  private let old = First.Note(title: "old", body: "text", views: 3)

  init() throws {
    file = try StoreFile()
    try file.write([old])
  }

  private func retired() throws -> [String] {
    try file.sql("select r.value as name from _larder_models, json_each(schema, '$.retired') as r").compactMap {
      $0["name"]?.text
    }
  }

  @Test("the column of a property that left stays, is remembered, and is in nobody's way")
  func leaves() throws {
    try file.write([Second.Note(title: "new")])
    #expect(try file.columns == ["_rowid", "id", "title", "body", "views"])
    #expect(try retired() == ["body", "views"])
    #expect(
      try file.sql("select body, views from Note where title = 'old'").first?.dictionary == [
        "body": "text", "views": 3,
      ])
    #expect(
      try file.sql("select body, views from Note where title = 'new'").first?.dictionary == ["body": nil, "views": nil])
  }

  @Test("updates and saves leave the values of a property that left alone")
  func updates() throws {
    do {
      let store = try file.open(Second.Note.self)
      try store.blocking.save(Second.Note(id: old.id, title: "renamed"))
      try store.blocking.update(Second.Note(id: old.id, title: "renamed again"))
    }
    #expect(
      try file.sql("select title, body, views from Note").map(\.dictionary) == [
        ["title": "renamed again", "body": "text", "views": 3]
      ])
  }

  @Test("a property that returns has its values, and the default in rows that were written meanwhile")
  func returns() throws {
    try file.write([Second.Note(title: "new")])
    do {
      let store = try file.open(Third.Note.self)
      let rows = try store.blocking.fetch(Third.Note.all.sorted(by: \.views))
      #expect(rows.map(\.views) == [3, 7])
      #expect(rows.map(\.body) == ["text", "nothing"])
      #expect(rows.map(\.extra) == [9, 9])
    }
    #expect(try retired() == [])
    #expect(try file.sql("select count(*) as n from pragma_table_info('Note') where \"notnull\" = 1").first?["n"] == 5)
  }

  @Test("a property that returns without a default needs one for the rows that were written meanwhile")
  func returnsWithoutDefault() throws {
    try file.write([Second.Note(title: "new")])
    try file.expectRefusal(.schemaMismatch, of: "views", naming: "Note.views", "default") {
      _ = try file.open(First.Note.self)
    }
  }

  @Test("a property that was added with a default leaves and returns as well")
  func addedLeaves() throws {
    _ = try file.open(Third.Note.self)
    try file.write([Third.WithoutExtra(title: "new")], migrations: [Migration("without extra") { _ in }])
    #expect(try retired() == ["extra"])
    let store = try file.open(Third.Note.self, migrations: [Migration("without extra") { _ in }])
    #expect(try store.blocking.fetch(Third.Note.all).map(\.extra) == [9, 9])
  }

  @Test("columns that the user added are kept with their defaults, and are nobody's former property")
  func usersColumn() throws {
    try file.sql("alter table Note add column mine text not null default 'x'")
    try file.write([Second.Note(title: "new")])
    #expect(try file.sql("select mine from Note").map { $0["mine"] } == ["x", "x"])
    #expect(try retired() == ["body", "views"])
  }

  @Test("a migration drops the column of a property that left")
  func dropped() throws {
    let drop = Migration("without body") { db in try db.dropColumn("body", of: Second.Note.self) }
    try file.write([Second.Note(title: "new")], migrations: [drop])
    #expect(try file.columns == ["_rowid", "id", "title", "views"])
    #expect(try retired() == ["views"])
    #expect(try file.names == ["test.larder", "test.larder.backup-1"])
  }
}
