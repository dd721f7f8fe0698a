import Foundation
import Larder
import LarderTestSupport
import Testing

/// A shape of one model, told apart by what its properties are called and were called before.
private protocol RenamedShape: Model where ID == Int {
  static var properties: [(name: String, original: String?)] { get }
  init(id: Int, texts: [String: String?])
  var texts: [String: String?] { get }
}

private enum Shapes {
  @Model("Note")
  struct Both: RenamedShape {
    var id: Int
    @Attribute(.searchable) var a: String?
    @Attribute(.indexed) var b: String?
    static let properties: [(name: String, original: String?)] = [("a", nil), ("b", nil)]
    var texts: [String: String?] { ["a": a, "b": b] }
  }

  @Model("Note")
  struct OnlyA: RenamedShape {
    var id: Int
    @Attribute(.indexed) var a: String?
    static let properties: [(name: String, original: String?)] = [("a", nil)]
    var texts: [String: String?] { ["a": a] }
  }

  @Model("Note")
  struct OnlyB: RenamedShape {
    var id: Int
    @Attribute(.searchable) var b: String?
    static let properties: [(name: String, original: String?)] = [("b", nil)]
    var texts: [String: String?] { ["b": b] }
  }

  @Model("Note")
  struct BFromA: RenamedShape {
    var id: Int
    @Attribute(.indexed, .searchable, originalName: "a") var b: String?
    static let properties: [(name: String, original: String?)] = [("b", "a")]
    var texts: [String: String?] { ["b": b] }
  }

  @Model("Note")
  struct AFromB: RenamedShape {
    var id: Int
    @Attribute(.indexed, .searchable, originalName: "b") var a: String?
    static let properties: [(name: String, original: String?)] = [("a", "b")]
    var texts: [String: String?] { ["a": a] }
  }

  @Model("Note")
  struct Swapped: RenamedShape {
    var id: Int
    @Attribute(.searchable, originalName: "b") var a: String?
    @Attribute(.indexed, originalName: "a") var b: String?
    static let properties: [(name: String, original: String?)] = [("a", "b"), ("b", "a")]
    var texts: [String: String?] { ["a": a, "b": b] }
  }

  @Model("Note")
  struct Shifted: RenamedShape {
    var id: Int
    @Attribute(.searchable, originalName: "a") var b: String?
    @Attribute(.indexed, originalName: "b") var c: String?
    static let properties: [(name: String, original: String?)] = [("b", "a"), ("c", "b")]
    var texts: [String: String?] { ["b": b, "c": c] }
  }

  @Model("Note")
  struct Rotated: RenamedShape {
    var id: Int
    @Attribute(.searchable, originalName: "c") var a: String?
    @Attribute(.indexed, originalName: "a") var b: String?
    @Attribute(originalName: "b") var c: String?
    static let properties: [(name: String, original: String?)] = [("a", "c"), ("b", "a"), ("c", "b")]
    var texts: [String: String?] { ["a": a, "b": b, "c": c] }
  }

  @Model("Note")
  struct GivenUp: RenamedShape {
    var id: Int
    @Attribute(.indexed) var a: String?
    @Attribute(.searchable, originalName: "a") var c: String?
    static let properties: [(name: String, original: String?)] = [("a", nil), ("c", "a")]
    var texts: [String: String?] { ["a": a, "c": c] }
  }
}

extension Shapes.Both {
  init(id: Int, texts: [String: String?]) { self.init(id: id, a: texts["a"] ?? nil, b: texts["b"] ?? nil) }
}
extension Shapes.OnlyA { init(id: Int, texts: [String: String?]) { self.init(id: id, a: texts["a"] ?? nil) } }
extension Shapes.OnlyB { init(id: Int, texts: [String: String?]) { self.init(id: id, b: texts["b"] ?? nil) } }
extension Shapes.BFromA { init(id: Int, texts: [String: String?]) { self.init(id: id, b: texts["b"] ?? nil) } }
extension Shapes.AFromB { init(id: Int, texts: [String: String?]) { self.init(id: id, a: texts["a"] ?? nil) } }
extension Shapes.Swapped {
  init(id: Int, texts: [String: String?]) { self.init(id: id, a: texts["a"] ?? nil, b: texts["b"] ?? nil) }
}
extension Shapes.Shifted {
  init(id: Int, texts: [String: String?]) { self.init(id: id, b: texts["b"] ?? nil, c: texts["c"] ?? nil) }
}
extension Shapes.Rotated {
  init(id: Int, texts: [String: String?]) {
    self.init(id: id, a: texts["a"] ?? nil, b: texts["b"] ?? nil, c: texts["c"] ?? nil)
  }
}
extension Shapes.GivenUp {
  init(id: Int, texts: [String: String?]) { self.init(id: id, a: texts["a"] ?? nil, c: texts["c"] ?? nil) }
}

