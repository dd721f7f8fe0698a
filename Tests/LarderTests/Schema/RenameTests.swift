import Foundation
import Larder
import Testing

private enum First {
  @Model("Note")
  struct Note: Hashable {
    var id: UUID = .v7()
    @Attribute(.indexed, .searchable) var title: String
    @Attribute(.unique) var number: Int
  }
}

private enum Second {
  @Model("Note")
  struct Note: Hashable {
    var id: UUID = .v7()
    @Attribute(.indexed, .searchable, originalName: "title") var name: String
    @Attribute(.unique, originalName: "number") var position: Int
  }

  @Model("Note")
  struct Cased: Hashable {
    var id: UUID = .v7()
    // swift-format-ignore: AlwaysUseLowerCamelCase
    @Attribute(.indexed, .searchable) var Title: String
    @Attribute(.unique) var number: Int
  }

  @Model("Note")
  struct Converted: Hashable {
    var id: UUID = .v7()
    @Attribute(.searchable, originalName: "title") var headline: String?
    @Attribute(originalName: "number") var weight: Double
  }

  @Model("Note")
  struct Back: Hashable {
    var id: UUID = .v7()
    @Attribute(.indexed, .searchable, originalName: "name") var title: String
    @Attribute(.unique, originalName: "position") var number: Int
  }
}

private enum Third {
  @Model("Note")
  struct Note: Hashable {
    var id: UUID = .v7()
    @Attribute(.indexed, .searchable, originalName: "title") var heading: String
    @Attribute(.unique, originalName: "number") var number: Int
  }
}

@Suite("Renamed properties")
struct RenameTests {
  private let file: StoreFile
  private let notes = [First.Note(title: "Milk and bread", number: 1), First.Note(title: "Butter", number: 2)]

  init() throws {
    file = try StoreFile()
    try file.write(notes)
  }

  @Test("a renamed property keeps its values, its index, its unique rule and its full-text index")
  func renamed() throws {
    do {
      let store = try file.open(Second.Note.self)
      let db = store.blocking
      #expect(try db.fetch(Second.Note.all.sorted(by: \.position)).map(\.name) == ["Milk and bread", "Butter"])
      #expect(try db.fetch(Second.Note.search("bread")).map(\.position) == [1])
      #expect(try db.fetch(Second.Note.search("name : butter")).map(\.position) == [2])
      #expect(throws: StoreError.self) { try db.insert(Second.Note(name: "x", position: 2)) }
      try db.insert(Second.Note(name: "Cheese", position: 3))
      #expect(try db.matches(Second.Note.search("cheese")).map(\.snippet) == ["[Cheese]"])
      #expect(try db.updateAll(Second.Note.where { $0.position == 1 }) { $0.name.set("Water") } == 1)
      #expect(try db.count(Second.Note.search("bread")) == 0)
    }
    #expect(try file.columns == ["_rowid", "id", "name", "position"])
    #expect(try file.indexes == ["Note_name_index", "Note_position_unique"])
    #expect(try file.names == ["test.larder"])
  }

  @Test("a property that differs in upper and lower case alone is the same column")
  func cased() throws {
    let store = try file.open(Second.Cased.self)
    #expect(try store.blocking.fetch(Second.Cased.search("milk")).map(\.Title) == ["Milk and bread"])
    try store.blocking.insert(Second.Cased(Title: "Milk", number: 3))
    #expect(try store.blocking.count(Second.Cased.search("milk")) == 2)
  }

  @Test("a property is renamed, widened and made optional in one step")
  func converted() throws {
    let plan = try Store.plan(at: file.path, for: Second.Converted.self)
    #expect(plan.description.contains("rename the column Note.number to weight"))
    #expect(plan.description.contains("weight becomes REAL"))
    let store = try file.open(Second.Converted.self)
    #expect(try store.blocking.fetch(Second.Converted.all.sorted(by: \.weight)).map(\.weight) == [1, 2])
    try store.blocking.insert(Second.Converted(headline: nil, weight: 0.5))
    #expect(try store.blocking.fetch(Second.Converted.search("headline : butter")).map(\.weight) == [2])
  }

