import GRDBSQLite

/// The statements of one connection that save rows by unique properties: one finds the key of the row that is there, and
/// one updates it.
///
/// They do what ``Connection/save(_:matching:)`` does, for models whose saved rows are what the program saves: without
/// derived values, triggers of other programs, or values that the file stores in other forms.
final class UpsertStatements {
  private struct Key: Hashable {
    let model: ObjectIdentifier
    let columns: [String]
  }

  /// The statements for some unique properties of a model.
  fileprivate final class Entry {
    /// Nil for a model that isn't saved this way.
    let statements: (find: PreparedStatement, update: PreparedStatement?)?
    let recompilations: Int32

    init(_ statements: (find: PreparedStatement, update: PreparedStatement?)?) {
      self.statements = statements
      recompilations = statements?.find.recompilations ?? 0
    }
  }

  private var entries: [Key: Entry] = [:]
  /// The one that was used last. Key paths that are written in the source are the same object each time.
  private var last: (model: ObjectIdentifier, path: AnyKeyPath, columns: Any, entry: Entry)?

  func removeAll() {
    entries.removeAll()
    last = nil
  }

  /// Resets statements with rows left to read.
  func reset() {
    for case let statements? in entries.values.map(\.statements) {
      for case let statement? in [statements.find, statements.update] where sqlite3_stmt_busy(statement.pointer) != 0 {
        statement.reset()
      }
    }
  }

