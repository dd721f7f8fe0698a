public import Foundation

/// Decodes damaged archives and hostile graphs, each kind in a process of its own.
public struct HostileArchives: ProofPart {
  public static let name = "archives"

  /// Archives of `NSKeyedArchiver` that are damaged besides those that the fuzzer makes.
  private let samples: [URL]
  /// How many cases each process runs.
  private let chunk: Int

  public init(samples: [URL] = [], chunk: Int = 20_000) {
    self.samples = samples
    self.chunk = chunk
  }

  private static let kinds = ["own", "keyed", "xml", "packages", "zips", "decorated", "parts", "graphs"]

  public func run(_ run: ProofRun) async throws -> PartResult {
    var result = PartResult(
      part: Self.name, title: "Hostile archives",
      summary: """
        Archives, keyed archives in binary and XML form, packages and zip files are damaged, and made whole with a hostile content, and decoded on a thread with \
        a stack of 512 KiB; graphs of objects are encoded, and packages are read and mended that others have changed. A trap, a call that takes more than ten seconds of the processor, and a process that takes more than 256 MiB are findings.
        """,
      seed: run.seed, unit: "archives")
    let watchdog = Watchdog(limit: 600) {
      run.stalled("an archive was not decoded", "LarderProof \(Self.name) --seed \(run.seed)")
    }
    defer { watchdog.end() }
    // Built into the same folder as the proof.
    let fuzzer = run.executable.deletingLastPathComponent().appending(component: "LarderArchiveFuzz")
    var seed = run.seed
    var broken: Set<String> = []
    while result.cases < run.cases, run.isTimeLeft, broken.count < Self.kinds.count {
      let count = max(1, min(chunk, (run.cases - result.cases) / Self.kinds.count))
      try await withThrowingTaskGroup(of: Outcome.self) { [seed] group in
        var waiting = Self.kinds.filter { !broken.contains($0) }[...]
        // Two at a time: so many processors this is made for.
        for kind in waiting.prefix(2) { group.addTask { try await decode(kind, count, seed, fuzzer) } }
        waiting = waiting.dropFirst(2)
        for try await outcome in group {
          watchdog.step()
          result.cases += outcome.count
          result.checks += outcome.count
          result.count(outcome.kind, by: outcome.count)
          if let problem = outcome.problem {
            broken.insert(outcome.kind)
            result.findings.append(
              Finding(
                "\(outcome.kind): \(problem)",
                reproduction: "swift run -c release LarderArchiveFuzz \(count) \(seed) \(outcome.kind)"))
          }
          if let kind = waiting.popFirst() { group.addTask { try await decode(kind, count, seed, fuzzer) } }
        }
      }
      seed &+= UInt64(count)
      run.progress("\(result.cases) archives, \(result.findings.count) findings")
    }
    return result
  }

  private struct Outcome: Sendable {
    let kind: String
    let count: Int
    let problem: String?
  }

  private func decode(_ kind: String, _ count: Int, _ seed: UInt64, _ fuzzer: URL) async throws -> Outcome {
    let process = try ProvingProcess(
      fuzzer, ["\(count)", "\(seed)", kind] + samples.map { $0.path(percentEncoded: false) }, includesErrors: true)
    var lines: [String] = []
    for await line in process.lines { lines.append(line) }
    let end = await process.end()
    guard end == .exit(0) else { return Outcome(kind: kind, count: 0, problem: "\(end) \(lines.last ?? "")") }
    return Outcome(kind: kind, count: count, problem: nil)
  }
}
