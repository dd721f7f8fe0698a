import ArgumentParser
import Foundation
import Larder

struct DiffCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "Compares the rows of two files by their keys.",
    discussion: """
      A row that only the first file has is marked -, one that only the second has +, and one that differs ~, with its \
      properties. The exit code is 1 if the files differ.

      EXAMPLES
        larder diff yesterday.larder notes.larder --table Note
        larder diff yesterday.larder notes.larder --json | jq -c 'select(.change == "different")'
      """)

  @Argument(help: "The first file.", completion: .file())
  var first: String
  @Argument(help: "The second file.", completion: .file())
  var second: String
  @Option(help: "The table or model to compare; without it, all tables with a key.")
  var table: String?
  @Flag(help: "Print a JSON object for each difference, one per line.")
  var json = false

  func run() async throws {
    let isDifferent = try await StoreFile.open(first, .readOnly).closing { store in
      try await StoreFile.open(second, .readOnly).closing { other in
        try store.blocking.read { db in try other.blocking.read { try compare(db, $0) } }
      }
    }
    if isDifferent { throw ExitCode.failure }
  }

  private func compare(_ db: Snapshot, _ other: Snapshot) throws -> Bool {
    let output = try Output(nil, reading: first)
    var count = 0
    if let table {
      count = try compare(try db.table(table), db, try other.table(table), other, output)
    } else {
      let (tables, others) = (try db.tables.filter { $0.kind != .view }, try other.tables.filter { $0.kind != .view })
      for name in Set(tables.map(\.name) + others.map(\.name)).sorted() {
        let (left, right) = (tables.first { $0.name == name }, others.first { $0.name == name })
        guard let left, let right else {
          count += 1
          try write(table: name, isInFirst: left != nil, to: output)
          continue
        }
        count += try compare(left, db, right, other, output)
      }
    }
    try output.finish()
    return count > 0
  }

  private func compare(
    _ left: TableDescription, _ db: Snapshot, _ right: TableDescription, _ other: Snapshot, _ output: Output
  ) throws -> Int {
    guard table != nil || !left.key.isEmpty && left.key.map(\.name) == right.key.map(\.name) else {
      StandardError.write(
        DisplayText.escaped("larder: \(left.title) has no key, or another in each file, and isn't compared.") + "\n")
      return 0
    }
    var count = 0
    let text = DifferenceText(TransferredTable(left), TransferredTable(right))
    try TableDifference(left, in: db, right, in: other).forEach { change in
      count += 1
      try output.write(json ? JSONText.line(text.json(change)) + "\n" : text.line(change) + "\n")
    }
    return count
  }

  private func write(table name: String, isInFirst: Bool, to output: Output) throws {
    if json {
      let change = isInFirst ? "tableOnlyInFirst" : "tableOnlyInSecond"
      try output.write(JSONText.line(.record(["table": .text(name), "change": .text(change)])) + "\n")
    } else {
      try output.write("\(isInFirst ? "-" : "+") table \(DisplayText.escaped(name))\n")
    }
  }
}

/// A difference between two files as text and as JSON.
struct DifferenceText {
  private let table: TransferredTable
  private let codings: [String: ColumnCoding]

  init(_ table: TransferredTable, _ other: TransferredTable) {
    self.table = table
    codings = Dictionary((table.columns + other.columns).map { ($0.name, $0) }) { first, _ in first }
  }

  func line(_ change: TableDifference.Change) -> String {
    switch change {
    case .onlyInFirst(let row): Terminal.text("- \(title(row))", .red)
    case .onlyInSecond(let row): Terminal.text("+ \(title(row))", .green)
    case .different(let row, let other, let names):
      Terminal.text("~ \(title(row))", .yellow)
        + names.map { name in "  \(DisplayText.escaped(name)): \(display(name, row)) → \(display(name, other))" }
        .joined()
    }
  }

  private func title(_ row: KeyedRow) -> String {
    let key = table.description.key.map { display($0.name, row) }
    return DisplayText.escaped(table.description.title) + " " + key.joined(separator: ", ")
  }

  private func display(_ name: String, _ row: KeyedRow) -> String {
    guard let value = row.values[name] else { return "nil" }
    return DisplayText.escaped(codings[name]?.display(value) ?? "nil")
  }

  func json(_ change: TableDifference.Change) -> DocumentValue {
    switch change {
    case .onlyInFirst(let row): value("onlyInFirst", row, nil)
    case .onlyInSecond(let row): value("onlyInSecond", row, nil)
    case .different(let row, let other, let names):
      value(
        "different", row,
        .object(
          Document(
            names.map { name in
              (name, .record(["first": json(name, row), "second": json(name, other)]))
            })))
    }
  }

  private func value(_ change: String, _ row: KeyedRow, _ properties: DocumentValue?) -> DocumentValue {
    .record([
      "table": .text(table.description.name), "change": .text(change),
      "key": .object(Document(table.description.key.map { ($0.name, json($0.name, row)) })), "properties": properties,
    ])
  }

  private func json(_ name: String, _ row: KeyedRow) -> DocumentValue {
    codings[name]?.json(row.values[name] ?? .null) ?? .null
  }
}
