import Foundation
import Larder
import LarderSync
import LarderTestSupport
import Testing

@Suite("larder info, schema, model, query and sql", .timeLimit(.minutes(20)))
struct ToolLookingTests {
  /// A table, a column and values that try to drive the terminal, the SQL and a page.
  private static func hostile() async throws -> ToolFile {
    try await ToolFile.foreign(
      "create table \"<script>\"\"';\u{1B}[31m\" (id integer primary key, \"a\"\"b\u{7}\" text)",
      "insert into \"<script>\"\"';\u{1B}[31m\" values (1, '\u{1B}]0;title\u{7}\u{202E}' || char(0, 155) || 'end')")
  }

  @Test("info says what is in a file of Larder's, as text and as JSON")
  func info() async throws {
    let file = try await ToolFile.withNotes()
    let text = try await ToolRun("info", file.path)
    #expect(text.status == 0, "\(text.errors)")
    #expect(text.output.contains("Larder, format 1"))
    #expect(text.lines.contains { $0.hasPrefix("ToolNote ") && $0.contains(" 3 ") })
    let json = try DocumentValue(json: try await ToolRun("info", file.path, "--json").output)
    let note = json["tables"]?.array?.first { $0["name"] == "ToolNote" }
    #expect(note?["rows"] == 3)
    #expect(note?["kind"] == "model")
    #expect(json["format"] == 1)
    #expect(json["sync"] == false)
    #expect((json["size"]?.integer ?? 0) > 0)
  }

  @Test("info says that sync is on, which migrations ran, and the version that the program gave the file")
  func facts() async throws {
    let file = try ToolFile()
    var configuration = Store.Configuration(sync: .on)
    configuration.migrations = [
      Migration("2026-01 first") { _ in }, Migration("2026-02 \u{1B}second") { _ in },
    ]
    let store = try Store(at: file.path, for: ToolItem.self, configuration: configuration)
    try await store.sql("pragma user_version = 7")
    await store.close()
    let text = try await ToolRun("info", file.path)
    #expect(text.status == 0, "\(text.errors)")
    #expect(text.output.contains(", user version 7, journal wal\n"), "\(text.output)")
    #expect(text.lines.contains("Migrations: 2026-01 first, 2026-02 \\u{1B}second"), "\(text.output)")
    #expect(text.lines.contains("Sync: on"))
    let json = try DocumentValue(json: try await ToolRun("info", file.path, "--json").output)
    #expect(json["sync"] == true)
    #expect(json["userVersion"] == 7)
    #expect(json["journal"] == "wal")
    #expect(json["migrations"] == ["2026-01 first", "2026-02 \u{1B}second"])
    // Tables that sync keeps for itself aren't the program's.
    #expect(json["tables"]?.array?.compactMap { $0["name"]?.text } == ["ToolItem"])
  }

  @Test("info and schema describe a file of another program")
  func foreign() async throws {
    let file = try await ToolFile.foreign(
      "create table a (id integer primary key, x text not null unique)",
      "create table b (id integer primary key, a integer references a (id) on delete cascade)",
      "create view v as select * from a")
    let info = try DocumentValue(json: try await ToolRun("info", file.path, "--json").output)
    #expect(info["format"] == .null)
    #expect(info["tables"]?.array?.compactMap { $0["name"]?.text } == ["a", "b", "v"])
    let schema = try DocumentValue(json: try await ToolRun("schema", file.path, "b", "--json").output)
    #expect(schema["properties"]?[1]?["target"] == "a")
    #expect(schema["relationships"]?[0]?["deleteRule"] == "cascade")
  }

  @Test("info says which view can't be read, and counts the others")
  func brokenView() async throws {
    let file = try await ToolFile.foreign(
      "create table a (id integer primary key)", "create table gone (id integer primary key)",
      "create view v as select id from gone", "drop table gone")
    let text = try await ToolRun("info", file.path)
    #expect(text.status == 0, "\(text.errors)")
    #expect(text.output.contains("v can't be read: "), "\(text.output)")
    let run = try await ToolRun("info", file.path, "--json")
    #expect(run.status == 0, "\(run.errors)")
    let tables = try DocumentValue(json: run.output)["tables"]?.array
    #expect(tables?.first { $0["name"] == "a" }?["rows"] == 0)
    let view = tables?.first { $0["name"] == "v" }
    #expect(view?["rows"] == .null)
    #expect(view?["problem"]?.text?.contains("gone") == true)
  }

