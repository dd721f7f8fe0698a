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
  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    let target = target
    try await source.reading().closing { store in
      try await Interruption.cancelling { try await store.backup(to: target) }
    }
    try CopyText.show(target, asJSON: json)
  }
}

struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Puts a backup, with its attachments, in the place of a file.",
    discussion: """
      A file that is there is replaced only with --force, and its attachments with it. Both are kept until the backup is \
      in their place. Close the programs that use the file before: one that another program has open is refused.

      EXAMPLES
        larder restore notes-2026-11-30.larder notes.larder --force
      """)

  @Argument(help: "The backup.", completion: .file())
  var backup: String
  @Argument(help: "The file to put it in place of.", completion: .file())
  var target: String
  @Flag(help: "Replace a file that is there.")
  var force = false
  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    guard backup.realPath != target.realPath else {
      throw Failure("\(target) is the backup itself. Give the path of the file to replace.")
    }
    let (target, force) = (target, force)
    try await StoreFile.open(backup, .readOnly).closing { store in
      try await Interruption.cancelling {
        try await FileReplacement(target).run(force: force) { try await store.backup(to: $0) }
      }
    }
    try CopyText.show(target, asJSON: json)
  }
}

/// What is said of a copy that was made.
private enum CopyText {
  static func show(_ file: String, asJSON: Bool) throws {
    let facts = FileFacts(file)
    guard asJSON else { return print("\(DisplayText.escaped(file)): \(FileFacts.text(facts.size))") }
    print(
      try JSONText.line(
        .record([
          "file": .text(file), "size": DocumentValue(facts.size),
          "attachmentSize": DocumentValue(facts.attachments?.size),
          "attachmentCount": DocumentValue(facts.attachments?.count),
        ])))
  }
}
