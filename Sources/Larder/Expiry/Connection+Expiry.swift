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
  ///
  /// After a leap of the clock what is only hidden stays, and the closure's SQL meets it; where it has a unique value that SQL needs, it is deleted.
  func withoutExpiryViews<Result>(_ body: () throws -> Result) throws -> Result {
    let views = environment.tables.filter(\.expires).map(ExpiryViews.init)
    _ = try removeExpired(limit: .max, environment.clock.deletable())
    for view in views { try change(view.dropShadow) }
    let result = Swift.Result {
      do {
        return try body()
      } catch let error as StoreError where error.code == .duplicate {
        guard try removeExpired(limit: .max) > 0 else { throw error }
        return try body()
      }
    }
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

  /// Deletes the rows whose time has come among those that have a unique value of the row's. Returns whether there were any.
  func makeRoom<M: Model>(forUniqueValuesOf value: M) throws -> Bool {
    guard M.schema.expires, overlay == nil else { return false }
    var count = 0
    for index in try uniqueIndexes(of: M.schema.table) {
      let values = try index.map { column in
        try M.schema.columns.first { $0.name.isSameColumn(as: column.name) }?.column.storedValue(in: value)
      }
      // A NULL is equal to nothing.
      guard values.allSatisfy({ $0.map { !$0.isNull } ?? false }) else { continue }
      let isSame = index.enumerated().map { position, column in
        "\(Dialect.sqlite.quote(column.name)) = \(Dialect.sqlite.parameter(position + 1)) COLLATE \(Dialect.sqlite.quote(column.collation))"
      }
      let statement = try statement("DELETE FROM \(M.schema.statements.target) WHERE \(isSame.joined(separator: " AND ")) AND \(Expiry.isOver)")
      try statement.bind(values.map { .value($0 ?? .null) })
      try run(statement, context: ErrorContext(M.self))
      count += Int(sqlite3_changes64(handle))
    }
    return count > 0
  }

  /// The columns of each unique index of the table. One over expressions is left out.
  private func uniqueIndexes(of table: String) throws -> [[(name: String, collation: String)]] {
    let dialect = Dialect.sqlite
    return try query("PRAGMA main.index_list(\(dialect.quote(table)))").filter { $0["unique"] == 1 }.compactMap { index in
      let columns = try query("PRAGMA main.index_xinfo(\(dialect.quote(try index.get("name"))))").filter { $0["key"] == 1 }
      let names = columns.compactMap { column in column["name"]?.text.map { ($0, column["coll"]?.text ?? "BINARY") } }
      return names.count == columns.count ? names : nil
    }
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
