#if os(Linux)
import Foundation
import Larder
import LarderTestSupport
import Testing

@testable import LarderTool

@Suite(
  "Models of files with hostile names",
  .enabled(if: ModelSourceProgram.canBuild, "needs the objects of a debug build"), .timeLimit(.minutes(20)))
struct ModelSourceHostileTests {
  private static let names = [
    "quote\"d", "back\\slash", "new\nline", "end\r", "tab\t", "*/ end", "// c", "/*", "\\(exit(1))", "\"\"\"",
    "#\"raw\"#",
    "`tick`", "`", "😀", "*", "\u{202E}right", "\u{2028}", "\u{FEFF}", "\u{301}a", "e\u{301}", "é", "ªº²", "ǅ", "名前",
    "123", "1st", "_", "__x", "_x", "$0", "a.b", String(repeating: "x", count: 300), "class", "default", "self", "Self",
    "init", "Type", "id", "ID_", "identifier", "columns", "schema", "indexes", "Columns", "customMirror", "validate",
    "encode", "hashValue", "description", "row", "key", "await", "inout", "get", "set", "didSet", "willSet", "read",
    "modify", "mutating", "yield", "borrow", "consume", "copy", "unsafe", "async", "nonisolated", "package", "repeat",
    "then", "do", "actor", "any", "some", "where", "import", "bind",
    "Any", "Protocol", "Larder", "Swift", "Foundation", "Data", "Date", "Int", "String", "Optional", "ToOne", "ToMany",
    "Index", "Store", "Model", "Value", "AnyValue", "Codable", "Error", "models", "Program", "Found", "_position",
    "_expires", "_rowid", "rowid",
  ]

  @Test("names that would break out of strings, comments and identifiers compile and open the file")
  func names() async throws {
    var seen: Set<String> = []
    let columns = Self.names.filter { seen.insert($0.folded).inserted && $0.folded != "id" }
    let tables = columns.filter { $0 != "rowid" }
    let wide = columns.map { "\(quoted($0)) text not null default 'x'" }.joined(separator: ", ")
    var statements = tables.map {
      "create table \(quoted("\($0) table")) (\(quoted($0)) integer primary key, \(quoted("\($0) 2")) text)"
    }
    statements += tables.map { "insert into \(quoted("\($0) table")) values (1, 'x')" }
    statements += ["create table wide (id integer primary key, \(wide))", "insert into wide (id) values (7)"]
    statements += tables.map { "create view \(quoted("\($0) view")) as select * from wide" }
    let file = try await ModelSourceFile(statements)
    let found = try ModelSourceProgram(try await file.source, in: try TemporaryFolder()).run(file.path)
    // No model can have a column that Larder keeps for itself.
    #expect(Set(found.map(\.table)) == Set(tables.filter { $0 != "_rowid" }.map { "\($0) table" } + ["wide"]))
    #expect(found.allSatisfy { $0.count == 1 && $0.rows == 1 })
  }

  @Test("references of all kinds compile and open the file, and those that no ToOne can hold say why")
  func references() async throws {
    let file = try await ModelSourceFile([
      "create table parent (id integer primary key, code text unique, parent_id integer references parent on delete cascade)",
      "create table plain (id integer primary key, name text)",
      "create table pair (a, b, c, primary key (a, b)) without rowid",
      "insert into pair values (1, 'x', x'00'), ('1', 2.5, null)",
      """
      create table child (id integer primary key, parent_id integer not null references parent,
        code text references parent (code), x_id integer not null references plain on delete set null,
        y_id integer references PLAIN (ID) on delete restrict, z integer references plain on delete set default,
        other text references plain)
      """,
      "create table pair_part (id integer primary key, a references pair (a))",
      "create table lost (id integer primary key, gone integer references gone (id))",
      "insert into plain values (1, 'p')", "insert into parent values (1, 'c', 1)",
      "insert into child (id, parent_id, x_id, y_id) values (1, 1, 1, 1)",
      "create table \"key\" (id integer primary key references plain)",
      "create table keykey (key_id integer primary key references \"key\")",
      "create table loop_a (id integer primary key references loop_b)",
      "create table loop_b (id integer primary key references loop_a)",
      "create table own (id integer primary key references own)",
      "create table beside (code text primary key, id integer references plain, identifier integer)",
      """
      create table both (a integer references plain, b integer references plain, primary key (a, b),
        foreign key (a, b) references pair)
      """,
      "create index expression on child (other, lower(code))",
    ])
    let source = try await file.source
    let expected = [
      "  @Attribute(name: \"y_id\") @Relationship(deleteRule: .deny) var y: ToOne<Plain>?", "  var z: ToOne<Plain>?",
      "  // The file's rule for a deleted row sets this column to NULL or to its default, which no rule of a required ToOne does.",
      "  @Attribute(name: \"x_id\") var x: ToOne<Plain>", "  // Refers to \"gone\", which is no struct.",
      "  // Refers to \"code\" of \"parent\", and a ToOne holds the key.",
      "  @Attribute(name: \"parent_id\") @Relationship(deleteRule: .noAction) var parent: ToOne<Parent>",
      "  // Refers to \"plain\", whose key is a value of another type.",
      "  // Refers to \"pair\", whose key has 2 columns, and a ToOne holds one.",
      "  // Refers to \"own\", whose key is a reference itself.",
      "  // Refers to \"key\", whose key is a reference itself.",
      "  @Relationship(deleteRule: .noAction) var id: ToOne<Plain>",
      "  @Relationship(inverse: \\Both.b) var bothByB: ToMany<Both> = []",
    ]
    #expect(source.missing(expected) == [], "\(source)")
    let found = try ModelSourceProgram(source, in: try TemporaryFolder()).run(file.path)
    #expect(found.first { $0.table == "pair" }?.rows == 2)
    #expect(found.first { $0.table == "child" }?.rows == 1)
    #expect(found.count == 13)
  }

