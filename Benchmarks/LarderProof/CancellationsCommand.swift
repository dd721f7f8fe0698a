import ArgumentParser
import LarderProving

struct CancellationsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: Cancellations.name, abstract: "Cancels tasks at any moment in every verb.")

  @OptionGroup var options: RunOptions

  func run() async throws {
    try await options.run(Cancellations())
  }
}
