import ArgumentParser
import Foundation
import Larder
import LarderSync

struct RepairCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Makes anew what follows from the rows: derived values, triggers, indexes, full-text search, booleans.",
    discussion: """
      What was lost can't be made anew: damaged pages, rows that refer to nothing or break a constraint, values that \
      their properties can't hold, missing attachments. They are listed, each with what to do, and the exit code is 1.
      What was written without sync hearing of it becomes changes of this file, made now.

      EXAMPLES
        larder backup notes.larder before-repair.larder && larder repair notes.larder
      """)

  @OptionGroup var target: StoreFile
  @Flag(help: "Print what is left as JSON.")
  var json = false

  func run() async throws {
    try await target.writing().closing { store in
      let before = try await FileReport(of: store)
      let isIndexDamaged = before.store.counts[.damage] != nil
      // An index that can't be made anew is found by the second check.
      if isIndexDamaged { try? reindex(store) }
      // What is left is in the second report.
      if before.hasDerived { _ = try store.blocking.rebuildDerivedWherePossible() }
      if !before.untracked.isEmpty { try await store.sync.recordUntrackedChanges() }
      let after = before.isHealthy ? before : try await FileReport(of: store)
      let (found, left) = (before.count, after.count)
      if json {
        print(
          try JSONText.line(
            .record([
              "found": DocumentValue(found), "repaired": DocumentValue(max(0, found - left)),
              "left": after.json,
            ])))
      } else {
        if found > left { print("\(found - left) of \(found) problems are repaired.") }
        print(after.text)
        if after.store.counts[.damage] != nil {
          print("Damaged pages aren't repaired here: larder restore puts a backup in place of the file.")
        }
      }
      if !after.isHealthy { throw ExitCode.failure }
    }
  }

  private func reindex(_ store: Store) throws {
    try store.blocking.write { _ = try $0.sql("REINDEX") }
  }
}
