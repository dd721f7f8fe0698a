import ArgumentParser
import Foundation

/// Measures queries that return other things than whole rows, and rows that are saved by a unique property.
struct QueriesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "queries",
    abstract: "Selections, groups by month and rows saved by a unique property, beside raw C.")

  @Option(help: "How many rows there are.")
  var rows = 100_000

  @Option(help: "How many rounds are measured after the warm-up; the median counts.")
  var rounds = 15

  @Option(help: "The folder for the databases; it is made anew, and removed at the end.")
  var folder = ".build/bench-queries"

  @OptionGroup var ratios: RatioOptions

  func run() throws {
    let folder = URL(filePath: folder)
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let receipts = Receipt.samples(rows)
    let larder = try QueriesLarder(path: folder.appending(path: "larder.db").path, receipts)
    try larder.copy(to: folder.appending(path: "raw.db").path)
    let rawC = try QueriesRawC(path: folder.appending(path: "raw.db").path)
    let changed = receipts.shuffled().prefix(10_000).map { receipt in
      var receipt = receipt
      receipt.total += 1
      return receipt
    }

    var comparison = Comparison(rounds: rounds)
    comparison.begin()
    try comparison.compare("select", "select 2 of 6 columns, \(rows) rows", goal: 1.1) {
      try larder.selection()
    } with: {
      try rawC.selection()
    }
    try comparison.compare("group", "group \(rows) rows by month", goal: 1.3) {
      try larder.months()
    } with: {
      try rawC.months()
    }
    try comparison.compare("upsert", "save \(changed.count) rows by a unique property", goal: 1.2) {
      try larder.save(changed)
    } with: {
      try rawC.save(changed)
    }
    try ratios.compare(comparison.ratios)
  }
}
