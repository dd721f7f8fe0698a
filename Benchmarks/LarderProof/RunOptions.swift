import ArgumentParser
import Foundation
import LarderProving

/// The options of every part.
struct RunOptions: ParsableArguments {
  @Option(help: "The seed of everything that is chosen at random; without it, one is drawn and printed.")
  var seed: UInt64?

  @Option(help: "How many minutes the part may take.")
  var minutes = 5.0

  @Option(help: "How many cases the part tries at most.")
  var cases: Int?

  @Flag(help: "Keeps all files on the disk, also where files in memory would do.")
  var disk = false

  @Option(help: "The folder that the result is written to.")
  var results = ".build/proof"

  /// Runs the part, writes its result, and prints it.
  func run(_ part: some ProofPart) async throws {
    let name = type(of: part).name
    let seed = seed ?? UInt64.random(in: 0...UInt64(UInt32.max))
    let parent = disk || type(of: part).needsDisk ? nil : Self.memory
    let folder = (parent ?? FileManager.default.temporaryDirectory).appending(
      component: "larder-proof-\(name)-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    Self.say("\(name): seed \(seed)")
    let run = ProofRun(
      seed: seed, cases: cases ?? .max, time: .seconds(minutes * 60), folder: folder, executable: Self.executable,
      progress: { Self.say("\(name): \($0)") },
      stalled: { [results] description, reproduction in
        let result = PartResult(
          part: name, title: name, summary: "The part was stuck and was ended.", seed: seed,
          findings: [Finding(description, reproduction: "swift run " + reproduction)])
        print(Report([result]).text)
        do {
          try ResultFolder(path: results).write(result)
          Foundation.exit(1)
        } catch {
          Self.say("\(error)")
          Foundation.exit(2)
        }
      })
    let started = ContinuousClock.now
    var result = try await part.run(run)
    result.seconds = (ContinuousClock.now - started) / .seconds(1)
    try ResultFolder(path: results).write(result)
    print(Report([result]).text)
    if !result.findings.isEmpty { throw ExitCode(1) }
  }

  /// A folder whose files are in memory, where waiting for the disk would be most of the time; nil without one, or
  /// without room.
  private static var memory: URL? {
    let folder = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
    let path = folder.path(percentEncoded: false)
    guard FileManager.default.isWritableFile(atPath: path),
      let attributes = try? FileManager.default.attributesOfFileSystem(forPath: path),
      (attributes[.systemFreeSize] as? NSNumber)?.int64Value ?? 0 > 2 << 30
    else { return nil }
    return folder
  }

  static func say(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }

  static var executable: URL {
    Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
  }
}
