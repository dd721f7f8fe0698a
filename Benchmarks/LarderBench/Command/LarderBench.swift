import ArgumentParser

/// Larder, GRDB and the SQLite C interface on the same work in one run.
@main
struct LarderBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "LarderBench",
    abstract: "Measures Larder and GRDB against hand-written C.",
    subcommands: [
      RunCommand.self, AttachmentCommand.self, CoresCommand.self, DocumentsCommand.self, GrowthCommand.self,
      LiveCommand.self,
      QueriesCommand.self, SyncCommand.self,
      MemoryCommand.self, GrowthSizeCommand.self,
    ],
    defaultSubcommand: RunCommand.self
  )
}
