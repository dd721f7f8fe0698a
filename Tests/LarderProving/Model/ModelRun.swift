import Foundation
import Larder
import LarderTestSupport
import Synchronization

/// Does random operations to stores and to plain Swift values, and compares the two.
public struct ModelRun: ProofPart {
  public static let name = "model"

  /// How many files are worked on side by side.
  private static let lanes = 2

  /// How many operations are done to one file.
  private let operations: Int
  /// The operations that are done of those, if not all.
  private let only: Set<Int>?

  /// Of a thousand operations, so many set the clock ahead or back.
  private let leaps: Int

  /// - Parameters:
  ///   - operations: How many operations are done to one file.
  ///   - only: The operations that are done of those, or nil for all.
  ///   - leaps: Of a thousand operations, so many set the clock ahead or back.
  public init(operations: Int = 400, only: Set<Int>? = nil, leaps: Int = 7) {
    self.operations = operations
    self.only = only
    self.leaps = leaps
  }

  public func run(_ run: ProofRun) async throws -> PartResult {
    let result = PartResult(
      part: Self.name, title: "Against a model",
      summary: """
        Random operations (changes of related rows in every verb, transactions with savepoints, queries, aggregates, groups, pages, search, SQL, \
        contexts with undo, redo and children, conflicts, expiry with a clock that leaps a year ahead and back, documents, once, backups, other versions of the program) \
        are done through two stores and another process on one file, or in memory, and to plain Swift values; every answer is compared.
        """,
      seed: run.seed, unit: "operations")
    let watchdog = Watchdog(limit: 120) {
      run.stalled("an operation never returned", "LarderProof model --seed \(run.seed)")
    }
    defer { watchdog.end() }
    let session = ModelSession(result)
    await withTaskGroup(of: Void.self) { group in
      for lane in 0..<Self.lanes {
        group.addTask { await self.work(lane, session, run) { watchdog.step() } }
      }
    }
    return session.finish()
  }

  /// Does one episode after another until there are enough.
  private func work(_ lane: Int, _ session: ModelSession, _ run: ProofRun, _ step: @Sendable () -> Void) async {
    let process = ModelProcess(run.executable)
    while run.isTimeLeft, let (episode, count) = session.next(operations, upTo: run.cases, isOnly: only != nil) {
      let seed = run.seed &+ episode
      let skipped = only.map { Set(0..<count).subtracting($0) } ?? []
      let folder = run.folder.appending(component: "model-\(episode)")
      let outcome = await Episode(seed: seed, folder: folder, process: process, leaps: leaps).run(
        operations: count, skipping: skipped)
      step()
      if outcome.failure == nil {
        session.note(outcome, nil)
      } else {
        await process.kill()
        session.note(outcome, await finding(seed, count, outcome, run, step))
      }
      if episode % 50 == 49 { run.progress(session.progress) }
    }
    await process.end()
  }

  /// Leaves operations out while the difference stays, and says which are needed.
  private func finding(
    _ seed: UInt64, _ count: Int, _ first: EpisodeOutcome, _ run: ProofRun, _ step: () -> Void
  ) async -> Finding {
    let process = ModelProcess(run.executable)
    var kept = only?.sorted() ?? Array(0..<first.numbers)
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
        let next = await Episode(seed: seed, folder: folder, process: process, leaps: leaps, patience: 500).run(
          operations: count, skipping: skipped)
        if next.failure != nil {
          await process.kill()
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
    await process.end()
    let log = outcome.log.suffix(40).joined(separator: "\n      ")
    return Finding(
      "\(outcome.failure ?? "")\n      after:\n      \(log)",
      reproduction:
        "swift run LarderProof model --seed \(seed) --operations \(count) --leaps \(leaps) --only \(kept.map(String.init).joined(separator: ","))"
    )
  }
}

/// The result of a model run while it grows.
private final class ModelSession: Sendable {
  private struct State {
    var result: PartResult
    var episodes: UInt64 = 0
    /// The operations of all episodes that have begun.
    var begun = 0
    var kinds: [String: Int] = [:]
  }

  private let state: Mutex<State>

  init(_ result: PartResult) {
    state = Mutex(State(result: result))
  }

  /// The number of the next episode, and its operations; nil when there are enough.
  func next(_ operations: Int, upTo limit: Int, isOnly: Bool) -> (episode: UInt64, operations: Int)? {
    state.withLock { state in
      guard max(state.begun, state.result.cases) < limit, state.result.findings.count < 3,
        !isOnly || state.episodes == 0
      else { return nil }
      let count = min(operations, limit - state.begun)
      state.begun += count
      state.episodes += 1
      return (state.episodes - 1, count)
    }
  }

  func note(_ outcome: EpisodeOutcome, _ finding: Finding?) {
    state.withLock { state in
      state.result.cases += outcome.operations
      state.result.checks += outcome.checks
      state.kinds.merge(outcome.kinds, uniquingKeysWith: +)
      if let finding { state.result.findings.append(finding) }
    }
  }

  var progress: String {
    state.withLock { "\($0.result.cases) operations, \($0.result.findings.count) findings" }
  }

  func finish() -> PartResult {
    state.withLock { state in
      var result = state.result
      result.count("files", by: Int(state.episodes))
      let sorted = state.kinds.filter { !$0.key.isEmpty }.sorted { $0.key < $1.key }
      for (kind, count) in sorted { result.count(kind, by: count) }
      result.series.append(
        Series(
          "operations by kind", style: .bars, xLabel: "kind", yLabel: "operations",
          points: sorted.enumerated().map { Series.Point(Double($0), Double($1.value)) }, labels: sorted.map(\.key)))
      return result
    }
  }
}
