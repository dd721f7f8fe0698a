import ArgumentParser
import LarderProving

struct KillsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: Kills.name, abstract: "Kills processes that write, and looks for what they were told is stored.")

  @OptionGroup var options: RunOptions

  func run() async throws {
    try await options.run(Kills())
  }
}

struct KillWorkerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kill-worker", abstract: "Writes until it is killed.", shouldDisplay: false)

  @Argument var path: String
  @Argument var writer: Int
  @Argument var seed: UInt64

  func run() async throws {
    try await KillWorker(path: path, writer: writer, seed: seed).run()
  }
}
