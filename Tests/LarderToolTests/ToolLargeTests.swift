#if os(Linux)
import Foundation
import Larder
import LarderTestSupport
import Testing

@Suite("larder with many rows", .timeLimit(.minutes(20)))
struct ToolLargeTests {
  private static let rows = 100_000

  /// A file of another program, because SQL makes its rows at once.
  private func makeFile() async throws -> ToolFile {
    try await ToolFile.foreign(
      "create table thing (id integer primary key, text text, amount real)",
      """
      with recursive n(i) as (select 1 union all select i + 1 from n where i < \(Self.rows))
      insert into thing select i, 'thing number ' || i || printf('%.*c', 200, 'x'), i / 8.0 from n
      """)
  }

  @Test("100,000 rows are exported and imported in bounded memory", arguments: ["csv", "json", "jsonl"])
  func memory(format: String) async throws {
    let (first, second) = (
      try await makeFile(),
      try await ToolFile.foreign("create table thing (id integer primary key, text text, amount real)")
    )
    let process = try ToolProcess(["export", first.path, "thing", "--format", format])
    process.closeInput()
    var bytes = 0
    await process.consume { bytes += $0 }
    let peak = process.peakMemory
    #expect(try await process.result().status == 0)
    // The process alone takes 44 MB.
    #expect(bytes > 22_000_000)
    #expect(peak > 0 && peak < 60_000_000, "\(peak)")

    let target = first.side("thing.\(format)")
    #expect(try await ToolRun("export", first.path, "thing", "--output", target).status == 0)
    let input = try ToolProcess(["import", second.path, "thing", "-", "--format", format])
    let text = try String(contentsOfFile: target, encoding: .utf8)
    #expect(text.utf8.count == bytes)
    input.send(text)
    // Everything but the rest of the pipe is imported now, and nothing is committed before the end of the input.
    let importPeak = input.peakMemory
    #expect(try await second.rows("select count(*) from thing") == [[0]])
    input.closeInput()
    #expect(try await input.result().output == "\(Self.rows) inserted, 0 updated, 0 refused\n")
    #expect(importPeak > 0 && importPeak < 60_000_000, "\(importPeak)")
    let sql = "select count(*), sum(id), sum(amount), sum(length(text)) from thing"
    #expect(try await second.rows(sql) == first.rows(sql))
  }

  @Test("an import that a signal ends leaves the file as it was", arguments: [SIGINT, SIGTERM, SIGKILL])
  func interrupted(signal: Int32) async throws {
    let file = try await ToolFile.withNotes()
    let process = try ToolProcess(["import", file.path, "ToolItem", "-", "--format", "csv"])
    // More than fits into the pipe, so rows are taken when this returns.
    process.send("title\n" + (0..<2000).map { "\($0) \(String(repeating: "x", count: 200))\n" }.joined())
    process.signal(signal)
    #expect(try await process.result().status == 128 + signal)
    #expect(try await file.rows("select (select count(*) from ToolNote), (select count(*) from ToolItem)") == [[3, 0]])
    #expect(try await ToolRun("check", file.path).status == 0)
  }

  @Test("an export that a signal ends leaves no part of a file")
  func interruptedExport() async throws {
    let file = try await makeFile()
    let target = file.side("out.csv")
    for _ in 0..<10 {
      let process = try ToolProcess(["export", file.path, "thing", "--output", target])
      process.closeInput()
      // The part is there before rows are written.
      while !(try partials(file)), process.isRunning { await Task.yield() }
      process.signal(SIGINT)
      let status = try await process.result().status
      #expect(status == 128 + SIGINT || status == 0)
      #expect(FileManager.default.fileExists(atPath: target) == (status == 0))
      #expect(try !partials(file))
      try? FileManager.default.removeItem(atPath: target)
    }
  }

  private func partials(_ file: ToolFile) throws -> Bool {
    try FileManager.default.contentsOfDirectory(atPath: file.folder.url.path).contains { $0.hasSuffix(".partial") }
  }
}
#endif
