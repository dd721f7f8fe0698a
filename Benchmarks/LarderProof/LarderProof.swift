import ArgumentParser

/// Tries to break Larder, by rule and at random, and reports what was tried and found.
@main
struct LarderProof: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "LarderProof",
    abstract: "Tries to break Larder, and reports what was tried, how often, and what was found.",
    subcommands: [
      AllCommand.self, ReportCommand.self,
      KillsCommand.self, CancellationsCommand.self, ModelCommand.self, RandomCommand.self, ArchivesCommand.self,
      DamageCommand.self, SyncCommand.self,
      FaultsCommand.self, PowerCommand.self,
      LogCommand.self, ForeignCommand.self, ResourcesCommand.self,
      KillWorkerCommand.self, ModelWorkerCommand.self, DamageWorkerCommand.self, ForeignWorkerCommand.self,
    ])
}
