import ArgumentParser
import Foundation
import LarderProving

struct FaultsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: FaultsPart.name, abstract: "Fails each call to the file system in turn.",
    discussion: """
      A run goes on where the last one of the same build has stopped, until each call has failed. With --at, runs those cases alone in this process, \
      and prints what came of them.
      """)

  @OptionGroup var options: RunOptions

  @Option(help: "The only scenario.")
  var scenario: String?

  @Option(help: "Where calls fail: connections or system.")
  var layer: String?

  @Option(
    help:
      "How calls fail, with --at: inputOutput, full, short, busy; of the system: inputOutput, full, denied, short, interrupted."
  )
  var failure = "inputOutput"

  @Flag(help: "With --at, every later call fails too.")
  var persists = false

  @Option(help: "The numbers of the calls that fail, with commas; count to count them.")
  var at: String?

  @Option(help: "The file that keeps which calls were tried; empty for none.")
  var progress = ".build/proof-faults.json"

  @Option(help: "A folder for the files of the cases, with --at.")
  var folder: String?

  func run() async throws {
    let layer = try layer.map { name in
      guard let layer = FaultUnit.Layer(rawValue: name) else { throw ValidationError("There is no layer \(name).") }
      return layer
    }
    guard let at else {
      let progress = progress.isEmpty ? nil : URL(filePath: progress)
      return try await options.run(FaultsPart(scenario: scenario, layer: layer, progress: progress))
    }
    guard let scenario else { throw ValidationError("--at needs --scenario.") }
    let unit = FaultUnit(scenario: scenario, layer: layer ?? .connections, failure: failure, persists: persists)
    let files =
      folder.map { URL(filePath: $0) }
      ?? FileManager.default.temporaryDirectory.appending(component: "larder-faults-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: files) }
    if unit.layer == .system, ProcessInfo.processInfo.environment["LD_PRELOAD"] == nil { return try again(files) }
    let worker = FaultWorker(unit, in: files) { FileHandle.standardOutput.write(Data(($0 + "\n").utf8)) }
    try await worker.run(at.split(separator: ",").compactMap { Int($0) })
  }

  /// Runs this very command with the library that fails calls of the system.
  private func again(_ folder: URL) throws {
    let process = Process()
    process.executableURL = RunOptions.executable
    process.arguments = Array(CommandLine.arguments.dropFirst())
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["LD_PRELOAD": try FaultInterposer(in: folder).library.path(percentEncoded: false)]) { $1 }
    try process.run()
    process.waitUntilExit()
    if process.terminationStatus != 0 { throw ExitCode(process.terminationStatus) }
  }
}
