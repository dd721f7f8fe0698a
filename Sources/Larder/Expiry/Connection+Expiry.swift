import Foundation
import GRDBSQLite

extension Connection {
  /// Creates views without expired rows in place of the tables that have such rows.
  func installExpiryViews() throws {
    for table in environment.tables where table.expires {
      try change(ExpiryViews(table).unexpired)
      try change(ExpiryViews(table).shadow)
    }
  }

  /// Returns whether SQL that couldn't be compiled writes rows of a table that such a view hides: without the views, it
  /// can be compiled.
  func writesBehindExpiryViews(_ sql: String) throws -> Bool {
    let names = environment.tables.filter(\.expires).map(\.name)
    guard overlay == nil, !names.isEmpty else { return false }
    return try withoutExpiryShadows {
      guard let facts = try? compile(sql, isPersistent: false).facts, !facts.changesSchema else { return false }
      return facts.writes.tables.keys.contains { written in names.contains(where: written.isSameColumn(as:)) }
    }
  }

  /// Returns whether a compiled statement would write to such a view, which nothing would carry out.
  func writesExpiryView(_ facts: StatementFacts) -> Bool {
    guard overlay == nil, !facts.changesSchema else { return false }
    return environment.tables.contains {
      $0.expires && facts.temporaryWrites.contains(where: $0.name.isSameColumn(as:))
    }
  }

  /// Calls the closure while names refer to the tables themselves, so that SQL can write to them. Expired rows are
  /// deleted before.
  ///
  /// After a jump of the clock, rows that are only hidden stay, and the closure's SQL sees them; one with a unique
  /// value that the SQL needs is deleted.
  func withoutExpiryViews<Result>(_ body: () throws -> Result) throws -> Result {
    let views = environment.tables.filter(\.expires).map(ExpiryViews.init)
    _ = try removeExpired(limit: .max, environment.clock.deletable())
    return try without(views) {
      do {
        return try body()
      } catch let error as StoreError where error.code == .duplicate {
        return try withoutExpired(ExpirySpan(until: environment.clock.reading), after: error, body)
      }
    }
  }

  /// Calls the closure again, which was refused because a row has a unique value that it writes, without the rows that
  /// have expired.
  ///
  /// - Parameters:
  ///   - span: The range of expiry dates.
  ///   - error: The refusal, which is thrown if no row has expired.
  /// - Throws: `.referenced` if only a row is in the way that a reference keeps.
  func withoutExpired<Result>(
    _ span: ExpirySpan, after error: StoreError, _ body: () throws -> Result
  ) throws
    -> Result
  {
    guard overlay == nil else { throw error }
    if try removeExpired(limit: .max, span) > 0 {
      do { return try body() } catch let error as StoreError where error.code == .duplicate {}
    }
    let kept = try environment.tables.filter { table in
      let rows = "SELECT 1 FROM main.\(Quoting.name(table.name)) WHERE \(Expiry.column) <= ?1 LIMIT 1"
      return try table.expires && !query(rows, [.real(span.until)]).isEmpty
    }
    guard !kept.isEmpty else { throw error }
    return try deleting(before: body, error.model) {
      try environment.features.expiring(until: span.until, self) {
        for table in kept {
          let statement = try statement("DELETE FROM main.\(Quoting.name(table.name)) WHERE \(Expiry.column) <= ?1")
          try statement.bind([.value(.real(span.until))])
          try run(statement, context: ErrorContext(table))
        }
      }
    }
  }

  /// Calls the closure while none of these views stands for a table.
  func withoutExpiryShadows<Result>(_ body: () throws -> Result) throws -> Result {
    let names = try query("SELECT name FROM temp.sqlite_master WHERE type = 'view'").compactMap { $0["name"]?.text }
    let views = environment.tables.filter { $0.expires && names.contains($0.name) }.map(ExpiryViews.init)
    return try without(views, body)
  }

  private func without<Result>(_ views: [ExpiryViews], _ body: () throws -> Result) throws -> Result {
    // An error that ended the transaction has restored them.
    defer { for view in views { cleanUp(view.shadow) } }
    for view in views { try change(view.dropShadow) }
    return try body()
  }

  /// Deletes expired rows with the values' keys, so that the values can replace them.
  func removeExpired<M: Model>(withKeysOf values: [M]) throws {
    guard M.schema.expires else { return }
    if let overlay { return try overlay.willTakeKeys(of: values) }
    let statements = M.schema.statements
    let isExpired = "\(statements.isKey) AND \(Expiry.isOver)"
    let find = try statement("SELECT 1 FROM \(statements.target) WHERE \(isExpired)")
    for value in values {
      try find.bindKey(value.id, of: M.self)
      let isThere = try step(find, ErrorContext(M.self))
      find.reset()
      guard isThere else { continue }
      _ = try environment.features.expiring(until: environment.clock.now, self) {
        try deleting(M.self, isOneRow: true) {
          let statement = try statement("DELETE FROM \(statements.target) WHERE \(isExpired)")
          try statement.bindKey(value.id, of: M.self)
          try run(statement, context: ErrorContext(M.self))
          return changeCount
        }
      }
    }
  }

