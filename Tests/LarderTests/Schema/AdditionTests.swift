import Foundation
import Larder
import Testing

private enum First {
  @Model("Note")
  struct Note: Hashable {
    var id: UUID = .v7()
    var title: String
  }

  @Model("Counter")
  struct Counter: Hashable {
    var id: Int
  }
}

@Embeddable
private struct Frame: Hashable {
  var width: Double = 10
  var token: UUID
}

private enum Second {
  enum Shade: String, Sendable { case light, dark }

  @Model("Note")
  struct Note: Hashable {
    var id: UUID = .v7()
    var title: String
    var count = -3
    var ratio = -Double.infinity
    var smallest = Int64.min
    var text = "it's \"quoted\" 🥛"
    var shade: Second.Shade = .dark
    var tags: [String] = ["a", "b"]
    var zero = "a\u{0}b"
    var data = Data()
  }

  @Model("Note")
  struct Tokened: Hashable {
    var id: UUID = .v7()
    var title: String
    var token: UUID = .v7()
    @Embedded var frame: Frame = Frame(token: .v7())
  }

  @Model("Note")
  struct Optionals: Hashable {
    var id: UUID = .v7()
    var title: String
    var subtitle: String?
    var rating: Int? = 5
    var seen: Date? = .now
  }

  @Model("Note")
  struct Indexed: Hashable {
    var id: UUID = .v7()
    @Attribute(.indexed) var title: String
    var year = 2026
    static var indexes: [Index<Indexed>] { [Index(\.year, \.title)] }
  }

  @Model("Note")
  struct Stamped: Hashable {
    var id: UUID = .v7()
    var title: String
    @Attribute(.unique) var token: UUID = .v7()
  }
}

@Suite("What opening adds by itself")
struct AdditionTests {
  private let file: StoreFile
  private let notes = [First.Note(title: "one"), First.Note(title: "two"), First.Note(title: "three")]

  init() throws {
    file = try StoreFile()
    try file.write(notes)
  }

  private func expectNoCopy() throws {
    #expect(try file.names == ["test.larder"])
  }

  @Test("A1: a new model gets its table, and the others keep their rows")
  func newModel() throws {
    do {
      let store = try file.open(First.Note.self, First.Counter.self)
      try store.blocking.insert(First.Counter(id: 1))
      #expect(try Set(store.blocking.fetch(First.Note.all)) == Set(notes))
    }
    try expectNoCopy()
  }

  @Test("A8: a new property with a constant default has it in the rows that are there, and in those that others add")
  func constantDefault() throws {
    do {
      let store = try file.open(Second.Note.self)
      let rows = try store.blocking.fetch(Second.Note.all.sorted(by: \.id))
      #expect(rows == notes.map { Second.Note(id: $0.id, title: $0.title) })
      try store.blocking.insert(Second.Note(title: "four", count: 4))
      #expect(
        try store.blocking.count(Second.Note.where { $0.count == -3 && $0.smallest == .min && $0.shade == .dark }) == 3)
    }
    try expectNoCopy()
    let required = try file.sql("select name from pragma_table_info('Note') where \"notnull\" = 1").count
    #expect(required == 10)
  }

  @Test("A8: a computed default is computed for each row")
  func computedDefault() throws {
    do {
      let store = try file.open(Second.Tokened.self)
      let rows = try store.blocking.fetch(Second.Tokened.all.sorted(by: \.id))
      #expect(rows.map(\.title) == notes.map(\.title))
      #expect(Set(rows.map(\.token)).count == 3)
      #expect(Set(rows.map(\.frame.token)).count == 3)
      #expect(rows.allSatisfy { $0.frame.width == 10 })
    }
    try expectNoCopy()
    #expect(try file.sql("select 1 from pragma_table_info('Note') where name = 'token' and \"notnull\" = 1").count == 1)
  }

  @Test("A8: a new unique property with a computed default differs from row to row")
  func uniqueComputedDefault() throws {
    #expect(try Store.plan(at: file.path, for: Second.Stamped.self).steps.isEmpty == false)
    let store = try file.open(Second.Stamped.self)
    #expect(try Set(store.blocking.fetch(Second.Stamped.all).map(\.token)).count == 3)
  }

  @Test("A8: a new optional property is nil, or has its default")
  func optional() throws {
    do {
      let store = try file.open(Second.Optionals.self)
      let rows = try store.blocking.fetch(Second.Optionals.all.sorted(by: \.id))
      #expect(rows.map(\.subtitle) == [nil, nil, nil])
      #expect(rows.map(\.rating) == [5, 5, 5])
      #expect(rows.allSatisfy { $0.seen != nil })
    }
    try expectNoCopy()
  }

  @Test("a new index is made, and one that no model asks for goes")
  func indexes() throws {
    _ = try file.open(Second.Indexed.self)
    #expect(try file.indexes == ["Note_title_index", "Note_year_title_index"])
    _ = try file.open(
      Second.Note.self,
      migrations: [Migration("year is not wanted") { try $0.dropColumn("year", of: Second.Indexed.self) }])
    #expect(try file.indexes == [])
    #expect(try file.columns.contains("year") == false)
  }

  @Test("an index that the user made stays")
  func usersIndex() throws {
    try file.sql("create index mine on Note (title desc)")
    _ = try file.open(Second.Indexed.self)
    _ = try file.open(Second.Note.self, migrations: [Migration("nothing") { _ in }])
    #expect(try file.indexes == ["mine"])
  }

  @Test("opening a file that fits writes nothing")
  func nothingToDo() throws {
    let before = try file.bytes
    do {
      let store = try file.open(First.Note.self)
      #expect(try store.blocking.count(First.Note.all) == 3)
    }
    #expect(try file.bytes == before)
    try expectNoCopy()
  }
}