  @Test("a program that still has the old name is told that the file is newer")
  func olderProgram() throws {
    _ = try file.open(Second.Note.self)
    try file.expectRefusal(.newerFile, naming: "name", "position") { _ = try file.open(First.Note.self) }
  }

  @Test("a property is renamed back by its originalName")
  func back() throws {
    _ = try file.open(Second.Note.self)
    let store = try file.open(Second.Back.self)
    #expect(
      try store.blocking.fetch(Second.Back.all.sorted(by: \.number)).map(\.title) == ["Milk and bread", "Butter"])
  }

  @Test(
    "a property is renamed from the name that it had first, whichever versions a file has seen",
    arguments: [true, false])
  func twice(hasSecond: Bool) throws {
    if hasSecond { _ = try file.open(Second.Note.self) }
    for _ in 0..<2 {
      let db = try file.open(Third.Note.self).blocking
      #expect(try db.fetch(Third.Note.all.sorted(by: \.number)).map(\.heading) == ["Milk and bread", "Butter"])
      #expect(try db.count(Third.Note.search("heading : butter")) == 1)
    }
    #expect(try file.columns == ["_rowid", "id", "heading", "number"])
  }
}

private enum FirstBooks {
  @Model("Person")
  struct Person {
    var id: Int
    @Relationship(inverse: \FirstBooks.Book.author, ordered: true) var written: ToMany<FirstBooks.Book> = []
    @Relationship(inverse: \FirstBooks.Book.editor, ordered: true) var edited: ToMany<FirstBooks.Book> = []
  }

  @Model("Book")
  struct Book {
    var id: Int
    var author: ToOne<FirstBooks.Person>?
    var editor: ToOne<FirstBooks.Person>?
  }
}

private enum SecondBooks {
  @Model("Person")
  struct Person {
    var id: Int
    @Relationship(inverse: \SecondBooks.Book.writer, ordered: true) var written: ToMany<SecondBooks.Book> = []
    @Relationship(inverse: \SecondBooks.Book.editor, ordered: true) var edited: ToMany<SecondBooks.Book> = []
  }

  @Model("Book")
  struct Book {
    var id: Int
    @Attribute(originalName: "author") var writer: ToOne<SecondBooks.Person>?
    var editor: ToOne<SecondBooks.Person>?
  }
}

private enum FormerBooks {
  @Model("Person")
  struct Person {
    var id: Int
    @Relationship(inverse: \FormerBooks.Book.author, ordered: true) var written: ToMany<FormerBooks.Book> = []
    @Relationship(inverse: \FormerBooks.Book.editor, ordered: true) var edited: ToMany<FormerBooks.Book> = []
  }

  @Model("Book")
  struct Book {
    var id: Int
    @Attribute(originalName: "writer") var author: ToOne<FormerBooks.Person>?
    var editor: ToOne<FormerBooks.Person>?
  }
}

private enum SwappedBooks {
  @Model("Person")
  struct Person {
    var id: Int
    @Relationship(inverse: \SwappedBooks.Book.author, ordered: true) var written: ToMany<SwappedBooks.Book> = []
    @Relationship(inverse: \SwappedBooks.Book.editor, ordered: true) var edited: ToMany<SwappedBooks.Book> = []
  }

  @Model("Book")
  struct Book {
    var id: Int
    @Attribute(originalName: "editor") var author: ToOne<SwappedBooks.Person>?
    @Attribute(originalName: "author") var editor: ToOne<SwappedBooks.Person>?
  }
}

