import Foundation
import Larder
import LarderSync

/// What reading a sync file has done.
struct SyncOutcome: Encodable, Equatable, Sendable {
  /// The number of rows that have changed.
  let changed: Int
  /// The names of accounts that wait, because there is another one with the same name.
  let waiting: [String]
}

extension LedgerService {
  /// Returns a file with everything that another ledger may lack.
  func syncFile() async throws -> Data {
    try await Self.withTemporaryFile { url in
      try await store.sync.export(to: url)
      return try Data(contentsOf: url)
    }
  }

  /// Takes over what another ledger has written in its sync file.
  ///
  /// Two categories with the same name are the same one, so they become one. Accounts don't: they may have different
  /// currencies. The later one waits until one of the two has another name.
  ///
  /// Throws `BatchError` for a damaged file, which changes nothing.
  func read(syncFile: Data) async throws -> SyncOutcome {
    let report = try await Self.withTemporaryFile { url in
      try syncFile.write(to: url)
      return try await store.sync.import(from: url)
    }
    for row in try await store.sync.setAside() where row.table == Category.schema.table {
      if case .duplicate = row.reason { try await store.sync.merge(row) }
    }
    let waiting = try await store.sync.setAside().compactMap { row -> String? in
      guard row.table == Account.schema.table, case .duplicate = row.reason else { return nil }
      return row.properties["name"]?.text
    }
    return SyncOutcome(changed: report.changed, waiting: waiting.sorted())
  }

  private static func withTemporaryFile<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).larder-sync")
    defer { try? FileManager.default.removeItem(at: url) }
    return try await body(url)
  }
}