/// What the columns of the file hold, by plain reasoning: all properties take their columns at the same time.
private struct ExpectedFile {
  /// The texts of each row, by column and key.
  var columns: [String: [Int: String]] = [:]
  /// What each column was called when its property had it.
  var originals: [String: String] = [:]

  mutating func open(_ properties: [(name: String, original: String?)]) {
    var sources: [String: String] = [:]
    for (name, original) in properties {
      guard let original, columns[original] != nil, !(columns[name] != nil && originals[name] == original) else {
        continue
      }
      sources[name] = original
    }
    var next = columns.filter { name, _ in !sources.values.contains(name) }
    for (name, source) in sources {
      if let displaced = next[name] {
        var aside = "\(name)_retired"
        var number = 1
        while columns[aside] != nil || next[aside] != nil {
          number += 1
          aside = "\(name)_retired_\(number)"
        }
        next[aside] = displaced
      }
      next[name] = columns[source]
    }
    for (name, original) in properties {
      if next[name] == nil { next[name] = [:] }
      originals[name] = original
    }
    columns = next
    originals = originals.filter { columns[$0.key] != nil }
  }
}

@Suite("Random changes of names")
struct RandomRenameTests {
  private static let shapes: [any RenamedShape.Type] = [
    Shapes.Both.self, Shapes.OnlyA.self, Shapes.OnlyB.self, Shapes.BFromA.self, Shapes.AFromB.self, Shapes.Swapped.self,
    Shapes.Shifted.self,
    Shapes.Rotated.self, Shapes.GivenUp.self,
  ]

  @Test(
    "whatever names properties give up, take over and exchange, each keeps its own values, its index and its full text")
  func walks() throws {
    let seed = TestSeed.value
    var generator = SplitMix64(seed: seed &* 41)
    for walk in 0..<25 {
      let file = try StoreFile()
      var expected = ExpectedFile()
      var migrations: [Migration] = []
      for step in 0..<6 {
        let shape = generator.pick(Self.shapes)
        // A named migration says that a shape from before is meant on purpose.
        migrations.append(Migration("\(step)") { _ in })
        expected.open(shape.properties)
        try check(
          shape, file, migrations, &expected, key: step, "seed \(seed), walk \(walk), step \(step), \(shape.properties)"
        )
      }
    }
    TestSeed.tried(150, .operations, "changes of schemas")
  }

  private func check<Shape: RenamedShape>(
    _ shape: Shape.Type, _ file: StoreFile, _ migrations: [Migration], _ expected: inout ExpectedFile, key: Int,
    _ place: String
  ) throws {
    for _ in 1...2 {
      let db = try file.open(Shape.self, migrations: migrations).blocking
      for row in try db.fetch(Shape.all) {
        for (name, text) in row.texts {
          #expect(text == expected.columns[name]?[row.id], "\(place): \(name) of \(row.id)")
        }
      }
    }
    let db = try file.open(Shape.self, migrations: migrations).blocking
    let texts = Dictionary(uniqueKeysWithValues: shape.properties.map { ($0.name, Optional("\($0.name)\(key)")) })
    try db.insert(Shape(id: key, texts: texts))
    for (name, text) in texts { expected.columns[name]?[key] = text }
    for (name, values) in expected.columns {
      let stored = try db.sql(SQL(raw: "select id, \(name) as text from Note where \(name) is not null"))
      let pairs = try stored.map { (try $0.get("id") as Int, try $0.get("text") as String) }
      #expect(Dictionary(uniqueKeysWithValues: pairs) == values, "\(place): column \(name)")
    }
    #expect(try db.sql("pragma integrity_check").first?.first?.value == "ok")
    if try !db.sql("select 1 from sqlite_master where name = '_larder_search_Note'").isEmpty {
      // Throws where the index does not hold the text of the table:
      // https://www.sqlite.org/fts5.html#the_integrity_check_command.
      try db.sql("insert into _larder_search_Note (_larder_search_Note, rank) values ('integrity-check', 1)")
    }
  }
}
