import Foundation
import LarderTestSupport
import Synchronization

/// Damages every page of a small store, its header and its log, cuts it off everywhere, and uses it.
public struct DamageRun: ProofPart {
  public static let name = "damage"

  /// How many processes try cases side by side.
  private static let lanes = 2
  /// The cases that one process tries.
  private static let batch = 400
  /// The cases in a row that one process tries where only some are asked for.
  private static let sample = 10
  private let only: Int?
  private let cuts: Int?

  /// - Parameters:
  ///   - only: The number of the one case that is tried, or nil for all.
  ///   - cuts: If set, the small store and its log are cut off beside all boundaries, and at so many other lengths, and
  ///     nothing else is tried.
  public init(only: Int? = nil, cuts: Int? = nil) {
    self.only = only
    self.cuts = cuts
  }

  public func run(_ run: ProofRun) async throws -> PartResult {
    var result = PartResult(
      part: Self.name, title: "Damage",
      summary: """
        Every page of a store is damaged in some thirty ways, every byte of its header in three, and every frame of a log is changed. A small store is \
        cut off at every length, and so is its log; a larger one beside all of its pages and frames. Each file is opened, read in every way, written and \
        read again in a process with limits: a StoreError, the right answer, or what SQLite itself says where it cannot know better; never a trap, \
        never a call that hangs.
        """,
      seed: run.seed, unit: "damaged files")
    for store in DamageStore.allCases { try store.make(in: run.folder) }
    let base = try DamageBase(run.folder)
    let cases = base.cases(seed: run.seed)
    result.count("bytes of the small file", by: base.size(.small, .file))
    result.count("bytes of its log", by: base.size(.small, .log))
    result.count("damaged files that are possible", by: cases.count)
    let session = DamageSession(batches(of: cases.count, base, run), result)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<Self.lanes {
        group.addTask {
          while run.isTimeLeft, let batch = session.next() {
            try await self.run(batch, cases, run, session)
            run.progress(session.progress(of: cases.count))
          }
        }
      }
      try await group.waitForAll()
    }
    return session.finish()
  }

  /// The cases in the order in which they are tried.
  private func batches(of count: Int, _ base: DamageBase, _ run: ProofRun) -> [Range<Int>] {
    func batches(_ cases: Range<Int>, _ size: Int) -> [Range<Int>] {
      stride(from: cases.lowerBound, to: cases.upperBound, by: size).map { $0..<min($0 + size, cases.upperBound) }
    }
    if let only { return [only..<only + 1] }
    if let cuts { return batches(base.cutsOfSmallStore(cuts, seed: run.seed), Self.batch / 4) }
    guard run.cases < count else { return batches(0..<count, Self.batch) }
    // A few of every kind, however few cases are asked for.
    var random = SplitMix64(seed: run.seed)
    return (0..<(run.cases + Self.sample - 1) / Self.sample).map { _ in
      let start = Int.random(in: 0..<count - Self.sample, using: &random)
      return start..<start + Self.sample
    }
  }

  private func run(_ batch: Range<Int>, _ cases: [DamageCase], _ run: ProofRun, _ session: DamageSession) async throws {
    var next = batch.lowerBound
    while next < batch.upperBound {
      let process = try ProvingProcess(
        run.executable,
        ["damage-worker", run.folder.path(percentEncoded: false), "\(run.seed)", "\(next)", "\(batch.upperBound)"])
      let watchdog = Watchdog(limit: 60) { process.kill() }
      var current = next
      for await line in process.lines {
        watchdog.step()
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        guard words.count > 1, let number = Int(words[1]) else { continue }
        switch words[0] {
        case "case": current = number
        case "wrong": report(cases[number], number, words.last ?? "", run, session)
        case "done":
          session.note(cases[number], words.last?.split(separator: " ").compactMap { Int($0) } ?? [])
          current = number + 1
        default: break
        }
      }
      watchdog.end()
      let end = await process.end()
      next = current
      if end == .exit(0) { return }
      guard next < cases.count else { return }
      report(
        cases[next], next,
        "the process ended with \(end)\(end == .signal(SIGKILL) ? ": a call did not return within a minute" : "")", run,
        session)
      next += 1
    }
  }

  private func report(
    _ damage: DamageCase, _ number: Int, _ description: String, _ run: ProofRun, _ session: DamageSession
  ) {
    session.find(
      Finding(
        "\(damage): \(description)", reproduction: "swift run LarderProof damage --seed \(run.seed) --only \(number)"))
  }
}

/// The result of the part while it grows.
private final class DamageSession: Sendable {
  private struct State {
    var batches: ArraySlice<Range<Int>>
    var result: PartResult
  }

  private let state: Mutex<State>

  init(_ batches: [Range<Int>], _ result: PartResult) {
    state = Mutex(State(batches: batches[...], result: result))
  }

  func next() -> Range<Int>? {
    state.withLock { $0.result.findings.count < 20 ? $0.batches.popFirst() : nil }
  }

  /// - Parameter counts: How many checks were made, and how many calls were refused.
  func note(_ damage: DamageCase, _ counts: [Int]) {
    state.withLock { state in
      state.result.cases += 1
      state.result.checks += counts.first ?? 0
      if case .truncate = damage.edit {
        state.result.count("lengths at which the \(damage.target.rawValue) of the \(damage.store.rawValue) store ends")
      } else {
        state.result.count(damage.target == .file ? "changed files" : "changed logs")
      }
      state.result.count("calls that were refused", by: counts.last ?? 0)
    }
  }

  func find(_ finding: Finding) { state.withLock { $0.result.findings.append(finding) } }

  func progress(of count: Int) -> String {
    state.withLock { "\($0.result.cases) of \(count) damaged files, \($0.result.findings.count) findings" }
  }

  func finish() -> PartResult { state.withLock { $0.result } }
}
