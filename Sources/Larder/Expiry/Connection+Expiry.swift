import Foundation
import GRDBSQLite

extension Connection {
  /// Puts views without the rows whose time has come in the place of the tables that have such rows.
  func installExpiryViews() throws {
    for table in environment.tables where table.expires {
      try change(ExpiryViews(table).unexpired)
      try change(ExpiryViews(table).shadow)
    }
  }

  /// Whether SQL could not be compiled because it writes to a table that such a view stands for.
  func isAboutExpiryView(_ error: StoreError) -> Bool {
    overlay == nil && environment.tables.contains { $0.expires && error.message.contains("cannot modify \($0.name) because it is a view") }
  }

  /// Calls the closure while names mean the tables themselves, so that SQL can write to them; what has expired is deleted before.
  func withoutExpiryViews<Result>(_ body: () throws -> Result) throws -> Result {
    let views = environment.tables.filter(\.expires).map(ExpiryViews.init)
    _ = try removeExpired(limit: .max)
    for view in views { try change(view.dropShadow) }
    let result = Swift.Result { try body() }
    // A transaction that an error ended has brought them back.
    for view in views { try? change(view.shadow) }
    return try result.get()
  }

  /// Calls the closure while no view of this connection stands in the place of a table.
  func withoutShadows<Result>(_ body: () throws -> Result) throws -> Result {
    let names = try query("SELECT name FROM temp.sqlite_master WHERE type = 'view'").compactMap { $0["name"]?.text }
    let views = environment.tables.filter { $0.expires && names.contains($0.name) }.map(ExpiryViews.init)
    try dropDocumentViews()
    for view in views { try change(view.dropShadow) }
    defer { for view in views { try? change(view.shadow) } }
    return try body()
  }

  /// Deletes rows whose time has come, and answers how many.
  ///
  /// - Parameter limit: How many rows are deleted at most, in all tables together; what delete rules delete with them is not counted.
  func removeExpired(limit: Int) throws -> Int {
    var count = 0
    for table in environment.tables where table.expires && count < limit {
      count += try removeExpired(of: table, limit: limit - count)
    }
    return count < limit ? count + (try sweepExpiredDocuments(self, limit: limit - count)) : count
  }

  /// When the first row after the time expires; infinity where none does.
  func nextExpiry(after time: Double) throws -> Double {
    try environment.tables.filter(\.expires).reduce(try nextDocumentExpiry(after: time)) { earliest, table in
      let sql = "SELECT min(\(Expiry.column)) AS next FROM main.\(Dialect.sqlite.quote(table.name)) WHERE \(Expiry.column) > ?1"
      return min(earliest, try query(sql, [.real(time)]).first?["next"]?.real ?? .infinity)
    }
  }

  /// Rows that a delete rule keeps are left where they are, hidden.
  private func removeExpired(of table: TableDefinition, limit: Int) throws -> Int {
    let name = "main.\(Dialect.sqlite.quote(table.name))"
    let row = Dialect.sqlite.quote(table.rowIDColumn)
    let expired = "SELECT \(row) FROM \(name) WHERE \(Expiry.isOver) ORDER BY \(Expiry.column)"
    do {
      return try deleteUnreferenced("DELETE FROM \(name) WHERE \(row) IN (\(expired) LIMIT \(limit))", table)
    } catch let error as StoreError where error.code == .referenced {
      var count = 0
      for number in try query("\(expired)").compactMap({ $0[table.rowIDColumn]?.integer }) where count < limit {
        do {
          count += try deleteUnreferenced("DELETE FROM \(name) WHERE \(row) = \(number)", table)
        } catch let error as StoreError where error.code == .referenced {
          continue
        }
      }
      return count
    }
  }

  /// Deletes rows, or throws `.referenced` where that would leave a reference to one of them: now or when the transaction ends.
  private func deleteUnreferenced(_ sql: String, _ table: TableDefinition) throws -> Int {
    var writer = environment.makeWriter()
    writer.write(sql)
    return try savepoint {
      let isResolved = !hasUnresolvedReferences
      let count = try change(writer, ErrorContext(table))
      guard isResolved, hasUnresolvedReferences else { return count }
      throw StoreError(.referenced, model: table.model, "A row of \(table.model) that has expired is still referred to. Delete what refers to it.")
    }
  }

