import ArgumentParser
import Foundation
import Larder

struct PlanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan", abstract: "Shows how the tables of a file differ from those of another.",
    discussion: """
      The other file is one that a newer version of the program made, and may be empty. A table, property, index or \
      relationship that only the first file has is marked -, one that only the other has +, and one that differs ~. \
      Columns without a property keep their values when a program opens a file; larder schema lists them as retired.

      The exit code is 1 if something differs. What the program's own migrations would do as well is for the program to \
      say: Store.plan(at:for:configuration:).

      EXAMPLES
        larder plan notes.larder made-by-the-new-version.larder
        larder plan notes.larder new.larder --json | jq -c 'select(.change == "removed")'
      """)

  @Argument(help: "The file that would be changed.", completion: .file())
  var file: String
  @Argument(help: "A file with the tables that it would have.", completion: .file())
  var other: String
  @Option(help: "The table or model to compare; without it, all.")
  var table: String?
  @Flag(help: "Print a JSON object for each difference, one per line.")
  var json = false

  func run() async throws {
    var (tables, others) = (try await read(file), try await read(other))
    if let table {
      tables = tables.filter { $0.name == table || $0.model == table }
      others = others.filter { $0.name == table || $0.model == table }
      if tables.isEmpty, others.isEmpty { throw Failure("Neither file has a table \(table). Check the name.") }
    }
    let difference = SchemaDifference(tables, others)
    for change in difference.changes { print(json ? try JSONText.line(value(change)) : line(change)) }
    if difference.changes.isEmpty {
      if !json { print("The tables are the same.") }
    } else {
      throw ExitCode.failure
    }
  }

  private func read(_ file: String) async throws -> [TableDescription] {
    try await StoreFile.open(file, .readOnly).closing { try await $0.tables }
  }

  private func line(_ change: SchemaDifference.Change) -> String {
    let title = DisplayText.escaped(change.part.map { "\(change.table) \($0)" } ?? "table \(change.table)")
    let text = [change.before, change.after].compactMap { $0 }.map { DisplayText.escaped($0) }
    let (mark, colour): (String, Terminal.Colour) =
      switch change.kind {
      case .added: ("+", .green)
      case .removed: ("-", .red)
      case .changed: ("~", .yellow)
      }
    return "\(Terminal.text("\(mark) \(title)", colour)): \(text.joined(separator: " → "))"
  }

  private func value(_ change: SchemaDifference.Change) -> DocumentValue {
    .record([
      "change": .text(change.kind.rawValue), "table": .text(change.table), "part": change.part.map { .text($0) },
      "before": change.before.map { .text($0) }, "after": change.after.map { .text($0) },
    ])
  }
}