  /// Deletes expired rows with a unique value of the row. Returns whether there were any.
  func removeExpired<M: Model>(withUniqueValuesOf value: M) throws -> Bool {
    guard M.schema.expires, overlay == nil else { return false }
    var count = 0
    for index in try uniqueIndexes(of: M.schema.table) {
      let values = try index.map { column in
        try M.schema.columns.first { $0.name.isSameColumn(as: column.name) }?.column.storedValue(in: value)
      }
      // NULL equals nothing.
      guard values.allSatisfy({ $0.map { !$0.isNull } ?? false }) else { continue }
      let isSame = index.enumerated().map { position, column in
        "\(Quoting.name(column.name)) = \(Quoting.parameter(position + 1)) COLLATE \(Quoting.name(column.collation))"
      }
      count += try environment.features.expiring(until: environment.clock.now, self) {
        try deleting(M.self, isOneRow: true) {
          let statement = try statement(
            "DELETE FROM \(M.schema.statements.target) WHERE \(isSame.joined(separator: " AND ")) AND \(Expiry.isOver)"
          )
          try statement.bind(values.map { .value($0 ?? .null) })
          try run(statement, context: ErrorContext(M.self))
          return changeCount
        }
      }
    }
    return count > 0
  }

  /// Returns the columns of each unique index of the table, except indexes on expressions.
  private func uniqueIndexes(of table: String) throws -> [[(name: String, collation: String)]] {
    return try query("PRAGMA main.index_list(\(Quoting.name(table)))").filter { $0["unique"] == 1 }.compactMap {
      index in
      let columns = try query("PRAGMA main.index_xinfo(\(Quoting.name(try index.get("name"))))").filter {
        $0["key"] == 1
      }
      let names = columns.compactMap { column in column["name"]?.text.map { ($0, column["coll"]?.text ?? "BINARY") } }
      return names.count == columns.count ? names : nil
    }
  }

  /// Writes values and their date of expiry.
  func write<M: ExpiringModel>(_ values: [M], _ kind: ModelStatementKind, expires: Date?) throws {
    let time = try Expiry.stored(expires, of: M.schema.modelName)
    try write(values, kind)
    for value in values { try setExpiry(time, of: M.self, value.id) }
  }

  /// Sets when the row expires. Returns false if there is no such row.
  @discardableResult
  func setExpiry<M: ExpiringModel>(_ time: Value, of model: M.Type, _ key: M.ID) throws -> Bool {
    let statements = M.schema.statements
    let parameter = Quoting.parameter(M.schema.keyIndexes.count + 1)
    let target = environment.makeWriter().target(of: M.schema)
    let statement = try statement(
      "UPDATE \(target) SET \(Expiry.column) = \(parameter) WHERE \(statements.isKey) AND \(Expiry.isThere())")
    try statement.bindKey(key, of: model)
    var last = StatementParameter(statement.pointer, Int32(M.schema.keyIndexes.count + 1), statement.arena)
    last.bind(time)
    let total = sqlite3_total_changes(handle)
    try run(statement, context: ErrorContext(model))
    try overlay?.didChange()
    if let seconds = time.real { environment.clock.note(seconds) }
    return sqlite3_total_changes(handle) != total
  }

  /// Returns when the row expires: `.some(nil)` if it doesn't, nil if there is no such row.
  func expiry<M: ExpiringModel>(of model: M.Type, _ key: M.ID) throws -> Date?? {
    let statement = try statement(
      "SELECT \(Expiry.column) FROM \(M.schema.statements.table) WHERE \(M.schema.statements.isKey)")
    defer { statement.reset() }
    try statement.bindKey(key, of: model)
    guard try step(statement, ErrorContext(model)) else { return nil }
    return .some(StoredColumn(statement.pointer, 0).real.map { Date(timeIntervalSinceReferenceDate: $0) })
  }
}

/// The temporary views that replace a table whose rows can expire.
struct ExpiryViews {
  private let table: TableDefinition

  init(_ table: TableDefinition) { self.table = table }

  /// The rows that have not expired.
  var unexpired: String {
    let hidden = table.isKeyRowID ? [] : [ReservedNames.rowID]
    let columns = hidden + table.columns.map(\.name) + table.positions + [Expiry.column]
    return """
      CREATE TEMP VIEW \(Quoting.name(Expiry.view(of: table.name))) AS \
      SELECT \(columns.map(Quoting.name).joined(separator: ", ")) FROM main.\(Quoting.name(table.name)) WHERE \(Expiry.isThere())
      """
  }

  /// The view with the table's name. A context drops it, like all views with the mark, and creates its own.
  var shadow: String {
    """
    CREATE TEMP VIEW IF NOT EXISTS \(Quoting.name(table.name)) AS \(ReservedNames.viewMark) \
    SELECT * FROM \(Quoting.name(Expiry.view(of: table.name)))
    """
  }

  var dropShadow: String { "DROP VIEW temp.\(Quoting.name(table.name))" }
}
