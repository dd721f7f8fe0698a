import ArgumentParser
import Foundation
import LarderProving

struct PowerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: PowerPart.name, abstract: "Cuts the power at every point of a store's work.",
    discussion: "The scenario unsafe never syncs, and loses what it has acknowledged.")

  @OptionGroup var options: RunOptions

  @Option(help: "The only scenario.")
  var scenario: String?

  @Option(help: "The only point to cut at.")
  var at: Int?

  @Option(help: "A folder that exists, for copies of what the cuts leave.")
  var keep: String?

  func run() async throws {
    try await options.run(PowerPart(scenario: scenario, position: at, keeping: keep.map { URL(filePath: $0) }))
  }
}
