import Foundation
import Larder
import LarderTestSupport

/// Does random operations to stores and to plain Swift values, and compares the two.
public struct ModelRun: ProofPart {
  public static let name = "model"

  /// How many operations are done to one file.
  private let operations: Int
  /// The operations that are done of those, if not all.
  private let only: Set<Int>?

  public init(operations: Int = 400, only: Set<Int>? = nil) {
    self.operations = operations
    self.only = only
  }

  public func run(_ run: ProofRun) async throws -> PartResult {
    var result = PartResult(
      part: Self.name, title: "Against a model",
      summary: """
        Random operations (changes of related rows in every verb, transactions with savepoints, queries, aggregates, groups, pages, search, SQL, \
        contexts with undo, redo and children, conflicts, expiry with a clock that leaps, documents, once, backups, other versions of the program) \
        are done through two stores on one file, or in memory, and to plain Swift values; every answer is compared.
        """,
      seed: run.seed, unit: "operations")
    let watchdog = Watchdog(limit: 120) {
      run.stalled("an operation never returned", "LarderProof model --seed \(run.seed)")
    }
    defer { watchdog.end() }
    var kinds: [String: Int] = [:]
    var episode: UInt64 = 0
    while result.cases < run.cases, run.isTimeLeft, result.findings.count < 3 {
      let seed = run.seed &+ episode
      let count = min(operations, run.cases - result.cases)
      let skipped = only.map { Set(0..<count).subtracting($0) } ?? []
      let outcome = await Episode(seed: seed, folder: run.folder.appending(component: "model-\(episode)")).run(
        operations: count, skipping: skipped)
      result.cases += outcome.operations
      result.checks += outcome.checks
      kinds.merge(outcome.kinds, uniquingKeysWith: +)
      if outcome.failure != nil { result.findings.append(await finding(seed, count, outcome, run) { watchdog.step() }) }
      episode += 1
      watchdog.step()
      if episode % 50 == 0 { run.progress("\(result.cases) operations, \(result.findings.count) findings") }
      if only != nil { break }
    }
    result.count("files", by: Int(episode))
    let sorted = kinds.filter { !$0.key.isEmpty }.sorted { $0.key < $1.key }
    for (kind, count) in sorted { result.count(kind, by: count) }
    result.series.append(
      Series(
        "operations by kind", style: .bars, xLabel: "kind", yLabel: "operations",
        points: sorted.enumerated().map { Series.Point(Double($0), Double($1.value)) }, labels: sorted.map(\.key)))
    return result
  }

  /// Leaves operations out while the difference stays, and says which are needed.
  private func finding(
    _ seed: UInt64, _ count: Int, _ first: EpisodeOutcome, _ run: ProofRun, step: () -> Void
  ) async -> Finding {
    var kept = only?.sorted() ?? Array(0..<first.operations)
    var outcome = first
    var chunk = max(1, kept.count / 2)
    var attempts = 0
    run.progress("seed \(seed): \(first.failure ?? "") after \(first.log.last ?? ""); now it is shortened")
    while attempts < 150, ContinuousClock.now < run.deadline.advanced(by: .seconds(30)) {
      var position = 0
      var isSmaller = false
      while position < kept.count, attempts < 150 {
        let tried = Array(kept[..<position] + kept[min(kept.count, position + chunk)...])
        attempts += 1
        step()
        let skipped = Set(0..<count).subtracting(tried)
        let folder = run.folder.appending(component: "shrink-\(attempts)")
        let next = await Episode(seed: seed, folder: folder, patience: 500).run(operations: count, skipping: skipped)
        if next.failure != nil {
          kept = tried
          outcome = next
          isSmaller = true
        } else {
          position += chunk
        }
      }
      if chunk == 1, !isSmaller { break }
      chunk = max(1, chunk / 2)
    }
    let log = outcome.log.suffix(40).joined(separator: "\n      ")
    return Finding(
      "\(outcome.failure ?? "")\n      after:\n      \(log)",
      reproduction:
        "swift run LarderProof model --seed \(seed) --operations \(count) --only \(kept.map(String.init).joined(separator: ","))"
    )
  }
}
