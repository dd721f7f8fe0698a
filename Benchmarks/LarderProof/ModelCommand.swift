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

  func run() async throws {
    try await options.run(
      ModelRun(operations: operations, only: only.map { Set($0.split(separator: ",").compactMap { Int($0) }) }))
  }
}
