import ArgumentParser
import Foundation
import Larder

/// The `larder` command: looks into files, checks them, and moves rows in and out, without the program's models.
@main
struct LarderTool: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "larder",
    abstract: "Looks into Larder's files, and any other SQLite file.",
    discussion: """
      A file of Larder's says itself what its models, relationships and derived values are, so all rules hold without \
      the program that made it. Of other SQLite files the tool knows what SQLite's own schema says.

      A verb opens the file for reading alone, unless its purpose is to write.

      EXAMPLES
        larder info notes.larder
        larder query notes.larder Note 'title contains "milk"' --sort -modifiedAt
        larder export notes.larder Note --format csv --output notes.csv

      EXIT CODES
        0   fine
        1   what was asked for found problems, or failed
        64  the command was misspelled
      """,
    subcommands: [
      InfoCommand.self, SchemaCommand.self, PlanCommand.self, ModelCommand.self, QueryCommand.self, SQLCommand.self,
      ExportCommand.self, ImportCommand.self, CheckCommand.self, RepairCommand.self, BackupCommand.self,
      RestoreCommand.self, CompactCommand.self, DiffCommand.self, WatchCommand.self, SyncCommand.self,
      ArchiveCommand.self, StudioCommand.self,
    ])

  static func main() async {
    do {
      var command = try parseAsRoot(SQLText.arguments(Array(CommandLine.arguments.dropFirst())))
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      ErrorReport.exit(with: error)
    }
  }
}