  @Test("what a file records of its models can't break out of the source")
  func catalogue() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("zoo.larder").path
    try await ModelSourceZoo.makeFile(path)
    let store = try Store(at: path)
    for (text, replacement) in [
      ("\"model\":\"ZooCost\"", #""model":"Cost { }\nstruct Evil""#), ("\"model\":\"ZooPerson\"", #""model":"Int""#),
      ("\"property\":\"amount\"", #""property":"x: Int = exit(1) //""#),
      ("\"property\":\"number\"", #""property":"title""#),
      ("\"property\":\"address.street\"", #""property":"address.place""#),
      ("\"property\":\"address.city\"", #""property":"address.city\n}""#),
      ("\"property\":\"address.mood\"", #""property":"address.mood.a.b.c.d.e.f.g.h""#),
      ("\"property\":\"tags\"", #""property":"`tags`; exit(1)""#), ("\"property\":\"other\"", #""property":"account""#),
      ("\"property\":\"fans\"", #""property":"id""#), ("\"property\":\"children\"", #""property":"x = exit(1)""#),
      ("\"swiftType\":\"Decimal\"", #""swiftType":"Int = { exit(1) }()""#),
      ("\"swiftType\":\"Int8\"", #""swiftType":"Data""#),
      ("\"swiftType\":\"ZooMood\"", #""swiftType":"String""#),
      ("\"swiftType\":\"ZooLevel\"", #""swiftType":"ZooMood""#),
      ("\"1\"", "\"default\""), ("\"allCases\"", #""a\nexit(1)//\" = 2""#),
      ("\"kind\":\"cascade\"", #""kind":"nullify""#),
    ] {
      try await store.sql("update _larder_models set schema = replace(schema, \(text), \(replacement))")
    }
    await store.close()
    let source = try await ModelSource.text(ofFile: path)
    #expect(!source.contains("exit(1) //") && !source.contains("{ exit(1) }") && !source.contains("struct Evil"))
    let found = try ModelSourceProgram(source, in: folder).run(path)
    #expect(found.map(\.rows) == [1, 1, 1, 1])
  }

  @Test("names of random characters compile and open the file")
  func randomNames() async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    let pool = Array(
      "abcXYZ012_ -.\"'`\\/*()[]{}$#@!\n\téß名ΩЖا🙂\u{301}\u{200D}\u{202E}\u{AD}\u{2160}\u{E000}".unicodeScalars)
    let ranges: [ClosedRange<UInt32>] = [1...0x2FF, 0x300...0x24FF, 0x2C00...0xD7FF, 0xF900...0x1FFFF, 0xFDD0...0xFDEF]
    func name() -> String {
      var name = String.UnicodeScalarView()
      for _ in 0...Int.random(in: 0...6, using: &random) {
        let any = ranges.randomElement(using: &random).map { UInt32.random(in: $0, using: &random) } ?? 65
        let scalar = Bool.random(using: &random) ? Unicode.Scalar(any) : pool.randomElement(using: &random)
        if let scalar { name.append(scalar) }
      }
      return String(name)
    }
    var seen: Set<String> = []
    let names = (0..<170).map { _ in name() }.filter { seen.insert($0.folded).inserted && !$0.isEmpty }
    let columns = names.dropFirst(20).map { "\(quoted($0)) text" }.joined(separator: ", ")
    let file = try await ModelSourceFile(
      ["create table wide (\"the key\" integer primary key, \(columns))", "insert into wide (\"the key\") values (1)"]
        + names.prefix(20).map { "create table \(quoted("t\($0)")) (a text primary key, b)" })
    do {
      let found = try ModelSourceProgram(try await file.source, in: try TemporaryFolder()).run(file.path)
      #expect(found.count == 21 && found.contains { $0.table == "wide" && $0.rows == 1 }, "seed \(seed)")
    } catch {
      Issue.record(error, "seed \(seed)")
    }
  }

  private func quoted(_ name: String) -> String {
    // One unit after the other: a quote with a combining mark is another character.
    "\"\(String(decoding: name.utf8.flatMap { $0 == UInt8(ascii: "\"") ? [$0, $0] : [$0] }, as: UTF8.self))\""
  }
}
#endif
