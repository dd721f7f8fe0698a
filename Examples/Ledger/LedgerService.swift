import AsyncAlgorithms
import Foundation
import Larder
import LarderSync

/// What can be done with the ledger. This is where the app meets Larder: a store, queries across relationships, a
/// transaction for each change.
struct LedgerService: Sendable {
  let store: Store

  static let fileName = "ledger.larder"

  /// Opens `ledger.larder` and creates it, with its categories, if need be.
  ///
  /// Throws `StoreError` if the file is not a store of a ledger, and what Foundation throws if the folder cannot be
  /// made.
  init(folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    store = try Store(
      at: folder.appending(path: Self.fileName, directoryHint: .notDirectory),
      for: Account.self, Category.self, Cost.self, Step.self, StepRows.self,
      configuration: Store.Configuration(sync: .on)
    )
    // Once for all times, even if two processes start together: a category that was deleted does not come back with the
    // next start.
    try store.blocking.once("categories") { db in
      try db.insert(Category.initialValue)
      try db.insert(Category.defaults.map { Category(name: $0) })
    }
  }

  // MARK: Reading

  /// What the page shows, as it is now and after each change.
  func overviews(_ filter: CostFilter, limit: Int) -> some AsyncSequence<Overview, any Error> & Sendable {
    store.live { try Overview(filter, limit: limit, in: $0) }.removeDuplicates()
  }

  func overview(_ filter: CostFilter, limit: Int) async throws -> Overview {
    try await store.read { try Overview(filter, limit: limit, in: $0) }
  }

  /// A page of the costs; see `CostPage`.
  func costs(_ filter: CostFilter, after place: CostPlace?, skipping skipped: Int) async throws -> CostPage {
    try await store.read { try CostPage(filter, after: place, skipping: skipped, in: $0) }
  }

  /// The lines of a CSV file of the costs, one at a time however many there are. `CostFileHeader.line` comes before
  /// them.
  func exportedLines(_ filter: CostFilter) -> some AsyncSequence<String, any Error> & Sendable {
    store.stream(filter.costs.including(\.account).including(\.category)).map { cost in
      var line = CSVWriter()
      line.write(CostFileHeader.fields(of: cost))
      return line.text
    }
  }

  // MARK: Undo

  /// Takes back the last change and tells what it was. Throws `LedgerProblem.refused` if there is none.
  func undo() async throws -> String {
    guard let step = try await store.write({ try History.undo(in: $0) }) else {
      throw LedgerProblem.refused("There is nothing to undo.")
    }
    return step.title
  }

  /// Does again what was undone last and tells what it was. Throws `LedgerProblem.refused` if there is nothing.
  func redo() async throws -> String {
    guard let step = try await store.write({ try History.redo(in: $0) }) else {
      throw LedgerProblem.refused("There is nothing to redo.")
    }
    return step.title
  }
}
