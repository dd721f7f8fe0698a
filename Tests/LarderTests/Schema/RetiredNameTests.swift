import Foundation
import Larder
import Testing

private enum First {
  @Model("Note")
  struct Note: Hashable {
    var id: Int
    @Attribute(.indexed) var a: String
    @Attribute(.searchable) var b: String
  }
}

private enum Shapes {
  @Model("Note")
  struct WithoutB: Hashable {
    var id: Int
    @Attribute(.indexed) var a: String
  }

  @Model("Note")
  struct OntoB: Hashable {
    var id: Int
    @Attribute(.indexed, originalName: "a") var b: String
  }

  @Model("Note")
  struct OntoA: Hashable {
    var id: Int
    @Attribute(.indexed, originalName: "b") var a: String?
  }

  @Model("Note")
  struct Swapped: Hashable {
    var id: Int
    @Attribute(.indexed, originalName: "b") var a: String
    @Attribute(.searchable, originalName: "a") var b: String
  }

  @Model("Note")
  struct Shifted: Hashable {
    var id: Int
    @Attribute(originalName: "a") var b: String
    @Attribute(.searchable, originalName: "b") var c: String
  }

  @Model("Note")
  struct Taken: Hashable {
    var id: Int
    @Attribute(originalName: "a") var c: String
    var a: String = "new"
    var b: String
  }
}

@Suite("Renames onto names that are or were taken")
struct RetiredNameTests {
  private let file: StoreFile

  init() throws {
    file = try StoreFile()
    try file.write([First.Note(id: 1, a: "an apple", b: "a bear"), First.Note(id: 2, a: "avocado", b: "bee")])
  }

  private var indexed: [String] {
    get throws {
      try file.sql(
        "select name from pragma_index_info((select name from pragma_index_list('Note') where origin = 'c'))"
      ).compactMap {
        $0["name"]?.text
      }
    }
  }

  @Test(
    "a property that takes the name of a retired column keeps its own values, and the retired ones stay in the file")
  func ontoRetired() throws {
    _ = try file.open(Shapes.WithoutB.self)
    let plan = try Store.plan(at: file.path, for: Shapes.OntoB.self)
    #expect(plan.description.contains("keep the values of the former Note.b in a column b_retired"), "\(plan)")
    for _ in 1...2 {
      let store = try file.open(Shapes.OntoB.self)
      #expect(try store.blocking.fetch(Shapes.OntoB.all.sorted(by: \.id)).map(\.b) == ["an apple", "avocado"])
      #expect(try Store.plan(at: file.path, for: Shapes.OntoB.self).isEmpty)
    }
    #expect(try file.sql("select b_retired from Note order by id").map { $0["b_retired"] } == ["a bear", "bee"])
    #expect(try indexed == ["b"])
  }

  @Test("a property that takes the name of one that leaves at the same time shows its own values")
  func ontoLeaving() throws {
    for _ in 1...2 {
      let store = try file.open(Shapes.OntoA.self)
      #expect(try store.blocking.fetch(Shapes.OntoA.all.sorted(by: \.id)).map(\.a) == ["a bear", "bee"])
    }
    #expect(try file.sql("select a_retired from Note order by id").map { $0["a_retired"] } == ["an apple", "avocado"])
    #expect(try indexed == ["a"])
  }

  @Test("a property whose former name is a retired column's shows that column's values; its own stay in the file")
  func fromRetired() throws {
    _ = try file.open(Shapes.WithoutB.self)
    for _ in 1...2 {
      let store = try file.open(Shapes.OntoA.self)
      #expect(try store.blocking.fetch(Shapes.OntoA.all.sorted(by: \.id)).map(\.a) == ["a bear", "bee"])
    }
    #expect(try file.sql("select a_retired from Note order by id").map { $0["a_retired"] } == ["an apple", "avocado"])
  }

  @Test("two properties that exchange their names keep their values, their indexes and their full text")
  func swapped() throws {
    for _ in 1...2 {
      let store = try file.open(Shapes.Swapped.self)
      let db = store.blocking
      #expect(
        try db.fetch(Shapes.Swapped.all.sorted(by: \.id)) == [
          Shapes.Swapped(id: 1, a: "a bear", b: "an apple"), Shapes.Swapped(id: 2, a: "bee", b: "avocado"),
        ])
      #expect(try db.fetch(Shapes.Swapped.search("apple")).map(\.id) == [1])
      #expect(try db.count(Shapes.Swapped.search("bear")) == 0)
      try db.save(Shapes.Swapped(id: 2, a: "bee", b: "avocado"))
    }
    #expect(try indexed == ["a"])
  }

  @Test("a program from before two properties exchanged their names is told that the file is newer")
  func olderThanSwap() throws {
    _ = try file.open(Shapes.Swapped.self)
    try file.expectRefusal(.newerFile, naming: "originalName") { _ = try file.open(First.Note.self) }
  }

  @Test("names that move on by one keep the values of each")
  func shifted() throws {
    for _ in 1...2 {
      let store = try file.open(Shapes.Shifted.self)
      #expect(
        try store.blocking.fetch(Shapes.Shifted.all.sorted(by: \.id)).map { [$0.b, $0.c] } == [
          ["an apple", "a bear"], ["avocado", "bee"],
        ])
      #expect(try store.blocking.fetch(Shapes.Shifted.search("bee")).map(\.id) == [2])
    }
  }

  @Test("a new property may take the name that another one gives up")
  func taken() throws {
    for _ in 1...2 {
      let store = try file.open(Shapes.Taken.self)
      let rows = try store.blocking.fetch(Shapes.Taken.all.sorted(by: \.id))
      #expect(rows.map(\.c) == ["an apple", "avocado"])
      #expect(rows.map(\.a) == ["new", "new"])
      #expect(rows.map(\.b) == ["a bear", "bee"])
    }
  }
}
