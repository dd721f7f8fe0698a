import GRDBSQLite
import Synchronization

@testable import Larder

/// Counts the queries that a store with one reader executes.
final class StatementCounter: Sendable {
  private let number = Atomic<Int>(0)

  /// How many queries there were since the last call.
  func take() -> Int { number.exchange(0, ordering: .acquiringAndReleasing) }

  /// Counts from now on. The counter must outlive the store.
  init(_ store: Store) throws {
    precondition(store.configuration.readers == 1, "other readers would not be counted")
    try store.readers?.withConnection { connection in
      _ = sqlite3_trace_v2(
        connection.handle, UInt32(SQLITE_TRACE_STMT),
        { _, context, statement, _ in
          guard let context, let statement, let sql = sqlite3_sql(OpaquePointer(statement)) else { return 0 }
          let text = String(cString: sql).lowercased()
          // Once for each model the schema is asked about its columns.
          if text.hasPrefix("select"), !text.contains("sqlite_master") {
            Unmanaged<StatementCounter>.fromOpaque(context).takeUnretainedValue().number.add(1, ordering: .relaxed)
          }
          return 0
        }, Unmanaged.passUnretained(self).toOpaque())
    }
  }
}
