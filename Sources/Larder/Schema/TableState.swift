import GRDBSQLite

extension Connection {
  /// Returns the collation of a table's column, as SQLite spells it; nil if it is unknown, as in a view.
  func collation(of column: String, in table: String) -> String? {
    var collation: UnsafePointer<CChar>?
    let result = sqlite3_table_column_metadata(handle, "main", table, column, nil, &collation, nil, nil, nil)
    return result == SQLITE_OK ? collation.map { String(cString: $0) } : nil
  }
}

/// A table as it is in the file.
struct TableState {
  struct Column {
    /// The name of the column, after a pending rename.
    var name: String
    /// The name in the file; nil for a column that has yet to be added.
    let storedName: String?
    let declaredType: String
    let isRequired: Bool
    /// The position in the primary key, beginning with 1; 0 if it isn't part of the key.
    let keyPosition: Int
    /// The SQL of the default; nil if there is none.
    let defaultValue: String?
    let isGenerated: Bool
  }

  let name: String
  var columns: [Column]
  let isWithoutRowID: Bool
  let isStrict: Bool
  let isView: Bool

  func column(_ name: String) -> Column? {
    columns.first { $0.name.isSameColumn(as: name) }
  }

  /// What only SQLite's list of tables says of a table.
  struct Kind {
    let isWithoutRowID: Bool
    let isStrict: Bool
    let isView: Bool

    /// Returns the kinds of all tables and views of the file, by their names in lowercase; of those without a name that
    /// is text in UTF-8, none. SQLite looks at all of them to tell of one as well.
    static func all(in connection: Connection) throws -> [String: Kind] {
      let statement = try connection.compile("PRAGMA main.table_list", isPersistent: false)
      return try connection.using(statement, [], nil) { statement in
        // Schema, name, type, number of columns, wr, strict: https://www.sqlite.org/pragma.html#pragma_table_list.
        func column(_ position: Int32) -> StoredColumn { StoredColumn(statement.pointer, position) }
        var kinds: [String: Kind] = [:]
        while try connection.step(statement, nil) {
          guard column(0).text == "main", let name = column(1).text?.asciiLowercased, kinds[name] == nil else {
            continue
          }
          kinds[name] = Kind(
            isWithoutRowID: column(4).integer == 1, isStrict: column(5).integer == 1, isView: column(2).text == "view")
        }
        return kinds
      }
    }
  }

  /// Returns the table or view with the name, or nil.
  ///
  /// - Parameter kinds: The kinds of all tables, where many are read; nil to look for that of the table.
  static func read(_ name: String, from connection: Connection, kinds: [String: Kind]? = nil) throws -> TableState? {
    let master = try connection.query(
      "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND lower(name) = lower(?)", [.text(name)])
    guard let table = master.first else { return nil }
    let list = kinds == nil ? try connection.query("PRAGMA main.table_list(\(Quoting.name(name)))").first : nil
    let kind =
      kinds?[name.asciiLowercased]
      ?? Kind(isWithoutRowID: list?["wr"] == 1, isStrict: list?["strict"] == 1, isView: list?["type"] == "view")
    let rows = try connection.query("PRAGMA main.table_xinfo(\(Quoting.name(name)))")
    let columns = try rows.map { row in
      Column(
        name: try row.get("name"), storedName: try row.get("name"), declaredType: try row.get("type"),
        isRequired: try row.get("notnull"),
        keyPosition: try row.get("pk"),
        defaultValue: row["dflt_value"]?.text, isGenerated: (try row.get("hidden") as Int) > 1)
    }
    return TableState(
      name: try table.get("name"), columns: columns, isWithoutRowID: kind.isWithoutRowID, isStrict: kind.isStrict,
      isView: kind.isView)
  }

  /// A name of the row ID in SQL; nil if there is none.
  var rowNumber: String? {
    isWithoutRowID ? nil : Self.rowNumber { column($0) != nil }
  }

  /// Returns a name of the row ID in SQL: one of SQLite's three that isn't a column. Source:
  /// <https://www.sqlite.org/lang_createtable.html#rowid>.
  static func rowNumber(isColumn: (String) -> Bool) -> String? {
    ["rowid", "_rowid_", "oid"].first { !isColumn($0) }
  }

  /// Applies the steps' renames and additions to the columns.
  mutating func apply(_ steps: [SchemaStep], of table: TableDefinition) throws {
    for case let (owner, from, to)? in steps.map(\.renaming) where owner.name == table.name {
      if let position = columns.firstIndex(where: { $0.name.isSameColumn(as: from) }) { columns[position].name = to }
    }
    for column in steps.columnsAdded(to: table) {
      let value = try column.constantDefault().map(Quoting.literal)
      columns.append(
        Column(
          name: column.name, storedName: nil, declaredType: column.type.storageClass.rawValue,
          isRequired: value != nil && !column.type.isOptional,
          keyPosition: 0, defaultValue: value, isGenerated: false))
    }
  }
}
