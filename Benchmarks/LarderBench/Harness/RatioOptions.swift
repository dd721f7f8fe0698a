import ArgumentParser
import Foundation

/// Where the ratios of earlier runs are, for every part of the benchmark that compares itself with them.
struct RatioOptions: ParsableArguments {
  @Option(help: "The file with the ratios of earlier runs, by kind of machine.")
  var committed = "Benchmarks/ratios.json"

  @Flag(help: "Write the ratios of this run to that file.")
  var commit = false

  /// Prints what has moved, and takes the ratios over if that was asked for.
  func compare(_ ratios: [String: Ratios], on machine: Machine = Machine()) throws {
    let file = URL(filePath: self.committed)
    var committed = try CommittedRatios(file)
    print(committed.comparison(with: ratios, of: machine.kind))
    guard commit else { return }
    committed.take(ratios, of: machine.kind)
    try committed.write(to: file)
  }
}
