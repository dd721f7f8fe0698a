import GRDBSQLite

/// `CHECK` constraints of other programs' tables; Larder declares none for models.
///
/// `PRAGMA integrity_check` evaluates them too, but not on a connection that only reads, and it doesn't say for which
/// rows.
extension StoreCheck {
  /// How the message begins by which `PRAGMA integrity_check` says that a row breaks a constraint. Source:
  /// <https://www.sqlite.org/src/file/src/pragma.c>.
  static let failedCheck = "CHECK constraint failed in "

  /// Returns the tables that may have constraints, with their declarations, which end with a zero.
  func constrainedTables() throws -> [(name: String, declaration: [UInt8])] {
    var tables: [(name: String, declaration: [UInt8])] = []
    // Virtual tables have no pages of their own.
    let sql = "SELECT name, sql FROM main.sqlite_master WHERE lower(type) = 'table' AND rootpage > 0 ORDER BY name"
    try forEachRow(sql) { statement in
      guard let name = StoredColumn(statement.pointer, 0).text, let text = sqlite3_column_text(statement.pointer, 1)
      else { return }
      let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(statement.pointer, 1)))
      if Self.saysCheck(bytes) { tables.append((name, bytes + [0])) }
    }
    return tables
  }

  /// Whether a declaration has the word: as a keyword, in quotes or in a comment, but not as a part of a name.
  static func saysCheck(_ declaration: some Collection<UInt8>) -> Bool {
    let words = declaration.split { byte in
      let letter = byte | 0x20
      let isLetter = letter >= UInt8(ascii: "a") && letter <= UInt8(ascii: "z")
      let isDigit = byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
      return !(isLetter || isDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte >= 0x80)
    }
    return words.contains { word in word.lazy.map { $0 | 0x20 }.elementsEqual("check".utf8) }
  }

  /// Finds the rows of a table that break its constraints.
  func checkConstraints(of table: String, _ declaration: [UInt8]) throws {
    let model = definition(of: table)?.model
    let place = model ?? table
    do {
      let kind = try kindsOfTables()[table.asciiLowercased]
      // Name, type, NOT NULL, default, position in the key, whether it is hidden or computed.
      let columns = try connection.query("PRAGMA main.table_xinfo(\(Quoting.name(table)))").map { row in
        (name: try row.get("name") as String, isKey: try row.get("pk") as Int > 0, hidden: try row.get("hidden") as Int)
      }
      let stored = columns.filter { $0.hidden == 0 }
      let probe = try ConstraintProbe(declaration, columns: stored.map(\.name), for: connection)
      var selected = stored.map(\.name)
      var keys = selected.indices.filter { stored[$0].isKey }
      let number = ["rowid", "_rowid_", "oid"].first { name in !columns.contains { $0.name.isSameColumn(as: name) } }
      // SQLite returns at most two thousand columns.
      if keys.isEmpty, kind?.isWithoutRowID == false, let number, selected.count < Self.mostColumns {
        keys = [selected.count]
        selected.append(number)
      }
      // Without indexes: one that is damaged must not hide rows.
      let list = selected.map(Quoting.name).joined(separator: ", ")
      var isUnknown = false
      try forEachRow("SELECT \(list) FROM main.\(Quoting.name(table)) NOT INDEXED") { statement in
        let verdict = probe.verdict(of: statement.pointer)
        try connection.checkInterruption()
        switch verdict {
        case .keeps: break
        case .isUnknown: isUnknown = true
        case .breaks(let constraint):
          report.add(.failedConstraint, limit: limit) {
            let values = keys.map { (selected[$0], StoredColumn(statement.pointer, Int32($0)).value) }
            return StoreReport.Finding(
              .failedConstraint, model: model, table: table, key: Dictionary(values) { first, _ in first },
              "A row of \(place) breaks the constraint \(constraint): it was written with constraints off, or before there was this one. Correct it with SQL or `larder sql`."
            )
          }
        }
      }
      if isUnknown {
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

  private static let mostColumns = 2000
}