/// `editor` is the former `author`, and the former `editor` is gone.
private enum ReusedBooks {
  @Model("Person")
  struct Person {
    var id: Int
    @Relationship(inverse: \ReusedBooks.Book.editor, ordered: true) var edited: ToMany<ReusedBooks.Book> = []
  }

  @Model("Book")
  struct Book {
    var id: Int
    @Attribute(originalName: "author") var editor: ToOne<ReusedBooks.Person>?
  }
}

@Suite("Renamed references of ordered relationships")
struct RenamedOrderTests {
  private let file: StoreFile

  init() throws {
    file = try StoreFile()
    let db = try file.open(FirstBooks.Person.self, FirstBooks.Book.self).blocking
    let person = FirstBooks.Person(id: 1)
    let books = (1...3).map { FirstBooks.Book(id: $0, author: ToOne(person), editor: ToOne(person)) }
    try db.insert(person)
    try db.insert(books)
    try db.setLinks(person, \.written, [books[2], books[0], books[1]])
    try db.setLinks(person, \.edited, [books[1], books[2], books[0]])
    try db.close()
  }

  /// The columns with positions.
  private var positions: [String] {
    get throws {
      try file.sql("select name from pragma_table_xinfo('Book') order by name").compactMap { $0["name"]?.text }
        .filter { $0.hasSuffix("_position") }
    }
  }

  @Test("the order of rows goes with a reference that is renamed, and renamed back")
  func renamed() throws {
    let plan = try Store.plan(at: file.path, for: SecondBooks.Person.self, SecondBooks.Book.self)
    #expect(plan.steps.contains("rename the column Book._author_position to _writer_position"), "\(plan)")
    do {
      let db = try file.open(SecondBooks.Person.self, SecondBooks.Book.self).blocking
      let person = SecondBooks.Person(id: 1)
      #expect(try db.fetch(person.written.all).map(\.id) == [3, 1, 2])
      #expect(try db.fetch(person.edited.all).map(\.id) == [2, 3, 1])
      try db.insert(SecondBooks.Book(id: 4, writer: ToOne(person)))
      #expect(try db.fetch(person.written.all).map(\.id) == [3, 1, 2, 4])
      try db.close()
    }
    #expect(try positions == ["_editor_position", "_writer_position"])
    #expect(try Store.plan(at: file.path, for: SecondBooks.Person.self, SecondBooks.Book.self).isEmpty)
    do {
      let db = try file.open(FormerBooks.Person.self, FormerBooks.Book.self).blocking
      let person = FormerBooks.Person(id: 1)
      #expect(try db.fetch(person.written.all).map(\.id) == [3, 1, 2, 4])
      #expect(try db.fetch(person.edited.all).map(\.id) == [2, 3, 1])
      try db.close()
    }
    #expect(try positions == ["_author_position", "_editor_position"])
  }

  @Test("references that swap their names swap the orders of their rows")
  func swapped() throws {
    for _ in 0..<2 {
      let db = try file.open(SwappedBooks.Person.self, SwappedBooks.Book.self).blocking
      let person = SwappedBooks.Person(id: 1)
      #expect(try db.fetch(person.written.all).map(\.id) == [2, 3, 1])
      #expect(try db.fetch(person.edited.all).map(\.id) == [3, 1, 2])
      try db.close()
    }
    #expect(try positions == ["_author_position", "_editor_position"])
  }

  @Test("a reference that takes the name of another one keeps its own order, and the file keeps that of the other")
  func reused() throws {
    let db = try file.open(ReusedBooks.Person.self, ReusedBooks.Book.self).blocking
    let person = ReusedBooks.Person(id: 1)
    #expect(try db.fetch(person.edited.all).map(\.id) == [3, 1, 2])
    try db.insert(ReusedBooks.Book(id: 4, editor: ToOne(person)))
    #expect(try db.fetch(person.edited.all).map(\.id) == [3, 1, 2, 4])
    try db.close()
    #expect(try positions == ["_editor_position", "_editor_retired_position"])
  }
}
