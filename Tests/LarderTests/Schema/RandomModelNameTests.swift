import Foundation
import LarderTestSupport
import Testing

@testable import Larder

/// A model that may be another one under a new name.
private protocol NamedShape: Model where ID == Int {
  /// The key's column, and the others.
  static var key: String { get }
  static var others: Set<String> { get }
  init(id: Int)
}

private enum Named {
  @Model struct Chronicle: NamedShape {
    var id: Int
    var a: String?
    var b: Int?
    var c: Double?
    static let (key, others) = ("id", Set(["a", "b", "c"]))
    init(id: Int) { self.id = id }
  }

  @Model struct Annal: NamedShape {
    var id: Int
    var a: String?
    var b: Int?
    var c: Double?
    static let (key, others) = ("id", Set(["a", "b", "c"]))
    init(id: Int) { self.id = id }
  }

  @Model struct Diary: NamedShape {
    var id: Int
    var a: String?
    var d: String?
    static let (key, others) = ("id", Set(["a", "d"]))
    init(id: Int) { self.id = id }
  }

  @Model struct Ledger: NamedShape {
    var id: Int
    var d: String?
    var e: String?
    var b: Int?
    var f: Bool?
    static let (key, others) = ("id", Set(["d", "e", "b", "f"]))
    init(id: Int) { self.id = id }
  }

  @Model struct Mark: NamedShape {
    var id: Int
    static let (key, others) = ("id", Set<String>())
    init(id: Int) { self.id = id }
  }

  @Model struct Roll: NamedShape {
    @Attribute(name: "number") var id: Int
    var a: String?
    var b: Int?
    var c: Double?
    static let (key, others) = ("number", Set(["a", "b", "c"]))
    init(id: Int) { self.id = id }
  }
}

/// The entry of another process, by an earlier name.
@Model
private struct FormerEntry {
  var id: UUID = .v7()
  var number: Int
  var text: String = ""
}

/// Structs that are renamed, split and given up: a new table that takes the place of another begins with no rows, and
/// who opens the file is told until it has some.
@Suite("Random changes of models' names")
struct RandomModelNameTests {
  private static let shapes: [any NamedShape.Type] = [
    Named.Chronicle.self, Named.Annal.self, Named.Diary.self, Named.Ledger.self, Named.Mark.self, Named.Roll.self,
  ]

  /// A table of the file, as plain Swift remembers it.
  private struct Table {
    let key: String
    let others: Set<String>
    var rows: Set<Int> = []
  }

  @Test("who opens a file without a logger is told on standard error of the table that a renamed struct left behind")
  func unheard() async throws {
    let file = try StoreFile()
    try file.write([FormerEntry(number: 1)])
    for _ in 0..<2 {
      let process = try ChildProcess("insert", file.path, 0, within: ["sh", "-c", "\"$@\" 2>&1", "sh"])
      process.send("")
      let lines = await process.rest()
      #expect(lines.contains { $0.contains("warning") && $0.contains("@Model(\"FormerEntry\")") }, "\(lines)")
      #expect(lines.last == "done")
    }
    let process = try ChildProcess("insert", file.path, 1, within: ["sh", "-c", "\"$@\" 2>&1", "sh"])
    process.send("")
    _ = await process.rest()
    let again = try ChildProcess("insert", file.path, 0, within: ["sh", "-c", "\"$@\" 2>&1", "sh"])
    again.send("")
    #expect(await again.rest().filter { $0.contains("FormerEntry") } == [])
  }

  @Test("the plan and the log name just those tables that a new one may stand in for, and no row is lost")
  func walks() throws {
    var generator = SplitMix64(seed: TestSeed.value &* 109)
    for walk in 0..<20 {
      let file = try StoreFile()
      var tables: [String: Table] = [:]
      for step in 0..<5 {
        let types = Self.shapes.filter { _ in generator.once(in: 3) }
        guard !types.isEmpty else { continue }
        let names = types.map { "\($0)" }
        let place = "seed \(TestSeed.value), walk \(walk), step \(step): \(names)"
        var expected: Set<[String]> = []
        for (type, name) in zip(types, names) where tables[name]?.rows.isEmpty ?? true {
          for (old, table) in tables where !names.contains(old) && !table.rows.isEmpty && table.key == type.key {
            let common = table.others.intersection(type.others).count
            if common > 0, common * 2 >= max(table.others.count, type.others.count) { expected.insert([name, old]) }
          }
        }
        func found(_ lines: [String]) -> Set<[String]> {
          Set(
            lines.map { line in
              tables.keys.filter { line.contains("@Model(\"\($0)\")") }.flatMap { old in
                names.filter { line.contains("table \($0) of \($0) is empty") } + [old]
              }
            })
        }
        let notes = try StoreOpening(path: file.path, models: types, configuration: .init()).plan().notes
        #expect(found(notes) == expected && notes.count == expected.count, "\(place): \(notes)")
        let log = CapturedLog()
        var configuration = Store.Configuration()
        configuration.log = log.logger
        let store = try Store(at: file.path, for: types, configuration: configuration)
        let warnings = log.lines.filter { $0.contains("@Model(") }
        #expect(found(warnings) == expected && warnings.count == expected.count, "\(place): \(warnings)")
        for (type, name) in zip(types, names) {
          var table = tables[name] ?? Table(key: type.key, others: type.others)
          #expect(try Self.change(type, &table.rows, store.blocking, &generator), "\(place)")
          tables[name] = table
        }
        try store.blocking.close()
        for (name, table) in tables {
          let rows = try file.sql(SQL(raw: "select \(table.key) as id from \(name)")).compactMap { $0["id"]?.integer }
          #expect(Set(rows.map { Int($0) }) == table.rows, "\(place): \(name)")
        }
      }
    }
    TestSeed.tried(200, .operations, "plans after changes of names")
  }

  /// Returns whether the table has the rows; then adds or removes some.
  private static func change<Shape: NamedShape>(
    _ shape: Shape.Type, _ rows: inout Set<Int>, _ db: BlockingStore, _ generator: inout SplitMix64
  ) throws -> Bool {
    let isSame = Set(try db.fetch(Shape.all).map(\.id)) == rows
    for _ in 0..<2 where generator.once(in: 2) {
      let id = Int.random(in: 1...3, using: &generator)
      if generator.once(in: 3) {
        try db.delete(Shape.self, id)
        rows.remove(id)
      } else {
        try db.save(Shape(id: id))
        rows.insert(id)
      }
    }
    return isSame
  }
}
