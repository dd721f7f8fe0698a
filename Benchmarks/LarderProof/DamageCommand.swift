import ArgumentParser
import Foundation
import LarderProving

struct DamageCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: DamageRun.name, abstract: "Damages every page of a store, its header and its log, and uses it.")

  @OptionGroup var options: RunOptions

  @Option(help: "The number of the one case that is tried.")
  var only: Int?

  func run() async throws {
    try await options.run(DamageRun(only: only))
  }
}

struct DamageWorkerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "damage-worker", abstract: "Tries cases of damage.", shouldDisplay: false)

  @Argument var folder: String
  @Argument var seed: UInt64
  @Argument var first: Int
  @Argument var end: Int

  func run() throws {
    try DamageWorker(folder: URL(filePath: folder), seed: seed, cases: first..<end).run()
  }
}
