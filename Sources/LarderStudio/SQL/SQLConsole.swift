import Larder
import Synchronization

/// Executes SQL that a person writes.
///
/// What only reads runs on a store of its own, so that its pragmas and long queries don't reach the connections of the
/// program. What may write runs on the store.
final class SQLConsole: Sendable {
  private let store: Store
  private let isWritable: Bool
  private let reading = Mutex<Store?>(nil)

  init(store: Store, isWritable: Bool) {
    self.store = store
    self.isWritable = isWritable
  }

  /// Executes a statement.
  ///
  /// - Parameters:
  ///   - sql: The statement.
  ///   - limit: The greatest number of rows.
  ///   - writes: Whether the statement may write, where the studio may.
  /// - Returns: The names of the columns, and one row more than the limit if there are more.
  func execute(_ sql: String, limit: Int, writes: Bool) async throws -> [Row] {
    if writes, isWritable { return try await store.sql(SQL(raw: sql)) }
    let store = try readingStore
    return try await store.read { try Self.rows(sql, limit: limit, from: $0) }
  }

  /// Returns how SQLite executes a statement. It isn't executed.
  func plan(of sql: String) async throws -> [PlanStep] {
    try await readingStore.read { db in
      try db.sql(SQL(raw: "EXPLAIN QUERY PLAN \(sql)")).compactMap(PlanStep.init)
    }
  }

  /// All rows of a query would be in memory: SQLite is told to stop, if it can be.
  private static func rows(_ sql: String, limit: Int, from reader: Snapshot) throws -> [Row] {
    let trimmed = sql.trimmingSuffix { $0.isWhitespace || $0 == ";" }
    let limited = SQL(raw: "SELECT * FROM (\n\(trimmed)\n) LIMIT \(limit + 1)")
    do {
      return try reader.sql(limited)
    } catch let error as StoreError where error.code == .unsupported {
      // What is no query, such as a pragma, has few rows. What is wrong is said of the statement as it was written.
      return try reader.sql(SQL(raw: sql))
    }
  }

  private var readingStore: Store {
    get throws {
      guard let path = store.path else { return store }
      return try reading.withLock { opened in
        if let opened { return opened }
        let store = try Store(
          at: path,
          configuration: Store.Configuration(readers: 2, schema: .existing, access: .readOnly))
        opened = store
        return store
      }
    }
  }
}

/// A step of a plan.
struct PlanStep: Encodable, Sendable {
  let id: Int64
  let parent: Int64
  let detail: String

  init?(_ row: Row) {
    guard let id = row["id"]?.integer, let parent = row["parent"]?.integer, let detail = row["detail"]?.text else {
      return nil
    }
    self.id = id
    self.parent = parent
    self.detail = detail
  }
}

extension String {
  /// Returns the text without the characters at its end for which the condition holds.
  fileprivate func trimmingSuffix(while condition: (Character) -> Bool) -> Substring {
    var rest = self[...]
    while let last = rest.last, condition(last) { rest = rest.dropLast() }
    return rest
  }
}
