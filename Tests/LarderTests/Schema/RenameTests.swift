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
