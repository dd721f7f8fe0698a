import GRDBSQLite

extension Connection {
  func rows(_ sql: SQL) throws -> [Row] {
    try executing(sql) { try rows($0, nil, $1) }
  }

  func forEach(_ sql: SQL, _ body: (Row) throws -> Void) throws {
    try executing(sql) { statement, names in
      guard sqlite3_stmt_readonly(statement.pointer) != 0 else {
        throw StoreError(
          .unsupported, "The statement writes, and its rows are read one by one. Execute it with sql(_:).")
      }
      guard try step(statement, nil) else { return }
      // The first step recompiles the statement if the schema has changed.
      let layout = Row.Layout(statement.columnNames.map { names[$0] ?? $0 })
      repeat { try body(try Row(layout: layout, statement.pointer)) } while try step(statement, nil)
    }
  }

  func tuples<each Output: SQLResult>(_ sql: SQL) throws -> [(repeat each Output)] {
    try executing(sql) { statement, names in
      guard sqlite3_stmt_readonly(statement.pointer) == 0 else { return try tuples(statement, names) }
      // What the statement writes is undone if its columns turn out to be wrong.
      return try savepoint {
        do {
          return try tuples(statement, names)
        } catch {
          sqlite3_reset(statement.pointer)
          throw error
        }
      }
    }
  }

  private func tuples<each Output: SQLResult>(
    _ statement: PreparedStatement, _ names: [String: String]
  ) throws -> [(repeat each Output)] {
    var elements: [[String]?] = []
    for element in repeat (each Output).self { elements.append(element._sqlColumns) }
    var hasRow = try step(statement, nil)
    // The first step recompiles the statement if the schema has changed.
    let columns = try SQLResultColumns(elements, statement.columnNames.map { names[$0] ?? $0 }, of: statement, self)
    var tuples: [(repeat each Output)] = []
    while hasRow {
      tuples.append(try columns.withRow { row in (repeat try (each Output)._read(&row)) })
      hasRow = try step(statement, nil)
    }
    return tuples
  }

  func decoded<Output: Decodable>(_ sql: SQL) throws -> [Output] {
    // A type that is stored in one column may decode itself from several values, as Decimal does.
    let stored = Output.self as? any StoredValue.Type
    return try rows(sql).map { row in
      do {
        if let stored, row.count == 1, let value = try stored.init(storedValue: row[0].value) as? Output {
          return value
        }
        return try Output(from: RowDecoder(row: row))
      } catch let failure as ValueFailure {
        throw StoreError(failure, model: nil, property: nil)
      } catch let error as DecodingError {
        throw StoreError(
          .invalidValue,
          "A row does not decode as \(Output.self): \(error.shortDescription). Name the SQL's columns as the type's properties."
        )
      }
    }
  }

  private func executing<Result>(
    _ sql: SQL, _ body: (PreparedStatement, _ names: [String: String]) throws -> Result
  ) throws -> Result {
    let sql = try WrittenSQL(sql, environment.makeWriter())
    // It makes all indexes anew, by the names of their tables, for which views may stand.
    guard !sql.text.isVacuum else {
      return try environment.features.withoutViews(self) { try executing(sql, body) }
    }
    return try executing(sql, body)
  }

  private func executing<Result>(
    _ sql: WrittenSQL, _ body: (PreparedStatement, _ names: [String: String]) throws -> Result
  ) throws -> Result {
    try withStatement(sql) { statement in
      if isReadOnly, sqlite3_stmt_readonly(statement.pointer) == 0 { throw WriteNeeded() }
      if sqlite3_stmt_readonly(statement.pointer) == 0 { try environment.features.willExecute(sql.arguments, self) }
      let result =
        try onlyDeletes(statement)
        ? deletingBySQL { try again(statement) { try body($0, sql.names) } } : body(statement, sql.names)
      note(statement)
      if sqlite3_stmt_readonly(statement.pointer) == 0 { try overlay?.didChange() }
      return result
    }
  }

  /// Whether the statement deletes rows and returns none of them. Its own target comes before those of delete rules.
  private func onlyDeletes(_ statement: PreparedStatement) -> Bool {
    overlay == nil && sqlite3_column_count(statement.pointer) == 0 && statement.facts.targets.first?.verb == .delete
  }

  /// Executes a bound statement that may have been executed before.
  private func again<Result>(
    _ statement: PreparedStatement, _ body: (PreparedStatement) throws -> Result
  ) throws -> Result {
    sqlite3_reset(statement.pointer)
    return try body(statement)
  }

