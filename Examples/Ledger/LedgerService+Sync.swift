import Foundation
import Larder
import LarderSync
import Synchronization

/// What reading a sync file has done.
struct SyncOutcome: Encodable, Equatable, Sendable {
  /// The number of rows that have changed.
  let changed: Int
  /// The names of accounts that wait, because there is another one with the same name.
  let waiting: [String]
}

extension LedgerService {
  /// Writes a file with everything that another ledger may lack.
  func writeSyncFile(to url: URL) async throws {
    try await store.sync.export(to: url)
  }

  /// Takes over what another ledger has written in its sync file. If it changes anything, undo begins anew.
  ///
  /// Two categories with the same name are the same one, so they become one. Accounts don't: they may have different
  /// currencies. The later one waits until one of the two has another name.
  ///
  /// Throws `BatchError` for a damaged file, which changes nothing.
  func readSyncFile(at url: URL) async throws -> SyncOutcome {
    let changed = try await importSyncFile(at: url)
    try await mergeCategories()
    let waiting = try await store.sync.setAside().compactMap { row -> String? in
      guard row.table == Account.schema.table, case .duplicate = row.reason else { return nil }
      return row.properties["name"]?.text
    }
    return SyncOutcome(changed: changed, waiting: waiting.sorted())
  }

  /// Returns the number of rows that have changed.
  private func importSyncFile(at url: URL) async throws -> Int {
    let hasMerged = Mutex(false)
    do {
      let report = try await store.sync.import(from: url) { _ in hasMerged.withLock { $0 = true } }
      if report.changed > 0 { try await forgetHistory() }
      return report.changed
    } catch {
      // What was merged before the error stays.
      if hasMerged.withLock({ $0 }) { try await forgetHistory() }
      throw error
    }
  }

  private func mergeCategories() async throws {
    let duplicates = try await store.sync.setAside().filter { row in
      guard row.table == Category.schema.table, case .duplicate = row.reason else { return false }
      return true
    }
    guard !duplicates.isEmpty else { return }
    try await forgetHistory()
    for category in duplicates {
      do {
        try await store.sync.merge(category)
      } catch let error as StoreError where [.notFound, .referenced].contains(error.code) {
        // Somebody has merged it meanwhile, or changed one of the two.
      }
    }
  }

  private func forgetHistory() async throws {
    try await store.write { try History.forget(in: $0) }
  }
}
