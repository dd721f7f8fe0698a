import ArgumentParser
import Foundation
import LarderProving

struct AllCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "all", abstract: "Runs every part, each in a process of its own, and makes the report.")

  @Option(help: "How many minutes all parts together may take.")
  var minutes = 55.0

  @Option(help: "The seed of all parts; without it, one is drawn and printed.")
  var seed: UInt64?

  @Option(help: "The folder that the results are written to.")
  var results = ".build/proof"

  @Option(
    help:
      "How many operations, queries and live checks the random tests make at least, so many of each, however long it takes."
  )
  var each: Int?

  /// The parts, their shares of the time that is left when their turn comes, and how many cases are enough. What ends
  /// early leaves its time to the others, so those that end when they have enough come first.
  private static let parts: [(name: String, share: Double, cases: Int?)] = [
    (Kills.name, 1, 1000),
    (OverlappingReaders.name, 1.1, nil),
    (StoresOpenedAndClosed.name, 4, 10_000),
    (ForeignCommits.name, 1, 1000),
    (Cancellations.name, 12, 1_000_000),
    (ModelRun.name, 18, 1_000_000),
    (DamageRun.name, 6, nil),
    (FaultsPart.name, 7, nil),
    (RandomTests.name, 5, nil),
    (HostileArchives.name, 4, 8_000_000),
    (PowerPart.name, 3, nil),
    (SyncRuns.name, 5, 10_000),
  ]

  func run() async throws {
    let folder = ResultFolder(path: results)
    try? FileManager.default.removeItem(at: folder.url)
    let seed = seed ?? UInt64.random(in: 0...UInt64(UInt32.max))
    let end = ContinuousClock.now + .seconds(minutes * 60)
    for (position, part) in Self.parts.enumerated() {
      let left = max(0, (end - .now) / .seconds(60))
      let share = left * part.share / Self.parts[position...].reduce(0) { $0 + $1.share }
      var arguments = [part.name, "--seed", "\(seed)", "--minutes", "\(share)", "--results", results]
      if let cases = part.cases { arguments += ["--cases", "\(cases)"] }
      if let each, part.name == RandomTests.name { arguments += ["--each", "\(each)"] }
      let started = Date.now
      let end = try await Self.run(arguments)
      // A part that ended well or with findings has written its result; one that was ended by a signal has not.
      guard end != .exit(0), end != .exit(1) else { continue }
      try folder.write(
        PartResult(
          part: part.name, title: part.name, summary: "The process of this part ended before its time.", seed: seed,
          findings: [
            Finding(
              "the process ended with \(end)", reproduction: "LarderProof " + arguments.prefix(3).joined(separator: " ")
            )
          ],
          seconds: Date.now.timeIntervalSince(started), startedAt: started))
    }
    let report = Report(try folder.results())
    try ReportCommand.write(report, to: folder)
    print(report.text)
    if report.findings > 0 { throw ExitCode(1) }
  }

  /// How a process ended.
  private enum End: Equatable, CustomStringConvertible {
    case exit(Int32)
    case signal(Int32)

    var description: String {
      switch self {
      case .exit(let status): "exit status \(status)"
      case .signal(let signal): "signal \(signal)"
      }
    }
  }

  private static func run(_ arguments: [String]) async throws -> End {
    let process = Process()
    process.executableURL = RunOptions.executable
    process.arguments = arguments
    return try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { process in
        continuation.resume(
          returning: process.terminationReason == .exit
            ? .exit(process.terminationStatus) : .signal(process.terminationStatus))
      }
      do {
        try process.run()
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }
}
