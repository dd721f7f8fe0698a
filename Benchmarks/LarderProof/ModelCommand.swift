import ArgumentParser
import LarderProving

struct ModelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: ModelRun.name,
    abstract: "Does random operations to stores and to plain Swift values, and compares the two.")

  @OptionGroup var options: RunOptions

  @Option(help: "How many operations are done to one file.")
  var operations = 400

  @Option(help: "The numbers of the operations that are done of those, with commas between; all without it.")
  var only: String?

  @Option(help: "Of a thousand operations, so many set the clock ahead or back.")
  var leaps = 7

  func run() async throws {
    let only = only.map { Set($0.split(separator: ",").compactMap { Int($0) }) }
    try await options.run(ModelRun(operations: operations, only: only, leaps: leaps))
  }
}

struct ModelWorkerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "model-worker", abstract: "Does operations to a store as it is told to.", shouldDisplay: false)

  func run() async throws {
    try await ModelWorker().run()
  }
}
