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

  /// The rows of a statement, up to a number.
  struct Result<Line: Sendable>: Sendable {
    /// The names of the columns; none if there are no rows.
    var columns: [String] = []
    var lines: [Line] = []
    var hasMore = false
  }

  /// Executes a statement. One row at a time is in memory, beside what becomes of the rows.
  ///
  /// A statement that reaches other files, or sets what holds for later statements, is refused.
  ///
  /// - Parameters:
  ///   - sql: The statement.
  ///   - limit: The greatest number of rows.
  ///   - writes: Whether the statement may write, where the studio may.
  ///   - line: Makes of a row what is kept of it.
  func execute<Line>(
    _ sql: String, limit: Int, writes: Bool, _ line: @escaping @Sendable (Row) -> Line
  ) async throws -> Result<Line> {
    let statements = SQLStatement.statements(in: sql)
    for statement in statements { try statement.requireOwnFile() }
    guard writes, isWritable else { return try await read(sql, limit: limit, line) }
    // A query of the store's own connection would keep all of its rows in memory.
    if ["SELECT", "VALUES", "WITH"].contains(statements.first?.verb) {
      do {
        return try await read(sql, limit: limit, line)
      } catch is StoreError {
        // It writes, or needs what only the store's own connection has. Any other error comes again.
        try Task.checkCancellation()
      }
    }
    let rows = try await store.sql(SQL(raw: sql))
    return Result(
      columns: rows.first?.names ?? [], lines: rows.prefix(limit).map(line), hasMore: rows.count > limit)
  }

  private func read<Line>(
    _ sql: String, limit: Int, _ line: @escaping @Sendable (Row) -> Line
  ) async throws -> Result<Line> {
    try await readingStore.read { db in
      var result = Result<Line>()
      do {
        try db.forEach(SQL(raw: sql)) { row in
          if result.lines.isEmpty { result.columns = row.names }
          guard result.lines.count < limit else { throw ResultIsFull() }
          result.lines.append(line(row))
        }
      } catch is ResultIsFull {
        result.hasMore = true
      }
      return result
    }
  }

  /// Returns how SQLite executes a statement. It isn't executed.
  func plan(of sql: String) async throws -> [PlanStep] {
    for statement in SQLStatement.statements(in: sql) { try statement.requireOwnFile() }
    return try await readingStore.read { db in
      try db.sql(SQL(raw: "EXPLAIN QUERY PLAN \(sql)")).compactMap(PlanStep.init)
    }
  }

  private var readingStore: Store {
    get throws {
      guard let path = store.path else { return store }
      return try reading.withLock { opened in
        if let opened { return opened }
        let store = try Store(
          at: path,
          configuration: Store.Configuration(
            readers: 2, waitLimit: .seconds(30), schema: .existing, access: .readOnly))
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

/// Ends the reading of rows.
private struct ResultIsFull: Error {}