  fileprivate func entry<M: Model>(
    for paths: [PartialKeyPath<M.Columns>], _ make: ([any AnyColumn<M>]) throws -> Entry
  ) throws -> (columns: [any AnyColumn<M>], entry: Entry) {
    let model = ObjectIdentifier(M.self)
    if let last, last.model == model, paths.count == 1, last.path === paths[0],
      let columns = last.columns as? [any AnyColumn<M>]
    {
      return (columns, last.entry)
    }
    let columns = try M.columns(at: paths)
    let entry = try entry(for: columns, make)
    if paths.count == 1 { last = (model, paths[0], columns, entry) }
    return (columns, entry)
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
  /// Saves the value by unique properties, within a transaction, and returns the row.
  ///
  /// - Returns: Nil if nothing was done, because the model or the place needs other statements, or was refused.
  func upsert<M: Model>(_ value: M, matching paths: [PartialKeyPath<M.Columns>]) throws -> M? {
    // Outside of a transaction, another program could write between the two statements.
    guard !isAutocommitting else { return nil }
    let (columns, entry) = try upserts.entry(for: paths) { (columns: [any AnyColumn<M>]) in try makeEntry(columns) }
    return try upsert(value, columns, entry)
  }

  func upsert<M: Model>(_ value: M, matching columns: [any AnyColumn<M>]) throws -> M? {
    guard !isAutocommitting else { return nil }
    return try upsert(value, columns, try upserts.entry(for: columns) { try makeEntry($0) })
  }

  private func upsert<M: Model>(
    _ value: M, _ columns: [any AnyColumn<M>], _ entry: UpsertStatements.Entry
  ) throws -> M? {
    guard let statements = entry.statements, !statements.find.isInUse, statements.update?.isInUse != true else {
      return nil
    }
    var unique: [Value] = []
    for column in columns {
      do {
        unique.append(try column.storedValue(in: value))
      } catch let failure as ValueFailure {
        throw StoreError(failure, model: M.schema.modelName, property: column.property)
      }
    }
    var found: (id: M.ID, stored: [Value])?
    // Nil equals nothing in a unique column.
    if !unique.contains(where: \.isNull) {
      found = try key(of: M.self, unique, statements.find)
      guard statements.find.recompilations == entry.recompilations else {
        // The schema has changed, perhaps by a trigger.
        upserts.removeAll()
        return nil
      }
    }
    guard let found else {
      try write(value, .insert)
      return try stored(value.id)
    }
    let own = try M.schema.keyColumns.map { try $0.column.storedValue(in: value) }
    if own.map(ExactValue.init) == found.stored.map(ExactValue.init) {
      try write(value, .update)
      return try stored(value.id)
    }
    guard let update = statements.update, try execute(update, value, key: found.stored) else { return nil }
    return try stored(found.id)
  }

  /// Returns the key of the row with the unique values; nil if there is none.
  private func key<M: Model>(
    of model: M.Type, _ unique: [Value], _ statement: PreparedStatement
  ) throws -> (id: M.ID, stored: [Value])? {
    let context = ErrorContext(model)
    return try using(try checked(statement), unique.map { .value($0) }, context) { statement in
      guard try step(statement, context) else { return nil }
      var row = RowReader(statement.pointer)
      do {
        let stored = M.schema.keyColumns.indices.map { StoredColumn(statement.pointer, Int32($0)).value }
        return (try M.key(from: &row), stored)
      } catch {
        throw Self.naming(error, model, M.schema.keyColumns, at: Int(row.index) - 1)
      }
    }
  }

  /// Writes the value to the row with another key than its own. Returns false if it was refused.
  private func execute<M: Model>(_ statement: PreparedStatement, _ value: M, key: [Value]) throws -> Bool {
    try environment.features.willWrite({ [value] }, .upsert, self)
    _ = try checked(statement)
    statement.isInUse = true
    defer {
      statement.reset()
      statement.isInUse = false
    }
    try value.validate()
    var row = RowWriter(statement.pointer, arena: statement.arena)
    do {
      try value.encode(to: &row)
    } catch {
      throw Self.naming(error, M.self, M.schema.writtenColumns, at: Int(row.index) - 1)
    }
    for (position, key) in key.enumerated() {
      let number = Int32(M.schema.writtenColumns.count + position + 1)
      var parameter = StatementParameter(statement.pointer, number, statement.arena)
      parameter.bind(key)
    }
    guard statement.arena.failure == SQLITE_OK else { throw error(statement.arena.failure, ErrorContext(M.self)) }
    var result = sqlite3_step(statement.pointer)
    if result != SQLITE_DONE { result = stepAgain(statement.pointer, after: result) }
    // A refusal is explained by those who do it with other statements.
    if result & 0xFF == SQLITE_CONSTRAINT { return false }
    guard result == SQLITE_DONE else { throw error(result, ErrorContext(M.self)) }
    note(statement)
    return true
  }

  private func makeEntry<M: Model>(_ columns: [any AnyColumn<M>]) throws -> UpsertStatements.Entry {
    try checkUnique(columns)
    let schema = M.schema
    let isPlain =
      overlay == nil && environment.isManaged && !schema.expires
      && !schema.columns.contains { $0.derivation != nil }
      && columns.allSatisfy { [.stored, .decimal].contains($0.type.order) && !$0.type.isJSON }
    // What a trigger changes in the row afterwards is to be returned as well; those of Larder change no other columns
    // than derived ones.
    guard isPlain, try !hasForeignTriggers else { return UpsertStatements.Entry(nil) }
    let table = schema.statements.table
    let keys = schema.keyColumns.map { Quoting.name($0.name) }
    func conditions(_ names: [String], after count: Int) -> String {
      names.enumerated().map { "\($1) = \(Quoting.parameter(count + $0 + 1))" }.joined(separator: " AND ")
    }
    let unique = conditions(columns.map { Quoting.name($0.name) }, after: 0)
    let find = try compile("SELECT \(keys.joined(separator: ", ")) FROM \(table) WHERE \(unique)")
    let others = Set(schema.keyColumns.map(\.name) + columns.map(\.name))
    let written = schema.writtenColumns
    let assigned = written.indices.filter { !others.contains(written[$0].name) }.map {
      "\(Quoting.name(written[$0].name)) = \(Quoting.parameter($0 + 1))"
    }
    guard !assigned.isEmpty else { return UpsertStatements.Entry((find, nil)) }
    let isFound = conditions(keys, after: written.count)
    let update = try compile("UPDATE \(table) SET \(assigned.joined(separator: ", ")) WHERE \(isFound)")
    return UpsertStatements.Entry((find, update))
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