  @Test(
    "SQL rounds decimals with any scale and mode, and ends no process",
    arguments: [
      ("'2.345', 2, 0", "2.35"), ("'1e10', 9223372036854775807, -1", "10000000000"),
      ("'12345678901234567890', -9223372036854775808, 2", "0"), ("'2.5', null, 3", "2"),
    ])
  func rounding(arguments: String, expected: String) async throws {
    let file = try await ToolFile.foreign(last: "create table _larder_migrations (a)")
    let sql = "select larder_decimal_round(\(arguments)) as rounded"
    let run = try await ToolRun("sql", file.path, sql, "--format", "csv")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.lines.last?.contains(expected) == true, "\(run.output)")
    // A table that only has the name of the one with migrations names none.
    #expect(try await ToolRun("info", file.path).output.contains("Migrations: none"))
  }

  @Test("query says that there are more rows than it shows")
  func moreRows() async throws {
    let file = try await ToolFile.withNotes()
    let cut = try await ToolRun("query", file.path, "ToolNote", "--columns", "title", "--limit", "2", "--format", "csv")
    #expect(cut.lines.count == 3)
    #expect(cut.errors.contains("There are more rows"))
    let all = try await ToolRun("query", file.path, "ToolNote", "--columns", "title", "--limit", "3")
    #expect(all.errors.isEmpty)
  }

  @Test("schema shows types, keys, indexes, relationships, derived values and expiry")
  func schema() async throws {
    let file = try await ToolFile.empty()
    let text = try await ToolRun("schema", file.path)
    #expect(text.status == 0, "\(text.errors)")
    for part in [
      "Decimal", "Array<String>", "one of happy, so so", "rows expire", "derived", "delete rule cascade",
      "full-text search",
    ] {
      #expect(text.output.contains(part), "\(part) in \(text.output)")
    }
    let json = try DocumentValue(json: try await ToolRun("schema", file.path, "--json").output)
    let account = json.array?.first { $0["name"] == "ToolAccount" }
    #expect(account?["properties"]?.array?.first { $0["name"] == "total" }?["isDerived"] == true)
    let missing = try await ToolRun("schema", file.path, "ToolNot")
    #expect(missing.status == 1)
    #expect(missing.errors.contains("Did you mean ToolNote?"))
  }

  @Test("model writes Swift source, to standard output or a file")
  func model() async throws {
    let file = try await ToolFile.foreign("create table person (id integer primary key, name text not null)")
    let text = try await ToolRun("model", file.path)
    #expect(text.status == 0)
    #expect(text.output.contains("@Model"))
    let target = file.side("Models.swift")
    #expect(try await ToolRun("model", file.path, "--output", target).status == 0)
    #expect(try String(contentsOfFile: target, encoding: .utf8) == text.output)
  }

  @Test("query finds, sorts, searches, limits and chooses columns")
  func query() async throws {
    let file = try await ToolFile.withNotes()
    let found = try await ToolRun(
      "query", file.path, "ToolNote", "count > 1", "--sort", "-count", "--columns", "title,count", "--json")
    #expect(found.status == 0, "\(found.errors)")
    #expect(
      try DocumentValue(json: found.output) == [
        ["title": "Bread", "count": 3], ["title": "Eggs and milk", "count": 2],
      ])
    let table = try await ToolRun("query", file.path, "ToolNote", "--sort", "count", "--columns", "title,count,body")
    #expect(
      table.lines == [
        "title          count  body", "Milk               1  nil", "Eggs and milk      2  nil",
        "Bread              3  nil",
      ])
    let searched = try await ToolRun(
      "query", file.path, "ToolNote", "--search", "milk", "--sort", "title", "--columns", "title", "--format", "csv")
    #expect(searched.output == "title\nEggs and milk\nMilk\n")
    let page = try await ToolRun(
      "query", file.path, "ToolNote", "--sort", "title", "--limit", "1", "--offset", "1", "--columns", "title",
      "--format",
      "jsonl")
    #expect(page.output == "{\"title\":\"Eggs and milk\"}\n")
  }

  @Test("an error in a condition, or in a sort, has a caret under its place")
  func caret() async throws {
    let file = try await ToolFile.withNotes()
    let run = try await ToolRun("query", file.path, "ToolNote", "count > 1 and colour == 2")
    #expect(run.status == 1)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("\n  count > 1 and colour == 2\n                ^"), "\(run.errors)")
    let sort = try await ToolRun("query", file.path, "ToolNote", "count > 1", "--sort", "title,colour")
    #expect(sort.status == 1)
    #expect(sort.errors.contains("\n  title,colour\n        ^"), "\(sort.errors)")
    #expect(try await ToolRun("query", file.path, "ToolNote", "--columns", "colour").status == 1)
    #expect(try await ToolRun("query", file.path, "ToolTicket", "--search", "x").status == 1)
    #expect(try await ToolRun("query", file.path, "ToolNote", "--limit", "-1").status == 64)
  }

  @Test("names and values of a hostile file never reach the terminal as they are")
  func hostileValues() async throws {
    let file = try await Self.hostile()
    let name = "<script>\"';\u{1B}[31m"
    let runs = [
      try await ToolRun("info", file.path), try await ToolRun("schema", file.path),
      try await ToolRun("query", file.path, name), try await ToolRun("query", file.path, name, "--json"),
      try await ToolRun("sql", file.path, "select * from \"<script>\"\"';\u{1B}[31m\""),
      try await ToolRun("query", file.path, name, "colour"), try await ToolRun("schema", file.path, name + "x"),
    ]
    for run in runs {
      let shown = (run.output + run.errors).unicodeScalars.filter { $0 != "\n" }
      #expect(!shown.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || $0.value == 0x202E }, "\(run)")
    }
    #expect(runs[3].status == 0)
    let rows = try DocumentValue(json: runs[3].output)
    #expect(rows[0]?["a\"b\u{7}"] == .text("\u{1B}]0;title\u{7}\u{202E}\u{0}\u{9B}end"))
  }

  @Test("expired rows aren't shown")
  func expired() async throws {
    let file = try await ToolFile.empty()
    try await file.store {
      try await $0.sql("insert into ToolTicket (id, text, _expires) values (1, 'gone', 1), (2, 'here', null)")
    }
    #expect(try await ToolRun("query", file.path, "ToolTicket", "--format", "csv").output == "id,text\n2,here\n")
    #expect(try await ToolRun("sql", file.path, "select id from ToolTicket", "--format", "csv").output == "id\n2\n")
  }

  @Test("sql reads, and changes only with --write")
  func sql() async throws {
    let file = try await ToolFile.withNotes()
    let read = try await ToolRun(
      "sql", file.path, "select count(*) as n, x'00ff' as b, null as c from ToolNote", "--json")
    #expect(try DocumentValue(json: read.output) == [["n": 3, "b": ["$bytes": "AP8="], "c": nil]])
    #expect(try await ToolRun("sql", file.path, "select 1 where 0", "--json").output == "[]\n")
    let refused = try await ToolRun("sql", file.path, "delete from ToolNote")
    #expect(refused.status == 1)
    #expect(refused.errors.contains("--write"))
    let deleted = try await ToolRun("sql", file.path, "delete from ToolNote where count = 1", "--write")
    #expect(deleted.status == 0)
    #expect(deleted.output == "1 row is changed.\n")
    #expect(try await file.rows("select count(*) from ToolNote") == [[2]])
    let bad = try await ToolRun("sql", file.path, "slect")
    #expect(bad.status == 1)
    #expect(bad.errors.contains("near \"slect\""))
  }
  @Test(
    "a statement that writes says how many rows it changed",
    arguments: [
      ("update ToolNote set isRead = 1", "3 rows are changed."),
      ("update ToolNote set isRead = 1 where count > 100", "No row is changed."),
      ("/* all */ -- of them\n WITH x AS (SELECT 1) UPDATE ToolTicket SET text = 'a'", "2 rows are changed."),
      ("create index i on ToolNote (body)", ""), ("vacuum", ""), ("select 1 where 0", ""),
      ("with x as (select 5 as five) select five from x", "five\n5"),
      ("insert into v values (7)", "Triggers have changed rows."),
      ("delete from ToolTicket where id = 2 returning id", "id\n2\n1 row is changed."),
    ])
  func changedRows(statement: String, expected: String) async throws {
    let file = try await ToolFile.withNotes()
    for sql in [
      "insert into ToolTicket (id, text) values (2, 'w'), (7, 'x'), (8, 'y')",
      "delete from ToolTicket where id = 8", "create view v as select id from ToolTicket",
      "create trigger t instead of insert on v begin update ToolTicket set text = 'v' where id = new.id; end",
    ] {
      let run = try await ToolRun("sql", file.path, sql, "--write")
      #expect(run.status == 0, "\(run)")
    }
    let run = try await ToolRun("sql", file.path, statement, "--write")
    #expect(run.status == 0, "\(run)")
    let lines = run.lines.map { $0.trimmingCharacters(in: .whitespaces) }.filter {
      !$0.allSatisfy { "-─".contains($0) }
    }
    #expect(lines == expected.split(separator: "\n").map(String.init), "\(run)")
    // What programs read has the rows alone.
    let json = try await ToolRun("sql", file.path, "update ToolNote set count = 4", "--write", "--json")
    #expect(json.output == "[]\n")
  }

  @Test("SQL may begin with a comment")
  func comments() async throws {
    let file = try await ToolFile.withNotes()
    for statement in ["-- how many\nselect count(*) as n from ToolNote", "--x\nselect 3 as n", "--\tn\nselect 3 as n"] {
      let run = try await ToolRun("sql", file.path, statement, "--format=csv")
      #expect(run.output == "n\n3\n", "\(run)")
    }
    #expect(try await ToolRun("sql", file.path, "--wirte=a b", "select 1").status == 64)
    // What follows two dashes is no option, and stays as it is.
    let ended = try await ToolRun("sql", "--format=csv", "--", file.path, "-- c\nselect 3 as n")
    #expect(ended.output == "n\n3\n", "\(ended)")
  }
}
