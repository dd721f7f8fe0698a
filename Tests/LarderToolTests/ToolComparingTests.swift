import Foundation
import Larder
import LarderTestSupport
import Testing

@Suite("larder diff, plan and watch", .timeLimit(.minutes(20)))
struct ToolComparingTests {
  @Test("diff shows rows that only one file has, and properties that differ")
  func differences() async throws {
    let file = try await ToolFile.withNotes()
    let copy = file.side("copy.larder")
    #expect(try await ToolRun("backup", file.path, copy).status == 0)
    try await file.store { store in
      try await store.sql("update ToolNote set count = 20, body = '' where title = 'Eggs and milk'")
      try await store.sql("delete from ToolNote where title = 'Bread'")
      try await store.insert(ToolNote(title: "Tea"))
    }
    let text = try await ToolRun("diff", copy, file.path, "--table", "ToolNote")
    #expect(text.status == 1)
    #expect(text.lines.count == 3)
    #expect(text.lines.count { $0.hasPrefix("- ToolNote ") } == 1)
    #expect(text.lines.count { $0.hasPrefix("+ ToolNote ") } == 1)
    #expect(
      text.lines.contains { $0.hasPrefix("~ ToolNote ") && $0.contains("count: 2 → 20") && $0.contains("body: nil → ") }
    )
    let lines = try await ToolRun("diff", copy, file.path, "--json").lines.map { try DocumentValue(json: $0) }
    #expect(Set(lines.compactMap { $0["change"]?.text }) == ["onlyInFirst", "onlyInSecond", "different"])
    let change = lines.first { $0["change"] == "different" }
    #expect(change?["properties"] == ["body": ["first": nil, "second": ""], "count": ["first": 2, "second": 20]])
  }

  @Test("plan shows tables, properties, indexes and relationships that differ")
  func plan() async throws {
    let old = try await ToolFile.foreign(
      "create table a (id integer primary key, x text, gone text)", "create index i on a (x)",
      "create table b (id integer primary key, a integer references a (id))", "create table c (id integer primary key)")
    let new = try await ToolFile.foreign(
      "create table a (id integer primary key, x text not null, y integer)", "create unique index i on a (x)",
      "create table b (id integer primary key, a integer references a (id) on delete cascade)",
      "create table d (id integer primary key)")
    let text = try await ToolRun("plan", old.path, new.path)
    #expect(text.status == 1)
    for line in [
      "~ a property x: String? → String (unique)", "- a property gone: String?", "+ a property y: Int?",
      "~ a index i: x → unique x", "- table c: table", "+ table d: table",
    ] {
      #expect(text.lines.contains(line), "\(line) isn't in \(text.output)")
    }
    #expect(text.lines.contains { $0.hasPrefix("~ b relationship ") && $0.hasSuffix("→ a, delete rule cascade") })
    let lines = try await ToolRun("plan", old.path, new.path, "--table", "a", "--json").lines
      .map { try DocumentValue(json: $0) }
    #expect(lines.compactMap { $0["change"]?.text }.sorted() == ["added", "changed", "changed", "changed", "removed"])
    #expect(lines.allSatisfy { $0["table"] == "a" })
    let unknown = try await ToolRun("plan", old.path, new.path, "--table", "nothing")
    #expect(unknown.status == 1)
    #expect(unknown.errors.contains("nothing"))
  }

  @Test("plan finds no difference between two files of one program, with rows or without")
  func samePlan() async throws {
    let (full, empty) = (try await ToolFile.withNotes(), try await ToolFile.empty())
    let same = try await ToolRun("plan", full.path, empty.path)
    #expect(same.status == 0, "\(same.output)\(same.errors)")
    #expect(same.output == "The tables are the same.\n")
  }

  @Test(
    "diff compares rows without a value in their key as a whole",
    arguments: ["k text primary key", "k int primary key"])
  func nilKeys(key: String) async throws {
    let rows = (0..<1200).map { "(null, \($0 / 2))" }.joined(separator: ", ")
    let first = try await ToolFile.foreign("create table t (\(key), x)", "insert into t values (1, 5), \(rows)")
    let second = try await ToolFile.foreign("create table t (\(key), x)", "insert into t values \(rows), (1, 5)")
    let same = try await ToolRun("diff", first.path, second.path)
    #expect(same.status == 0, "\(same.output)")
    try await second.rowsWritten("update t set x = 9000 where rowid = 7")
    let run = try await ToolRun("diff", first.path, second.path, "--json")
    let changes = try run.lines.map { try DocumentValue(json: $0)["change"]?.text }
    #expect(changes.compactMap { $0 }.sorted() == ["onlyInFirst", "onlyInSecond"])
  }

  @Test(
    "diff compares tables in any order of their keys, and says which table only one file has", arguments: [0, 1, 2])
  func random(seed: UInt64) async throws {
    var generator = SplitMix64(seed: seed)
    let keys = ["id integer primary key", "id text primary key collate nocase", "id decimal(10,2) primary key"]
    for key in keys {
      let first = try await ToolFile.foreign("create table t (\(key), x)", "create table only (id integer primary key)")
      let second = try await ToolFile.foreign("create table t (\(key), x)")
      var (left, right): ([Int: Int], [Int: Int]) = ([:], [:])
      for id in 0..<1300 where Bool.random(using: &generator) || id < 20 {
        left[id] = id < 20 ? nil : Int.random(in: 0..<2, using: &generator)
        right[id] = Bool.random(using: &generator) ? left[id] : Int.random(in: 0..<2, using: &generator)
      }
      for (file, rows) in [(first, left), (second, right)] where !rows.isEmpty {
        let isText = key.contains("text")
        let values = rows.map { id, x in "(\(isText ? "'\(id % 2 == 0 ? "a" : "B")\(id)'" : "\(id)"), \(x))" }
        try await file.rowsWritten("insert into t values \(values.joined(separator: ", "))")
      }
      let run = try await ToolRun("diff", first.path, second.path, "--json")
      let lines = try run.lines.map { try DocumentValue(json: $0) }
      let both = Set(left.keys).intersection(right.keys)
      func count(_ change: String) -> Int { lines.count { $0["change"]?.text == change } }
      #expect(count("onlyInFirst") == left.count - both.count, "seed \(seed) \(key)")
      #expect(count("onlyInSecond") == right.count - both.count, "seed \(seed) \(key)")
      #expect(count("different") == both.count { left[$0] != right[$0] }, "seed \(seed) \(key)")
      #expect(count("tableOnlyInFirst") == 1, "seed \(seed) \(key)")
    }
  }

  @Test("watch shows rows that come, change and go")
  func watch() async throws {
    let file = try await ToolFile.withNotes()
    let process = try ToolProcess(["watch", file.path, "ToolNote", "count < 10", "--json", "--limit", "3"])
    process.closeInput()
    #expect(await process.nextError()?.contains("ToolNote: 3 rows") == true)
    let store = try Store(at: file.path, for: ToolFile.models)
    try await store.sql("update ToolNote set body = 'x' where title = 'Milk'")
    let updated = await process.next()
    try await store.sql("update ToolNote set count = 10 where title = 'Milk'")
    let deleted = await process.next()
    try await store.insert(ToolNote(title: "Tea\u{1B}", count: 1))
    let inserted = await process.next()
    await store.close()
    #expect(try DocumentValue(json: updated ?? "")["change"] == "updated")
    #expect(try DocumentValue(json: deleted ?? "")["change"] == "deleted")
    #expect(try DocumentValue(json: inserted ?? "")["row"]?["title"] == "Tea\u{1B}")
    #expect(try await process.result().status == 0)
  }

  @Test("watch ends at once for a condition that can't be read, and with a signal")
  func watchEnds() async throws {
    let file = try await ToolFile.withNotes()
    let run = try await ToolRun("watch", file.path, "ToolNote", "colour == 1")
    #expect(run.status == 1)
    #expect(run.errors.contains("\n  colour == 1\n  ^"))
    let process = try ToolProcess(["watch", file.path, "ToolNote"])
    process.closeInput()
    _ = await process.nextError()
    process.signal(SIGINT)
    #expect(try await process.result().status == 128 + SIGINT)
  }
}

extension ToolFile {
  /// Executes SQL that changes the file.
  func rowsWritten(_ sql: String) async throws {
    let store = try Store(at: path, schema: .existing)
    try await store.sql(SQL(raw: sql))
    await store.close()
  }
}
