import HTTPTypes
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
  /// - Parameters:
  ///   - sql: The statement.
  ///   - limit: The greatest number of rows.
  ///   - writes: Whether the statement may write, where the studio may.
  ///   - line: Makes of a row what is kept of it.
  func execute<Line>(
    _ sql: String, limit: Int, writes: Bool, _ line: @escaping @Sendable (Row) -> Line
  ) async throws -> Result<Line> {
    try requireOneFile(sql)
    guard writes, isWritable else { return try await read(sql, limit: limit, line) }
    // A query of the store's own connection would keep all of its rows in memory.
    if ["SELECT", "VALUES", "WITH"].contains(sql.firstSQLWord) {
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

  /// Throws for a statement that would open another file, which stayed open for the statements after it.
  private func requireOneFile(_ sql: String) throws {
    guard ["ATTACH", "DETACH"].contains(sql.firstSQLWord) else { return }
    throw Refusal(
      .forbidden, "The studio shows one file, and attaches no other. Open the other file in a studio of its own.")
  }

  /// Returns how SQLite executes a statement. It isn't executed.
  func plan(of sql: String) async throws -> [PlanStep] {
    try await readingStore.read { db in
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

extension String {
  /// The first word of SQL in capital letters, behind spaces, semicolons and comments.
  fileprivate var firstSQLWord: String {
    var rest = utf8[...]
    while let first = rest.first {
      if rest.starts(with: "--".utf8) {
        rest = rest.drop { $0 != UInt8(ascii: "\n") }
      } else if rest.starts(with: "/*".utf8) {
        rest = rest.dropFirst(2)
        while !rest.isEmpty, !rest.starts(with: "*/".utf8) { rest = rest.dropFirst() }
        rest = rest.dropFirst(2)
      } else if Self.isLetter(first) {
        return String(decoding: rest.prefix(while: Self.isLetter), as: UTF8.self).uppercased()
      } else {
        rest = rest.dropFirst()
      }
    }
    return ""
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
}