  /// Whether a reference would keep the transaction from being committed as it is.
  private var hasUnresolvedReferences: Bool {
    var current: Int32 = 0
    var highest: Int32 = 0
    sqlite3_db_status(handle, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0)
    return current != 0
  }

  /// Deletes the rows whose time has come among those with the values' keys, so that the values may take their places.
  func makeRoom<M: Model>(for values: [M]) throws {
    guard M.schema.expires else { return }
    // What a context has pending takes the place of what has expired when the context is saved.
    guard overlay == nil else { return }
    let statements = M.schema.statements
    let statement = try statement("DELETE FROM \(statements.target) WHERE \(statements.isKey) AND \(Expiry.isOver)")
    defer { statement.reset() }
    for value in values {
      try statement.bindKey(value.id, of: M.self)
      try run(statement, context: ErrorContext(M.self))
    }
  }

  /// Deletes all rows whose time has come: one of them may have a value that no other row may have.
  func makeRoom<M: Model>(in model: M.Type) throws -> Bool {
    guard M.schema.expires, overlay == nil, let table = environment.tables.first(where: { $0.name == M.schema.table }) else { return false }
    return try removeExpired(of: table, limit: .max) > 0
  }

  /// Writes values and the time at which they expire.
  func write<M: ExpiringModel>(_ values: [M], _ kind: ModelStatementKind, expires: Date?) throws {
    let time = try Expiry.stored(expires, of: M.schema.modelName)
    try write(values, kind)
    for value in values { try setExpiry(time, of: M.self, value.id) }
  }

  /// Sets when the row expires; false where there is no such row.
  @discardableResult
  func setExpiry<M: ExpiringModel>(_ time: Value, of model: M.Type, _ key: M.ID) throws -> Bool {
    let statements = M.schema.statements
    let parameter = Dialect.sqlite.parameter(M.schema.keyIndexes.count + 1)
    let target = environment.makeWriter().target(of: M.schema)
    let statement = try statement("UPDATE \(target) SET \(Expiry.column) = \(parameter) WHERE \(statements.isKey) AND \(Expiry.isThere())")
    try statement.bindKey(key, of: model)
    var last = StatementParameter(statement.pointer, Int32(M.schema.keyIndexes.count + 1), statement.arena)
    last.bind(time)
    let total = sqlite3_total_changes(handle)
    try run(statement, context: ErrorContext(model))
    overlay?.didChange()
    if let seconds = time.real { environment.clock.note(seconds) }
    return sqlite3_total_changes(handle) != total
  }

  /// When the row expires: `.some(nil)` for one that stays, nil where there is no such row.
  func expiry<M: ExpiringModel>(of model: M.Type, _ key: M.ID) throws -> Date?? {
    let statement = try statement("SELECT \(Expiry.column) FROM \(M.schema.statements.table) WHERE \(M.schema.statements.isKey)")
    defer { statement.reset() }
    try statement.bindKey(key, of: model)
    guard try step(statement, ErrorContext(model)) else { return nil }
    return .some(StoredColumn(statement.pointer, 0).real.map { Date(timeIntervalSinceReferenceDate: $0) })
  }
}

extension SQLWriter {
  /// The table as statements name it that write to it.
  func target<M: Model>(of schema: ModelSchema<M>) -> String {
    pendingText == nil ? schema.statements.target : schema.statements.table
  }
}

/// The temporary views that stand in the place of a table whose rows can expire.
struct ExpiryViews {
  private let table: TableDefinition
  private let dialect = Dialect.sqlite

  init(_ table: TableDefinition) { self.table = table }

  /// The rows that are there.
  var unexpired: String {
    let hidden = table.isKeyRowID ? [] : [ModelStatements.hiddenRowID]
    let columns = hidden + table.columns.map(\.name) + table.positions + [Expiry.column]
    return """
      CREATE TEMP VIEW \(dialect.quote(Expiry.view(of: table.name))) AS \
      SELECT \(columns.map(dialect.quote).joined(separator: ", ")) FROM main.\(dialect.quote(table.name)) WHERE \(Expiry.isThere())
      """
  }

  /// The view that bears the table's name. A context drops it, as all views with the mark, for one of its own.
  var shadow: String {
    "CREATE TEMP VIEW \(dialect.quote(table.name)) AS \(OverlaySQL.mark) SELECT * FROM \(dialect.quote(Expiry.view(of: table.name)))"
  }

  var dropShadow: String { "DROP VIEW temp.\(dialect.quote(table.name))" }
}
