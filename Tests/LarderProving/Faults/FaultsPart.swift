import Foundation
import Larder
import LarderTestSupport
import Synchronization

/// Fails each call that a store makes, one after another.
public struct FaultsPart: ProofPart {
  public static let name = "faults"

  private let units: [FaultUnit]
  /// How many cases a worker runs before another unit has its turn.
  private static let chunk = 40

  /// - Parameter scenario: The only scenario to run; nil for all.
  public init(scenario: String? = nil, layer: FaultUnit.Layer? = nil) {
    units = FaultUnit.all.filter { (scenario ?? $0.scenario) == $0.scenario && (layer ?? $0.layer) == $0.layer }
  }

  public func run(_ run: ProofRun) async throws -> PartResult {
    // The work is in other processes; this thread waits for one after the other.
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try self.perform(run) }) }
    }
  }

  private func perform(_ run: ProofRun) throws -> PartResult {
    var session = FaultSession(run)
    var units = units
    do {
      session.interposer = try FaultInterposer(in: run.folder)
    } catch let error as FaultInterposer.Unavailable {
      run.progress("calls of the system are not failed: \(error)")
      session.result.count("scenarios skipped: \(error)")
      units.removeAll { $0.layer == .system }
    }
    var random = SplitMix64(seed: run.seed)
    units.shuffle(using: &random)
    var remaining: [(unit: FaultUnit, numbers: [Int])] = []
    for unit in units where run.isTimeLeft && session.result.cases < run.cases {
      let numbers = session.numbers(of: unit).shuffled(using: &random)
      session.possible += numbers.count
      remaining.append((unit, session.runChunk(of: unit, numbers, Self.chunk)))
    }
    while !remaining.isEmpty, run.isTimeLeft, session.result.cases < run.cases {
      for position in remaining.indices where run.isTimeLeft && session.result.cases < run.cases {
        remaining[position].numbers = session.runChunk(
          of: remaining[position].unit, remaining[position].numbers, Self.chunk)
      }
      remaining.removeAll { $0.numbers.isEmpty }
      run.progress("\(session.result.cases) of \(session.possible) cases, \(session.result.findings.count) findings")
    }
    return session.finish()
  }
}

/// The result of the part while it grows.
private struct FaultSession {
  let run: ProofRun
  var interposer: FaultInterposer?
  var possible = 0
  var result: PartResult
  private var workers = 0
  private var scenarios: Set<String> = []

  init(_ run: ProofRun) {
    self.run = run
    result = PartResult(
      part: FaultsPart.name, title: "Faults",
      summary: """
        Each call to the file system fails in turn, once or from then on, while a store works, opens or closes: with an input/output error, a full \
        disk, a part of the bytes, a lock that is taken. The store must say so truly, go on once the fault is gone, and lose nothing.
        """,
      seed: run.seed, unit: "failed calls")
  }

  /// The numbers of the calls that can fail.
  mutating func numbers(of unit: FaultUnit) -> [Int] {
    var whole: FaultOutcome?
    let end = work(unit, []) { if case .ended(let outcome) = $0 { whole = outcome } }
    guard let whole else {
      find("\(unit.description), without a fault: the process \(describe(end))", unit, nil)
      return []
    }
    if !whole.problems.isEmpty {
      find("\(unit.description), without a fault: \(whole.problems.joined(separator: "; "))", unit, nil)
    }
    return Array(1..<(whole.calls + 1))
  }

  /// Runs some of the cases, and returns those that are left.
  mutating func runChunk(of unit: FaultUnit, _ numbers: [Int], _ size: Int) -> [Int] {
    let size = min(size, run.cases - result.cases)
    var left = Array(numbers.prefix(size))
    scenarios.insert(unit.scenario)
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
      result.cases += 1
      let number = begun ?? left.first ?? 0
      find("\(unit.description), call \(number): the process \(describe(end))", unit, number)
      if begun == nil { break }
    }
    return Array(numbers.dropFirst(size))
  }

  private mutating func note(_ outcome: FaultOutcome, _ unit: FaultUnit) {
    result.cases += 1
    result.checks += outcome.checks
    result.count("calls that failed", by: outcome.failures)
    for end in outcome.ends {
      result.count(end == "ok" ? "calls of the store that returned" : "calls of the store that threw \(end)")
    }
    if outcome.kept > 0 { result.count("changes that were kept although their call threw", by: outcome.kept) }
    guard !outcome.problems.isEmpty else { return }
    find(
      "\(unit.description), call \(outcome.number) (\(outcome.call)): \(outcome.problems.joined(separator: "; "))",
      unit, outcome.number)
  }

  private mutating func find(_ description: String, _ unit: FaultUnit, _ number: Int?) {
    run.progress(description)
    let command = (["LarderProof", FaultsPart.name] + unit.arguments + ["--at", number.map(String.init) ?? "count"])
      .joined(separator: " ")
    result.findings.append(Finding(description, reproduction: command))
  }

  private func describe(_ end: FaultProcess.End?) -> String {
    let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
    let last =
      text.split(separator: "\n").last { $0.contains("Fatal") || $0.contains("rror") }.map { ": \($0.prefix(300))" }
      ?? ""
    return switch end {
    case .exit(let status): "ended with status \(status)\(last)"
    case .signal(let signal): "was ended by signal \(signal)\(last)"
    case .hung(let seconds): "hung for \(seconds) seconds"
    case nil: "could not be started"
    }
  }

  private var log: URL { run.folder.appending(component: "worker.log") }

  /// Runs a worker to its end.
  @discardableResult
  private mutating func work(
    _ unit: FaultUnit, _ numbers: [Int], _ body: (FaultWorker.Line) -> Void
  ) -> FaultProcess.End? {
    workers += 1
    let folder = run.folder.appending(component: "worker-\(workers)", directoryHint: .isDirectory)
    defer { try? FileManager.default.removeItem(at: folder) }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let list = numbers.isEmpty ? "count" : numbers.map(String.init).joined(separator: ",")
      let process = try FaultProcess(
        run.executable,
        [FaultsPart.name] + unit.arguments + ["--at", list, "--folder", folder.path(percentEncoded: false)],
        preloading: unit.layer == .system ? interposer?.library : nil, log: log)
      let decoder = JSONDecoder()
      return try process.run { text in
        if let line = try? decoder.decode(FaultWorker.Line.self, from: Data(text.utf8)) { body(line) }
      }
    } catch {
      run.progress("a worker could not be run: \(error)")
      return nil
    }
  }

  func finish() -> PartResult {
    var result = result
    result.count("scenarios", by: scenarios.count)
    result.count("calls that can fail", by: possible)
    return result
  }
}
