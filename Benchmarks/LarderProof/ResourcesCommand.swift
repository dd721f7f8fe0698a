import ArgumentParser
import LarderProving

struct ResourcesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: StoresOpenedAndClosed.name,
    abstract: "Opens and closes thousands of stores, and looks at what the process holds.")

  @OptionGroup var options: RunOptions

  func run() async throws {
    try await options.run(StoresOpenedAndClosed())
  }
}
