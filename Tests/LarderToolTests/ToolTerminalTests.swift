import Foundation
import Larder
import LarderTestSupport
import Testing

@testable import LarderTool

@Suite("larder on a terminal", .timeLimit(.minutes(20)))
struct ToolTerminalTests {
  private static let escape: Character = "\u{1B}"

  /// Runs the command, with the value of `NO_COLOR` or without the variable.
  private func run(
    _ arguments: [String], noColour: String? = nil, on terminal: PseudoTerminal? = nil, isPiped: Bool = false
  ) async throws -> ToolRun {
    let process = try ToolProcess(arguments, environment: ["NO_COLOR": noColour], on: terminal, isPiped: isPiped)
    process.closeInput()
    return try await process.result()
  }

  private func withoutColours(_ text: String) -> String { text.replacing(#/\u{1B}\[\d+m/#, with: "") }

  // MARK: Colours

  /// A command for each of the colours, with the path of a file in the place of FILE and of another in that of OTHER.
  private static let coloured: [(command: [String], colours: Set<Int>)] = [
    (["check", "FILE"], [32]), (["check", "OTHER"], [31]), (["query", "FILE", "ToolNote"], [1, 2]),
    (["sql", "FILE", "select null as n"], [1, 2]), (["schema", "FILE"], [1]), (["info", "FILE"], [1]),
    (["plan", "FILE", "OTHER"], [31, 32, 33]), (["diff", "FILE", "OTHER", "--table", "ToolNote"], [31, 32]),
  ]

  private func makeFiles() async throws -> (file: ToolFile, other: ToolFile) {
    let file = try await ToolFile.withNotes()
    let other = try await ToolFile.foreign(
      "create table ToolNote (id blob primary key not null, title text)",
      "create table gone (id integer primary key)",
      "insert into ToolNote values (x'00112233445566778899aabbccddeeff', 'x')",
      "create table line (id integer primary key, note integer references gone (id))",
      "insert into line values (1, null)"
    )
    try OtherProgram.execute("update line set note = 7", on: other.path)
    return (file, other)
  }

  @Test(
    "there are colours on a terminal, unless NO_COLOR has a value, and none in a pipe",
    arguments: coloured.indices)
  func colours(position: Int) async throws {
    let (command, colours) = Self.coloured[position]
    let (file, other) = try await makeFiles()
    let arguments = command.map { $0 == "FILE" ? file.path : $0 == "OTHER" ? other.path : $0 }
    let plain = try await run(arguments, noColour: "1", on: try PseudoTerminal(columns: 500))
    #expect(!plain.output.isEmpty)
    #expect(withoutColours(plain.output) == plain.output)
    for noColour in [nil, ""] {
      let shown = try await run(arguments, noColour: noColour, on: try PseudoTerminal(columns: 500))
      #expect(shown.status == plain.status)
      let seen = shown.output.matches(of: #/\u{1B}\[(\d+)m/#).compactMap { Int($0.1) }
      #expect(Set(seen).subtracting([0]) == colours, "\(shown.output)")
      // Each ends where it should.
      #expect(seen.count { $0 == 0 } * 2 == seen.count)
      // A bar with the progress of a check comes and goes.
      #expect(withoutColours(shown.output).contains(lastLine(plain.output)))
      let piped = try await run(arguments, noColour: noColour)
      #expect(!piped.output.contains(Self.escape) && !piped.errors.contains(Self.escape), "\(piped)")
      let mixed = try await run(arguments, noColour: noColour, on: try PseudoTerminal(columns: 80), isPiped: true)
      #expect(mixed.output == piped.output)
    }
  }

  private func lastLine(_ text: String) -> String { text.split(separator: "\n").last.map(String.init) ?? "" }

  // MARK: Width

  @Test("tables are cut to the width of the terminal, and to 80 columns if it doesn't know it", arguments: [44, 61, 0])
  func width(columns: UInt16) async throws {
    let file = try ToolFile()
    let long = String(repeating: "milk ", count: 50)
    try await file.store { try await $0.insert([ToolItem(title: long), ToolItem(title: "漢字" + long)]) }
    let limit = columns == 0 ? 80 : Int(columns)
    for arguments in [
      ["query", file.path, "ToolItem"], ["sql", file.path, "select title from ToolItem"],
      ["schema", file.path, "ToolItem"],
    ] {
      let shown = try await run(arguments, on: try PseudoTerminal(columns: columns))
      let table = withoutColours(shown.output).split(separator: "\n").filter { !$0.contains("index ") }
      for line in table { #expect(DisplayText.width(of: String(line)) <= limit, "\(line)") }
      let piped = try await run(arguments)
      #expect(!piped.output.contains("…"))
      if arguments[0] != "schema" {
        #expect(shown.output.count { $0 == "…" } >= 2)
        #expect(table.contains { DisplayText.width(of: String($0)) >= limit - 1 })
        #expect(piped.output.contains(long))
      }
    }
  }

  @Test("what a file holds is escaped on a terminal in each format, and written as it is to a pipe")
  func hostile() async throws {
    let file = try ToolFile()
    let title = "a\u{1B}]0;title\u{7}\u{9B}31m"
    try await file.store { try await $0.insert(ToolItem(title: title)) }
    for arguments in [
      ["export", file.path, "ToolItem"], ["query", file.path, "ToolItem", "--format", "csv"],
      ["query", file.path, "ToolItem"], ["export", file.path, "ToolItem", "--json"],
    ] {
      let shown = try await run(arguments, noColour: "1", on: try PseudoTerminal(columns: 200))
      #expect(shown.status == 0)
      #expect(shown.output.unicodeScalars.allSatisfy { DisplayText.isSafe($0) || $0 == "\n" }, "\(shown.output)")
    }
    #expect(try await run(["export", file.path, "ToolItem"]).output.contains(title))
  }

  // MARK: Progress

  /// Returns the states of a bar, each as the line that it is.
  private func bars(_ text: String, _ title: String) -> [Substring] {
    text.split(separator: "\r").filter { $0.hasPrefix(title) }
  }

  @Test(
    "export, import and check have a bar on a terminal that is no wider and goes at the end, and none in a pipe",
    arguments: [UInt16(30), 100])
  func progress(columns: UInt16) async throws {
    let (file, target) = (try ToolFile(), try await ToolFile.empty())
    try await file.store { try await $0.insert((0..<500).map { ToolItem(title: "item \($0)") }) }
    let rows = file.side("rows.jsonl")
    for (arguments, title) in [
      (["export", file.path, "ToolItem", "--output", rows], "Exporting"),
      (["import", target.path, "ToolItem", rows], "Importing"), (["check", file.path], "Checking"),
      (["export", file.path, "ToolItem"], "Exporting"),
    ] {
      let shown = try await run(arguments, on: try PseudoTerminal(columns: columns), isPiped: true)
      #expect(shown.status == 0, "\(shown)")
      let bars = bars(shown.errors, title)
      #expect(bars.count > 1, "\(shown.errors)")
      #expect(bars.allSatisfy { $0.hasSuffix("\u{1B}[K") })
      let widest = bars.map { DisplayText.width(of: String($0.dropLast(3))) }.max() ?? 0
      #expect(widest < columns)
      #expect(bars.first?.contains("█") == true || bars.first?.contains("░") == true)
      if columns == 100 { #expect(bars.last?.contains(" 100 % ") == true, "\(shown.errors)") }
      #expect(shown.errors.hasSuffix("\r\u{1B}[K"))
      if arguments[0] == "import" { try await target.store { _ = try await $0.deleteAll(ToolItem.all) } }
      let piped = try await run(arguments)
      #expect(piped.errors.isEmpty)
      #expect(piped.output == shown.output)
    }
    // Between rows, a bar would be in the way.
    let both = try await run(["export", file.path, "ToolItem"], on: try PseudoTerminal(columns: columns))
    #expect(bars(both.output, "Exporting").isEmpty)
    #expect(both.output.split(separator: "\n").count == 501)
  }

  // MARK: Watching

  @Test("watch shows each change in a line of the terminal, and in a pipe the whole of it")
  func watch() async throws {
    let file = try await ToolFile.withNotes()
    let title = String(repeating: "tea ", count: 50) + "\u{1B}[31m"
    for terminal in [try PseudoTerminal(columns: 40), nil] {
      let process = try ToolProcess(
        ["watch", file.path, "ToolNote", "--limit", "1"], environment: ["NO_COLOR": nil], on: terminal)
      process.closeInput()
      let heading = terminal == nil ? await process.nextError() : await process.next()
      #expect(heading?.hasPrefix("Watching ToolNote: ") == true)
      try await file.store { try await $0.insert(ToolNote(title: title)) }
      let run = try await process.result()
      #expect(run.status == 0)
      #expect(run.output.hasPrefix("+ id: ") && run.output.hasSuffix("\n"))
      #expect(!run.output.contains(Self.escape))
      #expect(run.output.split(separator: "\n").count == 1)
      if terminal != nil {
        #expect(DisplayText.width(of: run.output.trimmingCharacters(in: .newlines)) == 40)
      } else {
        #expect(run.output.contains("tea tea") && run.output.contains("\\u{1B}[31m"))
      }
    }
  }
}
