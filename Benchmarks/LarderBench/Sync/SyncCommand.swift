import ArgumentParser
import Foundation
import Larder
import LarderSync

/// Measures what tracking costs a write, and exchanges, exports and imports, as ratios to the same work without.
struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "What sync costs, beside SQLite's session extension.")

  @Option(help: "How many rows are inserted, exported and imported.")
  var rows = 100_000

  @Option(help: "How many rows the large store has in which ten change.")
  var large = 1_000_000

  @Option(help: "How often everything is measured; the median counts.")
  var rounds = 3

  @Option(help: "The folder for the databases; it is made anew, and removed at the end.")
  var folder = ".build/bench-sync"

  func run() async throws {
    let folder = URL(filePath: folder)
    try? FileManager.default.removeItem(at: folder)
    defer { try? FileManager.default.removeItem(at: folder) }
    let orders = SyncOrder.orders(rows)
    var runs: [SyncFigures] = []
    for round in 0..<rounds {
      let place = folder.appending(component: "\(round)")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      runs.append(try await SyncRound(folder: place, orders: orders).run(large: large))
      try FileManager.default.removeItem(at: place)
    }
    print("\(rows) rows of 14 columns in one transaction               ratio   session")
    line("insert, sync on to off", 1.6, runs, \.insert, \.sessionInsert)
    line("update of one property, sync on to off", 2, runs, \.update, \.sessionUpdate)
    line("export, to fetching", 2, runs, \.export, \.sessionExport)
    line("import, to inserting with sync on", 2, runs, \.import, \.sessionImport)
    line("file, sync on to off", 1.35, runs, \.size)
    line("ten changes, in \(large) rows to 1,000", 1.2, runs, \.growth)
    line("commit to live result, there to here", 3, runs, \.latency)
    let seconds = runs.map(\.importSeconds).median
    print(
      String(
        format: "The import took %.2f s, an exchange with nothing new %.2f ms.", seconds, runs.map(\.idle).median * 1000
      ))
  }

  private func line(
    _ title: String, _ goal: Double, _ runs: [SyncFigures], _ figure: KeyPath<SyncFigures, Double>,
    _ session: KeyPath<SyncFigures, Double?>? = nil
  ) {
    let ratio = String(format: "%.2f", runs.map { $0[keyPath: figure] }.median)
    let others = session.map { session in runs.compactMap { $0[keyPath: session] } } ?? []
    let other = others.isEmpty ? "" : String(format: "%.2f", others.median)
    print(title.left(46) + "goal \(goal)".left(12) + ratio.right(8) + other.right(10))
  }
}
