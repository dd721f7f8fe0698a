import Foundation
import Larder

extension LedgerService {
  /// Reads a file and says what an import would do. Throws `InvalidText` if it cannot be read as a whole.
  func preview(of bytes: [UInt8]) async throws -> CostFile {
    let file = try await file(bytes)
    return try await store.read { try file.compared(with: $0) }
  }

  private func file(_ bytes: [UInt8]) async throws -> CostFile {
    let (accounts, categories) = try await store.read { try ($0.fetch(Account.all), $0.fetch(Category.all)) }
    return try CostFile(bytes, accounts: accounts, categories: categories)
  }

  /// Saves what a file holds, all or nothing and as one change to undo, and tells how far it is.
  ///
  /// The values are the numbers of costs saved so far; the last one comes after the commit. Who stops listening before
  /// it ends the import, and then nothing of it is saved. Throws `InvalidText` if the file cannot be read as a whole.
  ///
  /// - Parameter includesKnown: Whether costs that the ledger already has are saved once more.
  func importCosts(
    _ bytes: [UInt8], named name: String, includingKnown includesKnown: Bool = false
  ) -> AsyncThrowingStream<ImportProgress, any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { progress in
      let work = Task {
        do {
          let file = try await file(bytes)
          try await save(file, named: name, includesKnown) { progress.yield($0) }
          progress.finish()
        } catch {
          progress.finish(throwing: error)
        }
      }
      progress.onTermination = { _ in work.cancel() }
    }
  }

  private func save(
    _ file: CostFile, named name: String, _ includesKnown: Bool,
    _ report: @escaping @Sendable (ImportProgress) -> Void
  ) async throws {
    guard !file.lines.isEmpty else { throw InvalidText("This file has no line that can be imported.") }
    let saved = try await store.write { db in
      // What the ledger has is asked for in this transaction, so that nothing can come between.
      let lines = includesKnown ? file.lines : try file.compared(with: db).lines.filter { !$0.isKnown }
      guard !lines.isEmpty else { throw InvalidText("All costs of this file are already there.") }
      let costs = lines.map(\.cost)
      func progress(_ done: Int, isSaved: Bool = false) -> ImportProgress {
        ImportProgress(
          done: done, total: costs.count, refused: file.refused.count, skipped: file.lines.count - costs.count,
          isSaved: isSaved)
      }
      try db.insert(file.newCategories)
      for start in stride(from: 0, to: costs.count, by: Self.importStep) {
        report(progress(start))
        try db.insert(Array(costs[start..<min(start + Self.importStep, costs.count)]))
      }
      let after = LedgerRows(categories: file.newCategories, costs: costs)
      try History.record("Import of \(name.excerpt): \(costs.count.costs)", before: LedgerRows(), after: after, in: db)
      return progress(costs.count, isSaved: true)
    }
    report(saved)
  }

  private static let importStep = 250
}

extension Int {
  /// "1 cost", "12 costs".
  fileprivate var costs: String { self == 1 ? "1 cost" : "\(self) costs" }
}
