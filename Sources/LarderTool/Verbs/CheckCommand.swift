import ArgumentParser
import Foundation
import Larder
import LarderSync

struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract:
      "Checks a whole file: pages, references, constraints, values, derived values, attachments, search, indexes, sync.",
    discussion: """
      Nothing is changed. The exit code is 1 if something is wrong; repair makes anew what can be made anew. Whether JSON \
      of a model has the form in which conditions find it, only a program with the model can tell: Store.check().

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
      let report = try await FileReport(of: store, limit: limit)
      if json {
        print(try JSONText.line(report.json))
      } else {
        print(report.text)
        if report.isRepairable {
          print(
            "larder repair makes derived values, triggers, indexes, full-text indexes and booleans anew, and lets sync know."
          )
        }
      }
      if !report.isHealthy { throw ExitCode.failure }
    }
  }
}

/// What is wrong with a file: what the library finds, and what was done to it without sync hearing of it.
struct FileReport {
  let store: StoreReport
  let untracked: [UntrackedChange]

  init(of store: Store, limit: Int = 100) async throws {
    self.store = try ReportText.check(store, limit: limit)
    // Of a damaged file, sync couldn't say more than that it is damaged.
    let isDamaged = self.store.counts[.damage] != nil
    guard !isDamaged, try await store.sync.isEnabled() else {
      untracked = []
      return
    }
    untracked = try await store.sync.untrackedChanges()
  }

  var isHealthy: Bool { store.isHealthy && untracked.isEmpty }

  /// Whether there is something that follows from the rows.
  var hasDerived: Bool {
    let kinds: [StoreReport.Finding.Kind] = [
      .derivedValue, .searchIndex, .jsonForm, .valueForm, .missingTrigger, .missingIndex,
    ]
    return kinds.contains { store.counts[$0] != nil }
  }

  /// Whether `larder repair` may make something of it anew.
  var isRepairable: Bool { hasDerived || !untracked.isEmpty || store.counts[.damage] != nil }

  /// How many problems there are.
  var count: Int { store.counts.values.reduce(0, +) + untracked.count }

  var text: String {
    let lines = untracked.map { Terminal.text("sync", .red) + ": " + DisplayText.escaped($0.description) }
    return (store.isHealthy && !lines.isEmpty ? lines : [ReportText.text(store)] + lines).joined(separator: "\n")
  }

  var json: DocumentValue {
    let changes = untracked.map { change in
      DocumentValue.record([
        "table": .text(change.table), "model": change.model.map { .text($0) },
        "lacksTriggers": .bool(change.lacksTriggers), "unknownRows": DocumentValue(change.unknownRows),
        "missingRows": DocumentValue(change.missingRows), "message": .text(change.description),
      ])
    }
    return ReportText.json(store, isHealthy: isHealthy, changes)
  }
}

/// The report of the library's check as text and as JSON.
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

  /// A UUID is kept in sixteen bytes. Other keys of few bytes are written as SQL has them.
  private static func text(_ value: Value) -> String {
    guard let blob = value.blob, blob.count <= 32 else { return value.description }
    if blob.count == 16, let uuid = try? UUID(storedValue: value) { return uuid.uuidString }
    return "x'\(blob.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())'"
  }

  /// - Parameters:
  ///   - isHealthy: Whether nothing else is wrong, either.
  ///   - sync: What was done without sync hearing of it.
  static func json(_ report: StoreReport, isHealthy: Bool, _ sync: [DocumentValue]) -> DocumentValue {
    .record([
      "isHealthy": .bool(isHealthy), "sync": .array(sync),
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
