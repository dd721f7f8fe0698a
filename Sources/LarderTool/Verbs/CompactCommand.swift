import ArgumentParser
import Foundation
import Larder

struct CompactCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Gives the space of deleted rows back to the system (VACUUM), and empties the log.",
    discussion: """
      Needs as much free space on the disk as the file takes, and waits for other programs to finish what they write.

      EXAMPLES
        larder compact notes.larder
      """)

  @OptionGroup var target: StoreFile
  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    let before = FileFacts(target.file)
    try await target.writing().closing { store in
      try store.blocking.sql("VACUUM")
      try store.blocking.checkpoint()
    }
    let after = FileFacts(target.file)
    let (old, new) = (before.size + before.log, after.size + after.log)
    if json {
      print(try JSONText.line(.record(["before": DocumentValue(old), "after": DocumentValue(new)])))
    } else {
      print("\(FileFacts.text(old)) before, \(FileFacts.text(new)) after")
    }
  }
}
