import ArgumentParser
import Foundation
import Larder

struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Writes a copy of a file as it is at this moment, with its attachments.",
    discussion: """
      Other programs may read and write meanwhile. The copy takes its name when it is whole and on the disk.

      EXAMPLES
        larder backup notes.larder notes-2026-11-30.larder
      """)

  @OptionGroup var source: StoreFile
  @Argument(help: "The file to create.", completion: .file())
  var target: String

  func run() async throws {
    try await source.reading().closing { try $0.blocking.backup(to: target) }
    print("\(DisplayText.escaped(target)): \(FileFacts.text(FileFacts(target).size))")
  }
}

struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Puts a backup, with its attachments, in the place of a file.",
    discussion: """
      A file that is there is replaced only with --force, and kept until the backup is in its place. Close the programs \
      that use it before: a file that another program has open is refused.

      EXAMPLES
        larder restore notes-2026-11-30.larder notes.larder --force
      """)

  @Argument(help: "The backup.", completion: .file())
  var backup: String
  @Argument(help: "The file to put it in place of.", completion: .file())
  var target: String
  @Flag(help: "Replace a file that is there.")
  var force = false

  func run() async throws {
    try await StoreFile.open(backup, .readOnly).closing { store in
      try await FileReplacement(target).run(force: force) { try store.blocking.backup(to: $0) }
    }
    print("\(DisplayText.escaped(target)): \(FileFacts.text(FileFacts(target).size))")
  }
}
