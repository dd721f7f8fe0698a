import GRDBSQLite

/// The statements of one connection that save rows by unique properties: `INSERT … ON CONFLICT … RETURNING`.
///
/// Models for which one statement can't do what ``Connection/save(_:matching:)`` does have none.
final class UpsertStatements {
  private struct Key: Hashable {
    let model: ObjectIdentifier
    let columns: [String]
  }

  /// A statement, or the knowledge that there is none.
  fileprivate final class Entry {
    let statement: PreparedStatement?

    init(_ statement: PreparedStatement?) { self.statement = statement }
  }

  private var entries: [Key: Entry] = [:]
  /// The one that was used last. Key paths that are written in the source are the same object each time.
  private var last: (model: ObjectIdentifier, path: AnyKeyPath, entry: Entry)?

  func removeAll() {
    entries.removeAll()
    last = nil
  }

  /// Resets statements with rows left to read.
  func reset() {
    for case let statement? in entries.values.map(\.statement) where sqlite3_stmt_busy(statement.pointer) != 0 {
      statement.reset()
    }
  }

  fileprivate func entry<M: Model>(
    for paths: [PartialKeyPath<M.Columns>], _ make: ([any AnyColumn<M>]) throws -> Entry
  ) throws -> Entry {
    let model = ObjectIdentifier(M.self)
    if let last, last.model == model, paths.count == 1, last.path === paths[0] { return last.entry }
    let entry = try entry(for: try M.columns(at: paths), make)
    if paths.count == 1 { last = (model, paths[0], entry) }
    return entry
  }

  fileprivate func entry<M: Model>(
    for columns: [any AnyColumn<M>], _ make: ([any AnyColumn<M>]) throws -> Entry
  ) throws -> Entry {
    let key = Key(model: ObjectIdentifier(M.self), columns: columns.map(\.name))
    if let entry = entries[key] { return entry }
    let entry = try make(columns)
    entries[key] = entry
    return entry
  }
}

extension Connection {
  /// Saves the value by unique properties with one statement, and returns the row.
  ///
  /// - Returns: Nil if nothing was done, because one statement can't do it here or was refused.
  func upsert<M: Model>(_ value: M, matching paths: [PartialKeyPath<M.Columns>]) throws -> M? {
    try upsert(value, try upserts.entry(for: paths) { (columns: [any AnyColumn<M>]) in try makeEntry(columns) })
  }

  func upsert<M: Model>(_ value: M, matching columns: [any AnyColumn<M>]) throws -> M? {
    try upsert(value, try upserts.entry(for: columns) { try makeEntry($0) })
  }

  private func upsert<M: Model>(_ value: M, _ entry: UpsertStatements.Entry) throws -> M? {
    // Outside of a transaction, a row that can't be read would be saved nevertheless.
    guard let statement = entry.statement, !statement.isInUse, !isAutocommitting else { return nil }
    try environment.features.willWrite({ [value] }, .upsert, self)
    _ = try checked(statement)
    let recompilations = statement.recompilations
    statement.isInUse = true
    defer {
      statement.reset()
      statement.isInUse = false
    }
    try bind(value, to: statement)
    var result = sqlite3_step(statement.pointer)
    if result != SQLITE_ROW { result = stepAgain(statement.pointer, after: result) }
    // A refusal is explained by those who do it in several steps, and so may a row be that a trigger has ignored.
    if result == SQLITE_DONE || result & 0xFF == SQLITE_CONSTRAINT { return nil }
    guard result == SQLITE_ROW else { throw error(result, ErrorContext(M.self)) }
    note(statement)
    do {
      let row = try decode(M.self, statement.pointer, at: 0)
      result = sqlite3_step(statement.pointer)
      guard result == SQLITE_DONE else { throw error(result, ErrorContext(M.self)) }
      guard statement.recompilations != recompilations else { return row }
      // The schema has changed since, perhaps by a trigger that has changed the row afterwards.
      upserts.removeAll()
      return try stored(row.id)
    } catch {
      noteUnfinished(error)
      throw error
    }
  }

  private func bind<M: Model>(_ value: M, to statement: PreparedStatement) throws {
    try value.validate()
    var row = RowWriter(statement.pointer, arena: statement.arena)
    do {
      try value.encode(to: &row)
    } catch {
      throw Self.naming(error, M.self, M.schema.writtenColumns, at: Int(row.index) - 1)
    }
    if statement.arena.failure != SQLITE_OK { throw error(statement.arena.failure, ErrorContext(M.self)) }
  }

  private func makeEntry<M: Model>(_ columns: [any AnyColumn<M>]) throws -> UpsertStatements.Entry {
    try checkUnique(columns)
    let schema = M.schema
    let names = Set(columns.map(\.name))
    let keys = Set(schema.keyColumns.map(\.name))
    let written = schema.writtenColumns.map(\.name)
    let assigned = written.filter { !names.contains($0) && !keys.contains($0) }
    let isPlain =
      overlay == nil && environment.isManaged && !schema.expires && !assigned.isEmpty
      && !schema.columns.contains { $0.derivation != nil }
      && columns.allSatisfy { [.stored, .decimal].contains($0.type.order) && !$0.type.isJSON }
    // What a trigger changes in the row afterwards isn't returned; those of Larder change no other columns than derived
    // ones.
    guard isPlain, try !hasForeignTriggers else { return UpsertStatements.Entry(nil) }
    let list = assigned.map { "\(Quoting.name($0)) = excluded.\(Quoting.name($0))" }.joined(separator: ", ")
    let target = columns.map { Quoting.name($0.name) }.joined(separator: ", ")
    let sql =
      "\(schema.statements.insert) ON CONFLICT (\(target)) DO UPDATE SET \(list) RETURNING \(schema.statements.columns)"
    return UpsertStatements.Entry(try compile(sql))
  }

  private var hasForeignTriggers: Bool {
    get throws {
      try !query(
        """
        SELECT 1 FROM (SELECT type, name FROM main.sqlite_master UNION ALL SELECT type, name FROM temp.sqlite_master)
        WHERE type = 'trigger' AND substr(name, 1, \(ReservedNames.prefix.count)) <> '\(ReservedNames.prefix)' LIMIT 1
        """
      ).isEmpty
    }
  }
}
