import Foundation
import Testing

@testable import Larder

private enum First {
  @Model("Note")
  struct Note: Hashable {
    var id: UUID = .v7()
    @Attribute(.searchable) var title: String
    var count: Int
  }
}

private enum Second {
  @Model("Note")
  struct Note: Hashable {
    var id: UUID = .v7()
    @Attribute(.searchable) var title: String
    var count: Double
  }
}

@Suite("Tables that are made anew")
struct RebuildTests {
  private let file: StoreFile

  init() throws {
    file = try StoreFile()
    try file.write((1...20).map { First.Note(title: "word\($0)", count: $0) })
    try file.sql("delete from Note where count < 10")
  }

  @Test("the rows keep their numbers, so that the full-text index stays right")
  func identity() throws {
    let numbers = try file.sql("select id, _rowid from Note order by id")
    do {
      let store = try file.open(Second.Note.self)
      #expect(try store.blocking.fetch(Second.Note.search("word15")).map(\.count) == [15])
      try store.blocking.insert(Second.Note(title: "last", count: 0.5))
      #expect(try store.blocking.fetch(Second.Note.search("last")).map(\.count) == [0.5])
      try store.blocking.deleteAll(Second.Note.where { $0.count == 0.5 })
    }
    #expect(try file.sql("select id, _rowid from Note order by id") == numbers)
    try file.sql("insert into _larder_search_Note (_larder_search_Note, rank) values ('integrity-check', 1)")
  }

  @Test("the user's indexes, triggers and views stay, also those of other tables that name the table")
  func usersOwn() throws {
    try file.sql("create table Log (text)")
    try file.sql("create index mine on Note (count, title)")
    try file.sql("create trigger logged after insert on Note begin insert into Log values (new.title); end")
    try file.sql(
      "create trigger cleared after delete on Log begin update Note set title = old.text || '!' where title = old.text; end"
    )
    try file.sql("create view Heavy as select title from Note where count > 15")
    do {
      let store = try file.open(Second.Note.self)
      try store.blocking.insert(Second.Note(title: "logged", count: 100))
    }
    #expect(try file.indexes == ["mine"])
    #expect(try file.sql("select text from Log").map { $0["text"] } == ["logged"])
    #expect(try file.sql("select count(*) as n from Heavy").first?["n"] == 6)
    try file.sql("delete from Log")
    #expect(try file.sql("select count(*) as n from Note where title = 'logged!'").first?["n"] == 1)
  }

  @Test("rows of other tables that refer to the table stay, and their foreign keys hold")
  func foreignKeys() throws {
    try file.sql("create table Line (note blob references Note (id) on delete cascade)")
    try file.sql("insert into Line select id from Note")
    _ = try file.open(Second.Note.self)
    #expect(try file.sql("select count(*) as n from Line").first?["n"] == 11)
    try file.sql("delete from Note where count > 15")
    #expect(try file.sql("select count(*) as n from Line").first?["n"] == 6)
  }

  @Test("a migration that leaves a reference without its row is refused")
  func dangling() throws {
    try file.sql("create table Line (note blob references Note (id))")
    try file.sql("insert into Line select id from Note")
    try file.expectRefusal(.referenced, naming: "Line") {
      _ = try file.open(
        Second.Note.self, migrations: [Migration("delete") { db in try db.sql("delete from Note where count > 15") }])
    }
  }

  @Test("references that dangled before are not the migration's fault")
  func danglingBefore() throws {
    try file.sql("create table Line (note blob references Note (id))")
    let raw = try Store(at: file.path, for: [], configuration: Store.Configuration(schema: .existing))
    try raw.withWriter { connection in
      try connection.change("PRAGMA foreign_keys = OFF")
      try connection.change("INSERT INTO Line VALUES (x'00')")
    }
    let store = try file.open(Second.Note.self)
    #expect(try store.blocking.count(Second.Note.all) == 11)
  }
}
