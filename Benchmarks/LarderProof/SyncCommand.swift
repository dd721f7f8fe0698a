import ArgumentParser
import LarderProving

struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: SyncRuns.name, abstract: "Lets replicas write and meet at random, and compares them in the end.")

  @OptionGroup var options: RunOptions

  @Option(help: "How many runs there are, each with a seed of its own; the same as --cases.")
  var seeds: Int?

  @Option(help: "A row of which is printed what becomes of it, as a finding names it: 'SyncedPage [\"\\\"3\\\"\"]'.")
  var watch: String?

  func run() async throws {
    var options = options
    options.cases = seeds ?? options.cases
    try await options.run(SyncRuns(watching: watch))
  }
}
