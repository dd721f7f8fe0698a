import Foundation
import LarderTestSupport
import Synchronization

/// The work of the part that fails calls, and its result while it grows.
final class FaultSession: Sendable {
  /// The calls of a unit that are to fail, once they are known.
  private struct Remaining {
    var unit: FaultUnit
    var numbers: [Int]?
  }

  /// What is known of a scenario, with all ways to fail.
  private struct Share {
    var possible = 0
    /// The calls that failed in this run, and in it and earlier ones.
    var tried = 0
    var triedInAll = 0
  }

  private struct State {
    var waiting: [Remaining] = []
    var result: PartResult
    var progress: FaultProgress
    var shares: [String: Share] = [:]
    /// The cases that workers were asked for.
    var begun = 0
    var workers = 0
  }

  private let run: ProofRun
  private let library: URL?
  private let state: Mutex<State>

  /// - Parameter library: The library that fails calls of the system.
  init(_ run: ProofRun, _ library: URL?, _ progress: FaultProgress) {
    self.run = run
    self.library = library
    let result = PartResult(
      part: FaultsPart.name, title: "Faults",
      summary: """
        Each call to the file system fails in turn, once or from then on, while a store works, opens, empties its log or closes: with an input/output \
        error, a full disk, a part of the bytes, a lock that is taken. The store must say so truly, go on once the fault is gone, and lose nothing.
        """,
      seed: run.seed, unit: "failed calls")
    state = Mutex(State(result: result, progress: progress))
  }

  var progress: FaultProgress { state.withLock { $0.progress } }

  func count(_ name: String) { state.withLock { $0.result.count(name) } }

  func add(_ units: [FaultUnit]) {
    state.withLock { $0.waiting += units.map { Remaining(unit: $0) } }
  }

  /// Runs chunks of units, one after another, until all are done or the time is over.
  func work(_ lane: Int, _ size: Int) {
    var random = SplitMix64(seed: run.seed &+ UInt64(lane) &* 7919)
    // The calls of every unit are counted, so that the share that was tried is known, however little time there is.
    while let (remaining, isCounted) = next() {
      guard isCounted, let numbers = remaining.numbers else {
        let numbers = numbers(of: remaining.unit).shuffled(using: &random)
        if !numbers.isEmpty { putBack(Remaining(unit: remaining.unit, numbers: numbers)) }
        continue
      }
      let size = begin(min(size, numbers.count))
      guard size > 0 else { return }
      runChunk(of: remaining.unit, Array(numbers.prefix(size)))
      if numbers.count > size { putBack(Remaining(unit: remaining.unit, numbers: Array(numbers.dropFirst(size)))) }
    }
  }

  /// The next unit: one whose calls are not counted first.
  private func next() -> (remaining: Remaining, isCounted: Bool)? {
    state.withLock { state in
      if let position = state.waiting.firstIndex(where: { $0.numbers == nil }) {
        // With a few cases only, not every unit has its turn.
        guard run.cases > state.begun else { return nil }
        return (state.waiting.remove(at: position), false)
      }
      guard run.isTimeLeft, run.cases > state.begun, !state.waiting.isEmpty else { return nil }
      return (state.waiting.removeFirst(), true)
    }
  }

  private func putBack(_ remaining: Remaining) { state.withLock { $0.waiting.append(remaining) } }

  /// Returns how many of the cases there are left to begin.
  private func begin(_ size: Int) -> Int {
    state.withLock { state in
      let size = min(size, run.cases - state.begun)
      state.begun += size
      return size
    }
  }

  /// The numbers of the calls that can fail and have not in earlier runs; all of them once each of them has.
  private func numbers(of unit: FaultUnit) -> [Int] {
    let whole = Mutex<FaultOutcome?>(nil)
    let end = work(unit, []) { line in if case .ended(let outcome) = line { whole.withLock { $0 = outcome } } }
    guard let whole = whole.withLock({ $0 }) else {
      find("\(unit.description), without a fault: the process \(describe(end))", unit, nil)
      return []
    }
    if !whole.problems.isEmpty {
      find("\(unit.description), without a fault: \(whole.problems.joined(separator: "; "))", unit, nil)
    }
    let all = Array(1..<(whole.calls + 1))
    return state.withLock { state in
      var tried = state.progress.tried(in: unit).intersection(all)
      if tried.count == all.count {
        state.progress.beginAgain(unit)
        tried = []
      }
      state.shares[unit.scenario, default: Share()].possible += all.count
      state.shares[unit.scenario, default: Share()].triedInAll += tried.count
      return all.filter { !tried.contains($0) }
    }
  }

