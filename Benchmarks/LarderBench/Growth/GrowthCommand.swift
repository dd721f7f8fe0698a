import ArgumentParser
import Foundation

/// Measures the same work in stores of different sizes.
struct GrowthCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "growth", abstract: "What reads and writes cost as a store grows, as a table, JSON and a plot.")

  @Option(parsing: .upToNextOption, help: "How many rows each table has.")
  var sizes = [10_000, 100_000, 1_000_000, 10_000_000]

  @Option(help: "The file for the figures.")
  var output = ".build/growth.json"

  @Option(help: "The file for the plot, as SVG.")
  var plot = ".build/growth.svg"

  @Option(
    help:
      "The folder for the databases, which take some 6 GB for 10,000,000 rows; it is made anew, and removed at the end."
  )
  var folder = ".build/bench-growth"

  func validate() throws {
    guard !sizes.isEmpty, sizes.allSatisfy({ $0 >= 1000 }) else {
      throw ValidationError("--sizes needs sizes of at least 1000.")
    }
  }

  func run() async throws {
    var report = GrowthReport(machine: Machine())
    for size in sizes {
      FileHandle.standardError.write(Data("\(size) rows …\n".utf8))
      report.add(try GrowthSizeCommand.figures(of: size, in: folder), size: size)
      // The next size takes ten times as long, and may be interrupted.
      try report.write(to: URL(filePath: output))
      try GrowthPlot(report).write(to: URL(filePath: plot))
    }
    print(report)
  }
}

/// Measures one size in a process of its own, so that peak memory is of that size. Prints JSON.
struct GrowthSizeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "growth-size", shouldDisplay: false)

  @Argument var size: Int
  @Option var folder: String

  func run() async throws {
    let folder = URL(filePath: folder)
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try GrowthStore(count: size, path: folder.appending(path: "growth.larder").path)
    try await store.measure()
    let figures = Dictionary(uniqueKeysWithValues: store.figures.map { ($0.key.rawValue, $0.value) })
    FileHandle.standardOutput.write(try JSONEncoder().encode(figures))
  }

  /// Runs this command for a size.
  static func figures(of size: Int, in folder: String) throws -> [GrowthFigure: Double] {
    let child = Process()
    child.executableURL = Bundle.main.executableURL
    child.arguments = ["growth-size", "\(size)", "--folder", folder]
    child.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("MALLOC_") }
    let output = Pipe()
    child.standardOutput = output
    try child.run()
    let answer = output.fileHandleForReading.readDataToEndOfFile()
    child.waitUntilExit()
    guard child.terminationStatus == 0 else { throw ExitCode(child.terminationStatus) }
    let figures = try JSONDecoder().decode([String: Double].self, from: answer)
    return Dictionary(
      uniqueKeysWithValues: figures.compactMap { name, value in GrowthFigure(rawValue: name).map { ($0, value) } })
  }
}
