import ArgumentParser
import Foundation
import LarderProving

struct ArchivesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: HostileArchives.name, abstract: "Decodes damaged archives and archives with a hostile content.")

  @OptionGroup var options: RunOptions

  @Option(help: "The folder with archives of NSKeyedArchiver that are damaged as well.")
  var samples = "Tests/LarderArchiveTests/Fixtures"

  func run() async throws {
    let files = try FileManager.default.contentsOfDirectory(at: URL(filePath: samples), includingPropertiesForKeys: nil)
    try await options.run(HostileArchives(samples: files.filter { $0.pathExtension == "keyedarchive" }))
  }
}
