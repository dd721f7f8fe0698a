import Foundation
import Larder
import LarderTestSupport

/// Kills processes that write to one file, at moments that nobody chose, and checks after each that nothing
/// acknowledged is lost.
public struct Kills: ProofPart {
  public static let name = "kills"
  public static let needsDisk = true

  /// How many processes write to one file.
  private static let writers = 3
  /// After so many kills a new file is begun: checking an old one takes long.
  private static let killsPerFile = 60

  public init() {}

  public func run(_ run: ProofRun) async throws -> PartResult {
    var result = PartResult(
      part: Self.name, title: "Kills",
      summary: """
        Processes write to one file at once (transfers, saves in group commit, counters, documents, attachments, contexts, expiring rows) and are \
        killed with SIGKILL; after each kill everything that was acknowledged is looked for, and all transactions must be whole.
        """,
      seed: run.seed, unit: "kills")
    var random = SplitMix64(seed: run.seed)
    var file = 0
    var progress: [Series.Point] = []
    while result.cases < run.cases, run.isTimeLeft, result.findings.count < 10 {
      let session = KillSession(
        run, path: run.folder.appending(component: "kills-\(file).larder").path(percentEncoded: false))
      let limit = min(Self.killsPerFile, run.cases - result.cases)
      try await session.run(writers: Self.writers, kills: limit, &random, &result)
      progress.append(
        Series.Point(
          Double(result.cases), Double(result.counters.first { $0.name == "acknowledged writes" }?.value ?? 0)))
      file += 1
      run.progress("\(result.cases) kills, \(result.findings.count) findings")
    }
    result.count("files", by: file)
    result.series.append(
      Series("acknowledged writes that were looked for", xLabel: "kills", yLabel: "writes", points: progress))
    return result
  }
}
