import Foundation
import Larder
import LarderTestSupport
import Testing

@Suite("larder check, repair, backup, restore and compact", .timeLimit(.minutes(20)))
struct ToolUpkeepTests {
  /// Creates a file whose derived value SQL has changed.
  private func wrongFile() async throws -> ToolFile {
    let file = try await ToolFile.empty()
    try await file.store { store in
      let account = ToolAccount(number: "1")
      try await store.insert(account)
      try await store.insert(ToolCost(amount: 3, account: ToOne(account)))
    }
    try await file.store { try await $0.sql("update ToolAccount set total = 99") }
    return file
  }

  @Test("a healthy file is said to be healthy")
  func healthy() async throws {
    let file = try await ToolFile.withNotes()
    let run = try await ToolRun("check", file.path)
    #expect(run.status == 0)
    #expect(run.output == "The file is healthy.\n")
    let json = try DocumentValue(json: try await ToolRun("check", file.path, "--json").output)
    #expect(json == ["isHealthy": true, "sync": [], "counts": [:], "findings": []])
    let repaired = try await ToolRun("repair", file.path, "--json")
    #expect(repaired.status == 0)
    #expect(try DocumentValue(json: repaired.output)["found"] == 0)
  }

  @Test("check finds a wrong derived value, and repair makes it anew")
  func derived() async throws {
    let file = try await wrongFile()
    let check = try await ToolRun("check", file.path, "--json")
    #expect(check.status == 1)
    #expect(try DocumentValue(json: check.output)["counts"] == ["derivedValue": 1])
    let text = try await ToolRun("check", file.path)
    #expect(text.output.contains("derivedValue: ToolAccount.total"))
    let repair = try await ToolRun("repair", file.path)
    #expect(repair.status == 0, "\(repair)")
    #expect(repair.output.contains("1 of 1 problems are repaired"))
    #expect(try await file.rows("select total from ToolAccount") == [[3]])
  }

