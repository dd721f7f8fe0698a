import ArgumentParser
import Foundation
import Larder

struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Checks a whole file: pages, references, values, derived values, attachments, search, triggers, indexes.",
    discussion: """
      Nothing is changed. The exit code is 1 if something is wrong; repair makes anew what can be made anew.

      EXAMPLES
        larder check notes.larder
        larder check notes.larder --json | jq .counts
      """)

  @OptionGroup var source: StoreFile
  @Option(help: "The greatest number of findings of each kind to look at one by one; others are only counted.")
  var limit = 100
  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    guard limit >= 0 else { throw ValidationError("A limit isn't negative.") }
  }

  func run() async throws {
    try await source.reading().closing { store in
      let report = try ReportText.check(store, limit: limit)
      if json {
        print(try JSONText.line(ReportText.json(report)))
      } else {
        print(ReportText.text(report))
        if !report.isHealthy {
          print("larder repair makes derived values, triggers, indexes, full-text indexes and JSON anew.")
        }
      }
      if !report.isHealthy { throw ExitCode.failure }
    }
  }
}

/// The report of a check as text and as JSON.
enum ReportText {
  /// Checks the store, with a bar that shows how far it is.
  static func check(_ store: Store, limit: Int = 100) throws -> StoreReport {
    var bar = ProgressBar("Checking")
    defer { bar.finish() }
    return try store.blocking.check(limit: limit) { progress in
      bar.show(progress.completed, of: progress.total, progress.step.rawValue)
    }
  }

  static func text(_ report: StoreReport) -> String {
    guard !report.isHealthy else { return Terminal.text("The file is healthy.", .green) }
    // A fault of a program is in many rows: it is said once, with the keys of the first of them.
    let groups = Dictionary(grouping: report.findings.enumerated(), by: { $0.element.message }).values
      .sorted { ($0.first?.offset ?? 0) < ($1.first?.offset ?? 0) }.map { $0.map(\.element) }
    var lines = groups.compactMap { findings -> String? in
      guard let first = findings.first else { return nil }
      let keys = findings.prefix(keysShown).filter { !$0.key.isEmpty }.map { "  " + DisplayText.escaped(key($0)) }
      let others = findings.count - keysShown
      return
        ([Terminal.text(first.kind.rawValue, .red) + ": " + DisplayText.escaped(first.message)] + keys
        + (others > 0 ? ["  and \(others) more of those looked at"] : [])).joined(separator: "\n")
    }
    let counts = StoreReport.Finding.Kind.allCases.compactMap { kind in
      report.counts[kind].map { "\($0.formatted()) \(kind.rawValue)" }
    }
    lines.append("Found: " + counts.joined(separator: ", ") + ".")
    return lines.joined(separator: "\n")
  }

  /// How many keys are shown of the rows with one problem; `--json` has all.
  private static let keysShown = 3

  private static func key(_ finding: StoreReport.Finding) -> String {
    finding.key.sorted { $0.key < $1.key }.map { "\($0.key) = \(text($0.value))" }.joined(separator: ", ")
  }

  /// A UUID is kept in sixteen bytes.
  private static func text(_ value: Value) -> String {
    (value.blob?.count == 16 ? (try? UUID(storedValue: value))?.uuidString : nil) ?? value.description
  }

  static func json(_ report: StoreReport) -> DocumentValue {
    .record([
      "isHealthy": .bool(report.isHealthy),
      "counts": .object(
        Document(
          StoreReport.Finding.Kind.allCases.compactMap { kind in
            report.counts[kind].map { (kind.rawValue, DocumentValue($0)) }
          })),
      "findings": .array(
        report.findings.map { finding in
          .record([
            "kind": .text(finding.kind.rawValue), "table": finding.table.map { .text($0) },
            "model": finding.model.map { .text($0) }, "property": finding.property.map { .text($0) },
            "key": finding.key.isEmpty
              ? nil
              : .object(Document(finding.key.sorted { $0.key < $1.key }.map { ($0.key, .text(text($0.value))) })),
            "message": .text(finding.message),
          ])
        }),
    ])
  }
}
