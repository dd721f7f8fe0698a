import Foundation
import LarderProving
import Testing

/// A short form of a part: so many cases, with the seed of the day's tests or the one of a failure.
enum ShortRun {
  /// Runs the part, and expects that it finds nothing and that it tried what it was asked to.
  static func expectNothing(
    of part: some ProofPart, seed: UInt64, cases: Int, atLeast least: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let result = try await run(part, seed: seed, cases: cases)
    #expect(
      result.cases >= least ?? cases, "of \(cases) cases \(result.cases) were tried", sourceLocation: sourceLocation)
    #expect(result.checks > 0, sourceLocation: sourceLocation)
    for finding in result.findings {
      Issue.record("\(finding.description)\nagain: \(finding.reproduction)", sourceLocation: sourceLocation)
    }
  }

  private static func run(_ part: some ProofPart, seed: UInt64, cases: Int) async throws -> PartResult {
    let folder = FileManager.default.temporaryDirectory.appending(component: "larder-proving-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // Only the suite limits the time: the tests that run meanwhile take as much of the processors as they need.
    return try await part.run(
      ProofRun(
        seed: seed, cases: cases, time: .seconds(86_400), folder: folder, executable: try executable(),
        stalled: { description, reproduction in
          Issue.record("\(description)\nagain: \(reproduction)")
        }))
  }

  private struct MissingExecutable: Error, CustomStringConvertible {
    var description: String { "LarderProof is not beside the tests; build the package's tests first" }
  }

  static func executable() throws -> URL {
    let places = [Bundle.main.executableURL, Bundle.main.bundleURL] + Bundle.allBundles.map { Optional($0.bundleURL) }
    for folder in places.compactMap({ $0 }).flatMap({ [$0, $0.deletingLastPathComponent()] }) {
      let file = folder.appending(component: "LarderProof")
      if FileManager.default.isExecutableFile(atPath: file.path(percentEncoded: false)) { return file }
    }
    throw MissingExecutable()
  }
}
