import Foundation
import Larder
import LarderTestSupport
import Testing

/// What follows from the rows, and that another program has spoiled.
@Suite("what larder check finds and larder repair makes anew", .timeLimit(.minutes(20)))
struct ToolRepairTests {
  /// Checks that the command finds problems of one kind, repairs them, and then finds none.
  private func expectRepair(of file: ToolFile, _ kind: String, count: Int = 1) async throws {
    let bytes = FileManager.default.contents(atPath: file.path)
    let text = try await ToolRun("check", file.path)
    #expect(text.status == 1)
    #expect(text.lines.contains { $0.hasPrefix("\(kind): ") }, "\(text)")
    #expect(text.lines.contains("Found: \(count) \(kind)."), "\(text)")
    #expect(text.output.contains("larder repair makes"), "\(text)")
    let json = try DocumentValue(json: try await ToolRun("check", file.path, "--json").output)
    #expect(json["counts"] == [kind: .integer(Int64(count))])
    #expect(FileManager.default.contents(atPath: file.path) == bytes)
    let repair = try await ToolRun("repair", file.path)
    #expect(repair.status == 0, "\(repair)")
    #expect(repair.output == "\(count) of \(count) problems are repaired.\nThe file is healthy.\n", "\(repair)")
    #expect(try await ToolRun("check", file.path).output == "The file is healthy.\n")
  }

  /// Executes SQL while SQLite sees an index of no rows, and therefore adds none to it.
  private func spoil(index: String, _ sql: String, in file: ToolFile) throws {
    for sql in [
      "pragma writable_schema = on; update sqlite_master set sql = sql || ' where 0' where name = '\(index)'", sql,
      "pragma writable_schema = on; update sqlite_master set sql = replace(sql, ' where 0', '') where name = '\(index)'",
    ] { try OtherProgram.execute(sql, on: file.path) }
  }

  private func titles(_ file: ToolFile, _ arguments: String...) async throws -> [String] {
    let process = try ToolProcess(
      ["query", file.path, "ToolNote", "--columns", "title", "--sort", "title", "--format", "jsonl"] + arguments)
    process.closeInput()
    return try await process.result().lines.compactMap { try DocumentValue(json: $0)["title"]?.text }
  }

  @Test("an index that lacks rows")
  func index() async throws {
    let file = try await ToolFile.empty()
    try await file.store { try await $0.insert([ToolAccount(number: "1"), ToolAccount(number: "2")]) }
    let names = try await file.rows("select name from sqlite_master where type = 'index' and sql like '%(\"number\")%'")
    let name = try #require(names.first?.first?.text)
    try spoil(index: name, "update ToolAccount set number = number || '0'", in: file)
    #expect(try await file.rows("select number from ToolAccount where number = '20'").isEmpty)
    let check = try await ToolRun("check", file.path)
    #expect(check.status == 1)
    #expect(check.output.contains("damage: The table of ToolAccount is damaged ("), "\(check)")
    #expect(check.output.contains(name), "\(check)")
    #expect(check.output.contains("larder repair makes"), "\(check)")
    let repair = try await ToolRun("repair", file.path)
    #expect(repair.status == 0, "\(repair)")
    #expect(repair.output.contains("problems are repaired.\nThe file is healthy.\n"), "\(repair)")
    #expect(try await file.rows("select number from ToolAccount where number = '20'") == [["20"]])
  }

  @Test("an index of another program's file that lacks rows")
  func foreignIndex() async throws {
    let file = try await ToolFile.foreign(
      "create table t (id integer primary key, x text)", "create index i on t (x)", "insert into t values (1, 'a')")
    try spoil(index: "i", "insert into t values (2, 'b'), (3, 'b')", in: file)
    #expect(try await file.rows("select id from t where x = 'b'").isEmpty)
    let check = try await ToolRun("check", file.path)
    #expect(check.status == 1 && check.output.contains("damage: The table of t is damaged ("), "\(check)")
    let repair = try await ToolRun("repair", file.path)
    #expect(repair.status == 0, "\(repair)")
    #expect(try await file.rows("select id from t where x = 'b'") == [[2], [3]])
  }

  @Test("a full-text index that lacks words")
  func searchIndex() async throws {
    let file = try await ToolFile.withNotes()
    try OtherProgram.execute(
      "insert into _larder_search_ToolNote (_larder_search_ToolNote) values ('delete-all')", on: file.path)
    #expect(try await titles(file, "--search", "milk").isEmpty)
    try await expectRepair(of: file, "searchIndex")
    #expect(try await titles(file, "--search", "milk") == ["Eggs and milk", "Milk"])
  }

  @Test("a full-text index that has the words of an earlier text")
  func staleSearchIndex() async throws {
    let file = try await ToolFile.withNotes()
    let triggers = try await file.rows(
      "select name, sql from sqlite_master where name like '_larder_search_ToolNote_u%'")
    let (name, sql) = (try #require(triggers.first?[0].text), try #require(triggers.first?[1].text))
    try OtherProgram.execute(
      "drop trigger \"\(name)\"; update ToolNote set title = 'Juice' where count = 1; \(sql)", on: file.path)
    #expect(try await titles(file, "--search", "juice").isEmpty)
    try await expectRepair(of: file, "searchIndex")
    #expect(try await titles(file, "--search", "juice") == ["Juice"])
    #expect(try await titles(file, "--search", "milk") == ["Eggs and milk"])
  }

  @Test("JSON in another form than Larder writes is for the program to find, which has the types")
  func jsonForm() async throws {
    let file = try await ToolFile.empty()
    try await file.store { store in
      try await store.insert([
        ToolNote(title: "Milk", tags: ["a", "b"]), ToolNote(title: "Tea", tags: ["a", "b"]), ToolNote(title: "Jam"),
      ])
    }
    let equal = "select title from ToolNote where tags = (select tags from ToolNote where title = 'Milk') order by 1"
    let other = "update ToolNote set tags = ' [ \"a\" , \"\\u0062\" ]' where title = 'Tea'"
    try OtherProgram.execute(other, on: file.path)
    #expect(try await file.rows(equal) == [["Milk"]])
    for verb in ["check", "repair"] {
      #expect(try await ToolRun(verb, file.path).output == "The file is healthy.\n")
    }
    #expect(try await file.rows(equal) == [["Milk"]])
    let counts = try await file.store { store in
      let report = try await store.check()
      try await store.rebuildDerived()
      return report.counts
    }
    #expect(counts == [.jsonForm: 1])
    #expect(try await file.rows(equal) == [["Milk"], ["Tea"]])
  }
}
