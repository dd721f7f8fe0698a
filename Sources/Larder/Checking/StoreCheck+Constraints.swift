import GRDBSQLite

/// `CHECK` constraints of other programs' tables; Larder declares none for models.
extension StoreCheck {
  /// How the message begins by which `PRAGMA integrity_check` says that some row violates a constraint. Source:
  /// <https://www.sqlite.org/src/file/src/pragma.c>.
  static let failedCheck = "CHECK constraint failed in "

  /// Returns the tables that may have constraints, with their declarations, which end with a zero.
  func constrainedTables() throws -> [(name: String, declaration: [UInt8])] {
    var tables: [(name: String, declaration: [UInt8])] = []
    // SQLite reads the type in any case. Virtual tables have no pages of their own.
    let sql = "SELECT name, sql FROM main.sqlite_master WHERE lower(type) = 'table' AND rootpage > 0 ORDER BY name"
    try forEachRow(sql) { statement in
      guard let name = StoredColumn(statement.pointer, 0).text, let text = sqlite3_column_text(statement.pointer, 1)
      else { return }
      let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(statement.pointer, 1)))
      if Self.mentionsCheck(bytes) { tables.append((name, bytes + [0])) }
    }
    return tables
  }

  /// Whether a declaration has the word: as a keyword, in quotes or in a comment, but not as a part of a name.
  static func mentionsCheck(_ declaration: some Collection<UInt8>) -> Bool {
    let words = declaration.split { byte in
      let letter = byte | 0x20
      let isLetter = letter >= UInt8(ascii: "a") && letter <= UInt8(ascii: "z")
      let isDigit = byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
      return !(isLetter || isDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte >= 0x80)
    }
    return words.contains { word in word.lazy.map { $0 | 0x20 }.elementsEqual("check".utf8) }
  }

  /// Finds the rows of a table that violate its constraints.
  func checkConstraints(of table: String, _ declaration: [UInt8]) throws {
    let model = definition(of: table)?.model
    let place = model ?? table
    do {
      var isUndetermined = false
      try forEachRow(of: table, declaration) { verdict, key in
        switch verdict {
        case .satisfied: break
        case .undetermined: isUndetermined = true
        case .violated(let constraint):
          report.add(.failedConstraint, limit: limit) {
            StoreReport.Finding(
              .failedConstraint, model: model, table: table, key: key(),
              "A row of \(place) breaks the constraint \(constraint): it was written with constraints off, or before there was this one. Correct it with SQL or `larder sql`."
            )
          }
        }
      }
      if isUndetermined {
        add(
          .failedConstraint, model: model, table: table,
          "Whether all rows of \(place) keep its constraints isn't known: SQLite could not evaluate them for some.")
      }
    } catch let error as StoreError where Self.concernsTable(error) {
      add(
        .failedConstraint, model: model, table: table,
        "Whether the rows of \(place) keep its constraints isn't known: \(error.message)")
    }
  }

  /// The greatest number of columns that SQLite returns.
  private static let mostColumns = 2000

  /// Calls the closure with what SQLite says of each row of a table, and how to get the row's key.
  private func forEachRow(
    of table: String, _ declaration: [UInt8],
    _ body: (ConstraintEvaluator.Verdict, () -> [String: Value]) throws -> Void
  ) throws {
    let kind = try kindsOfTables()[table.asciiLowercased]
    let columns = try connection.query("PRAGMA main.table_xinfo(\(Quoting.name(table)))").map { row in
      (name: try row.get("name") as String, isKey: try row.get("pk") as Int > 0, hidden: try row.get("hidden") as Int)
    }
    let stored = columns.filter { $0.hidden == 0 }
    var selected = stored.map(\.name)
    var keys = selected.indices.filter { stored[$0].isKey }
    // A constraint may read the row ID, too.
    let number = TableState.rowNumber { name in columns.contains { $0.name.isSameColumn(as: name) } }
    if kind?.isWithoutRowID == false, let number, selected.count < Self.mostColumns {
      if keys.isEmpty { keys = [selected.count] }
      selected.append(number)
    }
    let evaluator = try ConstraintEvaluator(declaration, columns: selected, for: connection)
    // Without indexes: one that is damaged must not hide rows.
    let list = selected.map(Quoting.name).joined(separator: ", ")
    try forEachRow("SELECT \(list) FROM main.\(Quoting.name(table)) NOT INDEXED") { statement in
      let verdict = evaluator.verdict(on: statement.pointer)
      // An evaluation that was cancelled is none.
      try connection.checkInterruption()
      try body(verdict) {
        let values = keys.map { (selected[$0], StoredColumn(statement.pointer, Int32($0)).value) }
        return Dictionary(values) { first, _ in first }
      }
    }
  }
}