  @Test("what is wrong in many rows is said once, with the number and some of their keys, and lost triggers come back")
  func grouped() async throws {
    let file = try await wrongFile()
    try await file.store { store in
      let account = try #require(try await store.first(ToolAccount.all))
      try await store.insert((0..<200).map { _ in ToolCost(amount: 1, account: .init(account)) })
    }
    let trigger = "_larder_derived_ToolAccount_total_insert"
    try Self.withoutReferences(file.path, "drop trigger \(trigger)")
    try Self.withoutReferences(file.path, "delete from ToolAccount")
    let check = try await ToolRun("check", file.path)
    #expect(check.status == 1)
    let lines = check.output.split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("danglingReference: ") } == 1, "\(check)")
    #expect(lines.count { $0.hasPrefix("  id = ") } == 3)
    #expect(lines.contains { $0.hasPrefix("missingTrigger: ") && $0.contains(trigger) })
    #expect(lines.contains { $0.hasPrefix("Found: 20") && $0.contains("danglingReference, 1 missingTrigger.") })
    let repair = try await ToolRun("repair", file.path)
    #expect(repair.status == 1)
    let names = try await file.rows("select name from sqlite_master where name = '\(trigger)'")
    #expect(names.count == 1)
  }

  @Test("a row that breaks a constraint of another program is found, and corrected by SQL")
  func constraints() async throws {
    let file = try await ToolFile.foreign(
      "create table budget (month text primary key, cents integer check (cents >= 0)) without rowid")
    try Self.withoutReferences(
      file.path,
      "pragma ignore_check_constraints = on; insert into budget values ('2025-01', 100), ('2025-02', -5)")
    let check = try await ToolRun("check", file.path)
    #expect(check.status == 1)
    #expect(check.output.contains("failedConstraint: A row of budget breaks the constraint cents >= 0"))
    #expect(check.output.contains("month = 2025-02"))
    #expect(!check.output.contains("larder repair makes"))
    let correct = try await ToolRun(
      "sql", file.path, "--write", "update budget set cents = 5 where month = '2025-02' and x'80ff' <> x'00'")
    #expect(correct.status == 0, "\(correct)")
    #expect(try await ToolRun("check", file.path).status == 0)
  }

  @Test("a boolean that conditions don't find is found, and repaired")
  func booleans() async throws {
    let file = try await ToolFile.withNotes()
    try Self.withoutReferences(file.path, "update ToolNote set isRead = 7 where count = 1")
    let condition = ["query", file.path, "ToolNote", "isRead = true", "--format", "csv"]
    let before = try ToolProcess(condition)
    before.closeInput()
    let rows = try await before.result().lines.count
    let check = try await ToolRun("check", file.path)
    #expect(check.status == 1)
    #expect(check.output.contains("valueForm: ToolNote.isRead of a row"), "\(check)")
    #expect(check.output.contains("larder repair makes"))
    let repair = try await ToolRun("repair", file.path)
    #expect(repair.status == 0, "\(repair)")
    let after = try ToolProcess(condition)
    after.closeInput()
    #expect(try await after.result().lines.count == max(rows, 1) + 1)
  }

  @Test("a reference that leads nowhere is found in any file, and repair says what to do")
  func dangling() async throws {
    let file = try await ToolFile.foreign(
      "create table a (id integer primary key)",
      "create table b (id integer primary key, a integer references a (id) deferrable initially deferred)",
      // A reference isn't checked while the table that it leads to is made anew.
      "insert into b values (1, null)")
    try Self.withoutReferences(file.path, "update b set a = 7")
    let repair = try await ToolRun("repair", file.path, "--json")
    #expect(repair.status == 1)
    let json = try DocumentValue(json: repair.output)
    #expect(json["left"]?["counts"] == ["danglingReference": 1])
    #expect(json["left"]?["findings"]?[0]?["message"]?.text?.contains("change or delete the row") == true)
  }

  /// Executes SQL as a program that doesn't check references.
  private static func withoutReferences(_ path: String, _ sql: String) throws {
    try OtherProgram.execute(sql, on: path)
  }

  @Test("damaged pages are reported, not repaired")
  func damaged() async throws {
    let file = try await ToolFile.empty()
    try await file.store { store in
      try await store.insert((0..<500).map { ToolNote(title: "note \($0)", body: String(repeating: "x", count: 200)) })
    }
    let handle = try #require(FileHandle(forWritingAtPath: file.path))
    let size = try handle.seekToEnd()
    for offset in stride(from: size / 2, to: size - 4096, by: 4096) {
      try handle.seek(toOffset: offset)
      try handle.write(contentsOf: Data(repeating: 0xAA, count: 64))
    }
    try handle.close()
    let check = try await ToolRun("check", file.path)
    #expect(check.status == 1, "\(check)")
    let repair = try await ToolRun("repair", file.path)
    #expect(repair.status == 1, "\(repair)")
    #expect((repair.output + repair.errors).contains("backup"), "\(repair)")
  }

  @Test("a backup is put in the place of a file, with its attachments")
  func backup() async throws {
    let file = try await ToolFile.withNotes()
    let (copy, target) = (file.side("copy.larder"), file.side("restored.larder"))
    #expect(try await ToolRun("backup", file.path, copy).status == 0)
    let again = try await ToolRun("backup", file.path, copy)
    #expect(again.status == 1)
    #expect(again.errors.contains("already a file"))
    let restored = try await ToolRun("restore", copy, target, "--json")
    #expect(restored.status == 0)
    #expect((try DocumentValue(json: restored.output)["size"]?.integer ?? 0) > 0)
    #expect(try await ToolRun("diff", file.path, target).status == 0)
    #expect(try await ToolRun("sql", target, "delete from ToolNote", "--write").status == 0)
    let refused = try await ToolRun("restore", copy, target)
    #expect(refused.status == 1)
    #expect(refused.errors.contains("--force"))
    #expect(try await ToolRun("restore", copy, target, "--force").status == 0)
    #expect(try await ToolRun("diff", file.path, target).status == 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: file.folder.url.path)
      // A connection that only reads can't remove its log.
      .filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
    #expect(names == ["copy.larder", "notes.larder", "restored.larder"])
  }

  @Test("a file that a program has open isn't replaced, and a log without its file isn't read into a backup")
  func inUse() async throws {
    let file = try await ToolFile.withNotes()
    let copy = file.side("copy.larder")
    #expect(try await ToolRun("backup", file.path, copy).status == 0)
    do {
      let store = try file.open()
      try await store.insert(ToolNote(title: "newer"))
      let run = try await ToolRun("restore", copy, file.path, "--force")
      #expect(run.status == 1)
      #expect(run.errors.contains("is open in another program"), "\(run.errors)")
      #expect(try await store.count(ToolNote.all) == 4)
      await store.close()
    }
    let target = file.side("gone.larder")
    try Data("log".utf8).write(to: URL(filePath: target + "-wal"))
    #expect(try await ToolRun("restore", copy, target).status == 1)
    #expect(try await ToolRun("restore", copy, target, "--force").status == 0)
    #expect(!FileManager.default.fileExists(atPath: target + "-wal"))
    #expect(try await ToolRun("diff", copy, target).status == 0)
  }

  @Test("a damaged file is replaced by a backup")
  func replacesDamage() async throws {
    let file = try await ToolFile.withNotes()
    let copy = file.side("copy.larder")
    #expect(try await ToolRun("backup", file.path, copy).status == 0)
    try Data("damage".utf8).write(to: URL(filePath: file.path))
    let run = try await ToolRun("restore", copy, file.path, "--force")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try await file.rows("select count(*) from ToolNote") == [[3]])
  }

  @Test("compact gives space back, in files of Larder's and of others")
  func compact() async throws {
    let own = try await ToolFile.empty()
    try await own.store { store in
      try await store.insert((0..<2000).map { ToolNote(title: "note \($0)", body: String(repeating: "x", count: 500)) })
      try await store.sql("delete from ToolNote where title > 'note 3'")
    }
    let foreign = try await ToolFile.foreign(
      "create table t (id integer primary key, x blob)",
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000) insert into t select i, zeroblob(500) from n",
      "delete from t where id > 10")
    for (file, table) in [(own, "ToolNote"), (foreign, "t")] {
      let rows = try await file.rows("select * from \(table) order by id")
      let run = try await ToolRun("compact", file.path, "--json")
      #expect(run.status == 0, "\(run.errors)")
      let json = try DocumentValue(json: run.output)
      let before = try #require(json["before"]?.integer)
      let after = try #require(json["after"]?.integer)
      #expect(after < before * 3 / 4, "\(run.output)")
      #expect(try await file.rows("select * from \(table) order by id") == rows)
      #expect(try await ToolRun("check", file.path).status == 0)
    }
  }
}
