import ArgumentParser
import LarderProving

struct LogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: OverlappingReaders.name,
    abstract: "Reads and writes without pause, and looks at the size of the write-ahead log.")

  @OptionGroup var options: RunOptions

  func run() async throws {
    try await options.run(OverlappingReaders())
  }
}

struct ForeignCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: ForeignCommits.name, abstract: "Measures how late live results show the commits of another process.")

  @OptionGroup var options: RunOptions

  func run() async throws {
    try await options.run(ForeignCommits())
  }
}

struct ForeignWorkerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "foreign-worker", abstract: "Commits rows when it is told to.", shouldDisplay: false)

  @Argument var path: String

  func run() async throws {
    try await ForeignWorker(path: path).run()
  }
}
