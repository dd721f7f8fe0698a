import Foundation
import LarderTestSupport

/// Damages every page of a small store, its header and its log, cuts it off everywhere, and uses it.
public struct DamageRun: ProofPart {
  public static let name = "damage"

  /// The cases that one process tries.
  private static let batch = 100
  private let only: Int?

  /// - Parameter only: The number of the one case that is tried, or nil for all.
  public init(only: Int? = nil) {
    self.only = only
  }

  public func run(_ run: ProofRun) async throws -> PartResult {
    var result = PartResult(
      part: Self.name, title: "Damage",
      summary: """
        Every page of a small store is damaged in some thirty ways, every byte of its header in three, the file is cut off at every page and at \
        bytes between, and every frame of a log is changed or cut off. Each file is opened, read in every way, written and read again in a process with \
        limits: a StoreError, the right answer, or what SQLite itself says where it cannot know better; never a trap, never a call that hangs.
        """,
      seed: run.seed, unit: "damaged files")
    try DamageStore.make(in: run.folder)
    let base = try DamageBase(run.folder)
    let cases = base.cases(seed: run.seed)
    result.count("pages of the file", by: base.pages)
    // All kinds of damage come early, however few cases there is time for.
    var random = SplitMix64(seed: run.seed)
    var batches = stride(from: 0, to: cases.count, by: Self.batch).map { $0..<min($0 + Self.batch, cases.count) }
      .shuffled(using: &random)
    if let only { batches = [only..<only + 1] }
    if run.cases < cases.count, only == nil {
      batches = (0..<run.cases / 10).map { _ in
        let start = Int.random(in: 0..<cases.count - 10, using: &random)
        return start..<start + 10
      }
    }
    for batch in batches where run.isTimeLeft && result.findings.count < 20 {
      try await self.run(batch, cases, run, &result)
      run.progress("\(result.cases) of \(cases.count) damaged files, \(result.findings.count) findings")
    }
    return result
  }

  private func run(_ batch: Range<Int>, _ cases: [DamageCase], _ run: ProofRun, _ result: inout PartResult) async throws
  {
    var next = batch.lowerBound
    while next < batch.upperBound, result.findings.count < 20 {
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
        case "wrong": report(cases[number], number, words.last ?? "", run, &result)
        case "done":
          let counts = words.last?.split(separator: " ").compactMap { Int($0) } ?? []
          result.cases += 1
          result.checks += counts.first ?? 0
          result.count(cases[number].target == .file ? "damaged files" : "damaged logs")
          result.count("calls that were refused", by: counts.last ?? 0)
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
        &result)
      next += 1
    }
  }

  private func report(
    _ damage: DamageCase, _ number: Int, _ description: String, _ run: ProofRun, _ result: inout PartResult
  ) {
    result.findings.append(
      Finding(
        "\(damage): \(description)", reproduction: "swift run LarderProof damage --seed \(run.seed) --only \(number)"))
  }
}
