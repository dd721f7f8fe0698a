import Foundation
import Larder
import Testing

private enum Plain {
  @Model("Note")
  struct Note: Hashable {
    var id: UUID = .v7()
    var title: String
    var body: String
  }
}

private enum Titled {
  @Model("Note")
  struct Note: Hashable {
    var id: UUID = .v7()
    @Attribute(.searchable) var title: String
    var body: String
  }
}

private enum Both {
  @Model("Note")
  struct Note: Hashable {
    var id: UUID = .v7()
    @Attribute(.searchable) var title: String
    @Attribute(.searchable) var body: String?
  }
}

@Suite("Changes of what is searchable")
struct SearchChangeTests {
  private let file: StoreFile

  init() throws {
    file = try StoreFile()
    try file.write([Plain.Note(title: "milk", body: "white"), Plain.Note(title: "coal", body: "black")])
  }

  private func integrity() throws {
    try file.sql("insert into _larder_search_Note (_larder_search_Note, rank) values ('integrity-check', 1)")
  }

  @Test("a property becomes searchable: the rows that are there are found, and those that come")
  func added() throws {
    do {
      let store = try file.open(Titled.Note.self)
      try store.blocking.insert(Titled.Note(title: "milk jug", body: ""))
      #expect(try store.blocking.count(Titled.Note.search("milk")) == 2)
    }
    try integrity()
    #expect(try file.names == ["test.larder"])
  }

  @Test("another property becomes searchable and optional: both are found by it")
  func other() throws {
    _ = try file.open(Titled.Note.self)
    do {
      let store = try file.open(Both.Note.self)
      #expect(try store.blocking.count(Both.Note.search("white OR coal")) == 2)
      try store.blocking.insert(Both.Note(title: "ash", body: nil))
      try store.blocking.updateAll(Both.Note.search("ash")) { $0.body.set("grey") }
      #expect(try store.blocking.fetch(Both.Note.search("body : grey")).map(\.title) == ["ash"])
      try store.blocking.deleteAll(Both.Note.search("milk"))
      #expect(try store.blocking.count(Both.Note.search("white")) == 0)
    }
    try integrity()
  }

  @Test("nothing is searchable any longer: the index and its triggers go")
  func removed() throws {
    _ = try file.open(Titled.Note.self)
    let store = try file.open(Plain.Note.self)
    try store.blocking.insert(Plain.Note(title: "x", body: "y"))
    #expect(try file.sql("select name from sqlite_master where name like '_larder_search%'").isEmpty)
  }

  @Test("VACUUM and a backup keep the full-text index right, also where rows were deleted before")
  func vacuum() async throws {
    let store = try file.open(Titled.Note.self)
    let db = store.blocking
    for number in 0..<200 { try db.insert(Titled.Note(title: "number n\(number)", body: "")) }
    for number in 0..<100 { try db.deleteAll(Titled.Note.search("n\(number)")) }
    try await store.sql("VACUUM")
    let copy = file.path + ".copy"
    try await store.backup(to: copy)
    for path in [file.path, copy] {
      let other = try Store(at: path, for: Titled.Note.self)
      #expect(try other.blocking.count(Titled.Note.search("number")) == 100)
      for number in 100..<200 {
        #expect(try other.blocking.fetch(Titled.Note.search("n\(number)")).map(\.title) == ["number n\(number)"])
      }
      try other.blocking.sql(
        "insert into _larder_search_Note (_larder_search_Note, rank) values ('integrity-check', 1)")
    }
  }
}
