import Foundation
import Larder

extension LedgerService {
  /// Reads a file and says what an import would do. Throws `InvalidText` if it cannot be read as a whole.
  func preview(of bytes: [UInt8]) async throws -> CostFile {
    let (accounts, categories) = try await store.read { try ($0.fetch(Account.all), $0.fetch(Category.all)) }
    return try CostFile(bytes, accounts: accounts, categories: categories)
  }

  /// Saves what a file holds, all or nothing and as one change to undo, and tells how far it is.
  ///
  /// The values are the numbers of costs saved so far; the last one comes after the commit. Who stops listening before
  /// it ends the import, and then nothing of it is saved. Throws `InvalidText` if the file cannot be read as a whole.
  func importCosts(_ bytes: [UInt8], named name: String) -> AsyncThrowingStream<ImportProgress, any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { progress in
      let work = Task {
        do {
          let file = try await preview(of: bytes)
          try await save(file, named: name) { progress.yield($0) }
          progress.finish()
        } catch {
          progress.finish(throwing: error)
        }
      }
      progress.onTermination = { _ in work.cancel() }
    }
  }

  private func save(
    _ file: CostFile, named name: String, _ report: @escaping @Sendable (ImportProgress) -> Void
  ) async throws {
    guard !file.lines.isEmpty else { throw InvalidText("This file has no line that can be imported.") }
    let costs = file.lines.map(\.cost)
    try await store.write { db in
      try db.insert(file.newCategories)
      for start in stride(from: 0, to: costs.count, by: Self.importStep) {
        report(ImportProgress(done: start, total: costs.count, refused: file.refused.count, isSaved: false))
        try db.insert(Array(costs[start..<min(start + Self.importStep, costs.count)]))
      }
      let after = LedgerRows(categories: file.newCategories, costs: costs)
      try History.record("Import of \(name.excerpt): \(costs.count.costs)", before: LedgerRows(), after: after, in: db)
    }
    report(ImportProgress(done: costs.count, total: costs.count, refused: file.refused.count, isSaved: true))
  }

  private static let importStep = 250
}

extension Int {
  /// "1 cost", "12 costs".
  fileprivate var costs: String { self == 1 ? "1 cost" : "\(self) costs" }
}
