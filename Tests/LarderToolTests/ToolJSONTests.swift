import ArgumentParser
import Foundation
import Larder
import LarderArchive
import LarderSync
import LarderTestSupport
import Testing

@testable import LarderTool

@Suite("larder --json", .timeLimit(.minutes(20)))
struct ToolJSONTests {
  /// The verbs, each in its words.
  private static func verbs(_ command: any ParsableCommand.Type, _ words: [String] = []) -> [[String]] {
    let subcommands = command.configuration.subcommands
    guard !subcommands.isEmpty else { return [words] }
    return subcommands.flatMap { verbs($0, words + [$0.configuration.commandName ?? ""]) }
  }

  @Test("each verb has a command here")
  func complete() {
    for verb in Self.verbs(LarderTool.self) {
      #expect(ToolRefusalTests.commands.contains { $0.starts(with: verb) }, "\(verb)")
    }
  }

  /// Creates a file whose writes are tracked, and another of the same models.
  private func makeFiles() async throws -> (file: ToolFile, other: ToolFile) {
    let files = (try ToolFile(), try ToolFile("other.larder"))
    for (file, title) in [(files.0, "Milk"), (files.1, "Bread")] {
      let configuration = Store.Configuration(sync: .on)
      let store = try Store(at: file.path, for: [ToolNote.self, ToolItem.self], configuration: configuration)
      try await store.insert(ToolNote(title: title))
      try await store.sql(SQL(raw: "create table \(title) (id integer primary key)"))
      await store.close()
    }
    return files
  }

  @Test("what any verb prints is JSON: one value, or one in each line", arguments: ToolRefusalTests.commands)
  func json(command: [String]) async throws {
    let (file, other) = try await makeFiles()
    var (command, path, target, input) = (command, file.path, file.side("to"), "")
    switch command.prefix(2) {
    case ["diff", "FILE"], ["plan", "FILE"]: command[2] = other.path
    case ["import", "FILE"]: (command[2], input) = ("ToolItem", "title\nTea\n")
    case ["export", "FILE"]: command.removeAll { $0 == "--format" || $0 == "csv" }
    case ["sync", "import"]:
      target = file.side("changes")
      #expect(try await ToolRun("sync", "export", other.path, target).status == 0)
    case ["archive", "show"]:
      path = file.side("archive")
      try Archive.write(["a": 1], to: URL(filePath: path))
    default: break
    }
    let arguments = command.map { $0 == "FILE" ? path : $0 == "TO" ? target : $0 } + ["--json"]
    let process = try ToolProcess(command[0] == "watch" ? arguments + ["--limit", "1"] : arguments)
    process.send(input)
    process.closeInput()
    var first = ""
    switch command[0] {
    case "watch":
      _ = await process.nextError()
      #expect(try await ToolRun("sql", path, "delete from ToolNote", "--write").status == 0)
    case "studio":
      first = await process.next() ?? ""
      process.signal(SIGTERM)
    default: break
    }
    let run = try await process.result()
    #expect(run.status == (["diff", "plan"].contains(command[0]) ? 1 : 0), "\(command): \(run)")
    let text = first + run.output
    #expect(!text.isEmpty, "\(command)")
    if (try? DocumentValue(json: text)) == nil {
      for line in text.split(separator: "\n") {
        #expect(throws: Never.self, "\(command): \(line)") { try DocumentValue(json: String(line)) }
      }
    }
  }

  @Test("export --json is export --format json, whatever the output's name")
  func export() async throws {
    let file = try await ToolFile.withNotes()
    let expected = try await ToolRun("export", file.path, "ToolNote", "--format", "json")
    let output = file.side("notes.csv")
    #expect(try await ToolRun("export", file.path, "ToolNote", "--json").output == expected.output)
    #expect(try await ToolRun("export", file.path, "ToolNote", "--json", "--output", output).status == 0)
    #expect(try String(contentsOfFile: output, encoding: .utf8) == expected.output)
    #expect(try DocumentValue(json: expected.output).array?.count == 3)
  }

  @Test("model --json has the source, and the models that it declares with their tables and columns")
  func model() async throws {
    let file = try await ToolFile.foreign(
      "create table \"Order Details\" (\"Order ID\" integer primary key, note text not null default 'a\u{1B}')",
      "create table line (id integer primary key, price real, \"order\" integer references \"Order Details\")")
    let source = try await ToolRun("model", file.path).output
    let run = try await ToolRun("model", file.path, "--json")
    #expect(run.status == 0, "\(run)")
    let json = try DocumentValue(json: run.output)
    #expect(json["source"]?.text == source)
    let models = try #require(json["models"]?.array)
    #expect(models.compactMap { $0["table"]?.text } == ["Order Details", "line"])
    for model in models {
      let name = try #require(model["name"]?.text)
      #expect(source.contains("\nstruct \(name) {\n"))
      for property in model["properties"]?.array ?? [] {
        let (name, type) = (property["name"]?.text ?? "", property["type"]?.text ?? "")
        #expect(source.contains("var \(SwiftName.quoted(name)): \(type)"), "\(property)")
      }
    }
    let columns = models.last?["properties"]?.array?.compactMap { $0["column"]?.text }
    #expect(columns == ["id", "price", "order"])
    let output = file.side("models.json")
    #expect(try await ToolRun("model", file.path, "--json", "--output", output).output.isEmpty)
    #expect(try String(contentsOfFile: output, encoding: .utf8) == run.output)
  }

  @Test("studio --json has the address of the page and whether it may write, in one line", arguments: [true, false])
  func studio(writes: Bool) async throws {
    let file = try await ToolFile.withNotes()
    let process = try ToolProcess(["studio", file.path, "--no-open", "--json"] + (writes ? ["--write"] : []))
    process.closeInput()
    let line = try #require(await process.next())
    process.signal(SIGTERM)
    _ = try await process.result()
    let json = try DocumentValue(json: line)
    #expect(line.hasSuffix("}\n"))
    #expect(json["isWritable"] == .bool(writes))
    #expect(json["address"]?.text?.wholeMatch(of: #/http://127\.0\.0\.1:\d+/\?token=.+/#) != nil, "\(line)")
  }
}