  private func withStatement<Result>(_ sql: WrittenSQL, _ body: (PreparedStatement) throws -> Result) throws -> Result {
    let statement: PreparedStatement
    do {
      statement = try environment.features.statement(ofUserSQL: sql.text, self) ?? self.statement(sql.text)
    } catch let error as StoreError where error.code == .unsupported {
      guard let feature = try environment.features.hiding(tableWrittenBy: sql.text, self) else {
        throw naming(error, in: sql.text)
      }
      return try withStatement(sql, revealedBy: feature, body)
    } catch let error as StoreError {
      throw naming(error, in: sql.text)
    }
    // SQLite 3.40 compiles a change of a view that returns columns, and then changes nothing.
    if let feature = environment.features.hiding(tableWrittenBy: statement.facts, self) {
      return try withStatement(sql, revealedBy: feature, body)
    }
    return try withStatement(statement, sql, body)
  }

  private func withStatement<Result>(
    _ sql: WrittenSQL, revealedBy feature: any StoreFeature, _ body: (PreparedStatement) throws -> Result
  ) throws -> Result {
    if isReadOnly { throw WriteNeeded() }
    return try feature.revealingTables(self) {
      try withStatement(try compile(sql.text, isPersistent: false), sql, body)
    }
  }

  private func withStatement<Result>(
    _ statement: PreparedStatement, _ sql: WrittenSQL, _ body: (PreparedStatement) throws -> Result
  ) throws -> Result {
    guard sqlite3_stmt_isexplain(statement.pointer) != 0 || !statement.facts.controlsTransaction else {
      throw StoreError(
        .unsupported, "Transactions are not begun or ended in SQL; use store.write { db in … } and db.savepoint { … }.")
    }
    try checkViews(statement.facts)
    try checkTargets(of: statement)
    // SQL in a context is Larder's own; its views compare and sort as typed queries do.
    try checkDecimals(of: statement, sql.text, isTyped: overlay != nil)
    let count = Int(sqlite3_bind_parameter_count(statement.pointer))
    guard count == sql.arguments.count else {
      throw StoreError(
        .invalidValue,
        "The SQL has \(count) parameters and \(sql.arguments.count) values were given. Interpolate the values: \"… where id = \\(id)\"."
      )
    }
    return try using(statement, sql.arguments, nil, body)
  }
}

extension Connection {
  /// Throws ``StoreError`` `.unsupported` if the statement returns what it changes, and its target is a view that
  /// nothing changes.
  ///
  /// SQLite 3.40 compiles such a statement, returns rows, and changes nothing. Without the columns, it refuses it.
  private func checkTargets(of statement: PreparedStatement) throws {
    guard sqlite3_column_count(statement.pointer) > 0, sqlite3_stmt_readonly(statement.pointer) == 0,
      !statement.facts.changesSchema
    else { return }
    for target in statement.facts.targets {
      let schema = target.isTemporary ? "temp" : "main"
      let sql = "SELECT 1 FROM \(schema).sqlite_master WHERE type = 'view' AND name = ?1 COLLATE NOCASE"
      if try !query(sql, [.text(target.table)]).isEmpty { _ = try compile(target.probe, isPersistent: false) }
    }
  }

  /// Throws ``StoreError`` `.unsupported` if SQL of the program drops or alters a temporary view that stands for a
  /// table.
  private func checkViews(_ facts: StatementFacts) throws {
    guard facts.changesSchema else { return }
    let tables = environment.tables.map(\.name)
    let view = facts.temporaryWrites.sorted().first { name in
      name.hasPrefix(ReservedNames.prefix) || tables.contains(where: name.isSameColumn(as:))
    }
    guard let view else { return }
    throw StoreError(
      .unsupported, model: view,
      "\(view) is a view of Larder's, which hides rows that are not there and shows those that a context has changed. Leave it as it is; SQL of a migration can change the table."
    )
  }
}

/// Thrown if a statement that writes is executed on a reading connection; the caller then uses the writer.
struct WriteNeeded: Error {}

extension String {
  /// Whether the SQL begins, behind spaces, comments and byte order marks, with `VACUUM`.
  fileprivate var isVacuum: Bool {
    var rest = utf8[...]
    while let first = rest.first {
      if rest.starts(with: "--".utf8) {
        rest = rest.drop { $0 != UInt8(ascii: "\n") }
      } else if rest.starts(with: "/*".utf8) {
        rest = rest.dropFirst(2)
        while !rest.isEmpty, !rest.starts(with: "*/".utf8) { rest = rest.dropFirst() }
        rest = rest.dropFirst(2)
      } else if rest.starts(with: "\u{FEFF}".utf8) {
        rest = rest.dropFirst(3)
      } else if first == UInt8(ascii: " ") || (9...13).contains(first) || first == UInt8(ascii: ";") {
        rest = rest.dropFirst()
      } else {
        break
      }
    }
    return String(decoding: rest.prefix(6), as: UTF8.self).lowercased() == "vacuum"
  }
}