  private func runChunk(of unit: FaultUnit, _ numbers: [Int]) {
    var left = numbers
    while !left.isEmpty, run.isTimeLeft {
      var begun: Int?
      var outcomes: [FaultOutcome] = []
      let end = work(unit, left) { line in
        switch line {
        case .begins(let number): begun = number
        case .ended(let outcome):
          outcomes.append(outcome)
          begun = nil
        }
      }
      for outcome in outcomes { note(outcome, unit) }
      left.removeAll { number in outcomes.contains { $0.number == number } || number == begun }
      guard end != .exit(0) else { break }
      state.withLock { $0.result.cases += 1 }
      let number = begun ?? left.first ?? 0
      find("\(unit.description), call \(number): the process \(describe(end))", unit, number)
      if begun == nil { break }
    }
    run.progress(
      state.withLock { state in
        let shares = state.shares.values
        return """
          \(state.result.cases) failed calls, \(shares.reduce(0) { $0 + $1.triedInAll }) of \(shares.reduce(0) { $0 + $1.possible }) with earlier runs, \
          \(state.result.findings.count) findings
          """
      })
  }

  private func note(_ outcome: FaultOutcome, _ unit: FaultUnit) {
    state.withLock { state in
      state.result.cases += 1
      state.result.checks += outcome.checks
      state.result.count("calls that failed", by: outcome.failures)
      for end in outcome.ends {
        state.result.count(end == "ok" ? "calls of the store that returned" : "calls of the store that threw \(end)")
      }
      if outcome.kept > 0 { state.result.count("changes that were kept although their call threw", by: outcome.kept) }
      state.progress.note(outcome.number, in: unit)
      state.shares[unit.scenario, default: Share()].tried += 1
      state.shares[unit.scenario, default: Share()].triedInAll += 1
    }
    guard !outcome.problems.isEmpty else { return }
    find(
      "\(unit.description), call \(outcome.number) (\(outcome.call)): \(outcome.problems.joined(separator: "; "))",
      unit, outcome.number)
  }

  private func find(_ description: String, _ unit: FaultUnit, _ number: Int?) {
    run.progress(description)
    let command = (["LarderProof", FaultsPart.name] + unit.arguments + ["--at", number.map(String.init) ?? "count"])
      .joined(separator: " ")
    state.withLock { $0.result.findings.append(Finding(description, reproduction: command)) }
  }

  private func describe(_ end: WorkerEnd) -> String {
    let text = (try? String(contentsOf: end.log, encoding: .utf8)) ?? ""
    let last =
      text.split(separator: "\n").last { $0.contains("Fatal") || $0.contains("rror") }.map { ": \($0.prefix(300))" }
      ?? ""
    return switch end.end {
    case .exit(let status): "ended with status \(status)\(last)"
    case .signal(let signal): "was ended by signal \(signal)\(last)"
    case .hung(let seconds): "hung for \(seconds) seconds"
    case nil: "could not be started"
    }
  }

  /// How a worker ended, nil if it could not be started, and where it wrote its errors.
  private struct WorkerEnd {
    let end: FaultProcess.End?
    let log: URL

    static func != (left: WorkerEnd, right: FaultProcess.End) -> Bool { left.end != right }
  }

  /// Runs a worker to its end.
  private func work(_ unit: FaultUnit, _ numbers: [Int], _ body: (FaultWorker.Line) -> Void) -> WorkerEnd {
    let number = state.withLock { state in
      state.workers += 1
      return state.workers
    }
    let log = run.folder.appending(component: "worker-\(number).log")
    let folder = run.folder.appending(component: "worker-\(number)", directoryHint: .isDirectory)
    defer { try? FileManager.default.removeItem(at: folder) }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let list = numbers.isEmpty ? "count" : numbers.map(String.init).joined(separator: ",")
      let process = try FaultProcess(
        run.executable,
        [FaultsPart.name] + unit.arguments + ["--at", list, "--folder", folder.path(percentEncoded: false)],
        preloading: unit.layer == .system ? library : nil, log: log)
      let decoder = JSONDecoder()
      let end = try process.run { text in
        if let line = try? decoder.decode(FaultWorker.Line.self, from: Data(text.utf8)) { body(line) }
      }
      return WorkerEnd(end: end, log: log)
    } catch {
      run.progress("a worker could not be run: \(error)")
      return WorkerEnd(end: nil, log: log)
    }
  }

  func finish() -> PartResult {
    state.withLock { state in
      var result = state.result
      let shares = state.shares.sorted { $0.key < $1.key }
      let possible = shares.reduce(0) { $0 + $1.value.possible }
      let tried = shares.reduce(0) { $0 + $1.value.triedInAll }
      result.count("scenarios", by: shares.count)
      result.count("calls that can fail", by: possible)
      result.count("of these tried, with earlier runs of this build", by: tried)
      result.count("per cent of the calls that can fail", by: possible == 0 ? 0 : tried * 100 / possible)
      for (name, share) in shares {
        let all = share.triedInAll == share.possible ? "all" : "\(share.triedInAll)"
        result.count("\(name): \(all) of \(share.possible) calls that can fail, in this run", by: share.tried)
      }
      return result
    }
  }
}
