import GRDBSQLite

/// A table of the file in a context: what is needed to keep unsaved rows of it and to enforce its rules.
struct OverlayTable {
  struct Column {
    let name: String
    /// The type and the collation, as in the table's definition.
    let declaration: String
    let isRequired: Bool
    /// The SQL of the column's default in a statement without a value; nil if it is NULL.
    let fallback: String?
    /// Whether the model doesn't declare the column.
    let isForeign: Bool
    /// The function that converts equal values to one form, if the file may store them in several.
    let form: String?
    /// Whether the values are JSON, whose equal values the model's type knows: the elements of a set have no order.
    let isJSON: Bool
    /// Whether its values may be JSON that refers to attachments.
    let mayNameAttachments: Bool
    /// Whether the property is unsigned.
    let isUnsigned: Bool
    /// Whether the file may take texts for equal that differ.
    let isCollated: Bool
    /// What the property can hold, if it is a counter; nil for others.
    let counterRange: ClosedRange<Int64>?

    /// Returns a number as the column stores it.
    func value(_ number: Int64) -> Value {
      let type = declaration.uppercased()
      return type.hasPrefix("INT")
        ? .integer(number) : type.hasPrefix("REAL") ? .real(Double(number)) : .text(String(number))
    }
  }

  /// A column that triggers of the file maintain.
  struct Derived {
    let column: DerivedColumn
    let type: StorageClass
    /// The tables from whose rows it is computed.
    let tables: [String]
    /// Whether it is a sum that its property may not hold.
    let isLimited: Bool
  }

  /// A column with the position of a row among those with the same owner. A new row without a position gets the last
  /// one.
  struct Place {
    let column: String
    let owner: String
  }

  /// A rule that no two rows have the same values in some columns.
  struct UniqueRule {
    struct Part {
      let column: String
      let collation: String
    }
    let parts: [Part]
  }

  let name: String
  /// The model's name, for messages.
  let model: String?
  let columns: [Column]
  /// Those of the columns that are counters.
  let counters: [Column]
  let keys: [String]
  /// The hidden row ID column, if the table has one.
  let hiddenRowID: String?
  /// The column that identifies rows in a full-text index.
  let rowIDColumn: String?
  let isStrict: Bool
  let uniqueRules: [UniqueRule]
  let references: [ForeignKey]
  let searchable: [String]
  let derived: [Derived]
  let places: [Place]
  /// Whether rows can expire.
  let expires: Bool

  /// Returns the table with the name, or nil if a context can't keep unsaved rows of it.
  static func read(
    _ name: String, definition: TableDefinition?, pairs: PairsTable?, foreignKeys: [ForeignKey],
    from connection: Connection
  ) throws -> OverlayTable? {
    let list = try connection.query("PRAGMA main.table_list(\(Quoting.name(name)))")
    guard let entry = list.first, ["table", "view"].contains(entry["type"]?.text ?? ""), let table = entry["name"]?.text
    else { return nil }
    let rows = try connection.query("PRAGMA main.table_xinfo(\(Quoting.name(table)))")
    let primary = try rows.filter { try $0.get("pk") > 0 }.sorted { try $0.get("pk", as: Int.self) < $1.get("pk") }
    let keys = try definition?.keyColumns.map(\.name) ?? primary.map { try $0.get("name") }
    guard !keys.isEmpty else { return nil }
    let hidden = definition?.isKeyRowID == true || keys.contains(ReservedNames.rowID) ? nil : ReservedNames.rowID
    var hiddenRowID: String?
    var columns: [Column] = []
    for row in rows {
      let column: String = try row.get("name")
      if column == hidden {
        hiddenRowID = column
        continue
      }
      // Columns that the table computes aren't stored in unsaved rows.
      guard try row.get("hidden", as: Int.self) == 0, definition?.column(column)?.isDerived != true else { continue }
      let isRequired = try row.get("notnull", as: Int.self) != 0
      let isForeign = definition.map { $0.column(column) == nil } ?? false
      let property = definition?.column(column)
      let type = property?.type
      let isText = row["type"]?.text?.uppercased().hasPrefix("TEXT") == true
      columns.append(
        Column(
          name: column, declaration: try declaration(of: column, row["type"]?.text ?? "", in: table, connection),
          isRequired: isRequired, fallback: isRequired || isForeign ? row["dflt_value"]?.text : nil,
          isForeign: isForeign,
          form: type?.form, isJSON: type?.isJSON ?? false,
          mayNameAttachments: type?.isJSON ?? isText, isUnsigned: type?.integerRange?.lowerBound == 0,
          isCollated: connection.collation(of: column, in: table).map { $0 != "BINARY" } ?? false,
          counterRange: property?.isCounter == true ? type?.integerRange ?? .min ... .max : nil)
      )
    }
    // Only the file computes generated columns: it checks their rules when the row is saved.
    func isStored(_ names: [String]) -> Bool {
      names.allSatisfy { name in columns.contains { $0.name.isSameColumn(as: name) } }
    }
    return OverlayTable(
      name: table, model: definition?.model, columns: columns,
      counters: columns.filter { $0.counterRange != nil }, keys: keys, hiddenRowID: hiddenRowID,
      rowIDColumn: hiddenRowID ?? (definition?.isKeyRowID == true ? keys[0] : nil), isStrict: entry["strict"] == 1,
      uniqueRules: try uniqueRules(of: table, keys: keys, hiddenRowID, connection).filter {
        isStored($0.parts.map(\.column))
      },
      references: foreignKeys.filter { $0.child.isSameColumn(as: table) && isStored($0.childColumns) },
      searchable: hiddenRowID != nil || definition?.isKeyRowID == true ? definition?.searchable ?? [] : [],
      derived: definition.map(Derived.all(of:)) ?? [],
      places: places(definition, pairs).filter { place in columns.contains { $0.name == place.column } },
      expires: definition?.expires ?? false)
  }

  private static func places(_ definition: TableDefinition?, _ pairs: PairsTable?) -> [Place] {
    let own =
      definition?.references.filter(\.isOrdered).map {
        Place(column: ReservedNames.position(of: $0.column), owner: $0.column)
      } ?? []
    guard let pairs else { return own }
    return own + (pairs.source.isOrdered ? [Place(column: PairsTable.position, owner: PairsTable.source)] : [])
      + (pairs.target.isOrdered ? [Place(column: PairsTable.inversePosition, owner: PairsTable.target)] : [])
  }

  private static func declaration(
    of column: String, _ type: String, in table: String, _ connection: Connection
  ) throws -> String {
    guard let name = connection.collation(of: column, in: table), name != "BINARY" else { return type }
    return "\(type) COLLATE \(Quoting.name(name))"
  }

  private static func uniqueRules(
    of table: String, keys: [String], _ hidden: String?, _ connection: Connection
  ) throws -> [UniqueRule] {
    let indexes = try connection.query("PRAGMA main.index_list(\(Quoting.name(table)))")
    return try indexes.compactMap { index in
      guard index["unique"] == 1, index["partial"] == 0 else { return nil }
      let parts = try connection.query("PRAGMA main.index_xinfo(\(Quoting.name(try index.get("name"))))").filter {
        $0["key"] == 1
      }
      let columns = parts.compactMap { $0["name"]?.text }
      guard columns.count == parts.count, Set(columns) != Set(keys), columns != [hidden].compactMap({ $0 }) else {
        return nil
      }
      return UniqueRule(
        parts: try parts.map { UniqueRule.Part(column: try $0.get("name"), collation: try $0.get("coll")) })
    }
  }
}

extension ColumnType {
  /// The function that converts equal values to one form.
  fileprivate var form: String? {
    if isJSON { return "larder_json" }
    switch (order, textForm) {
    case (.decimal, _): return "larder_decimal_text"
    case (.instant, _), (_, .date): return "larder_seconds"
    case (_, .uuid): return "larder_uuid"
    default: return nil
    }
  }
}

extension OverlayTable.Derived {
  static func all(of definition: TableDefinition) -> [OverlayTable.Derived] {
    definition.derived.map { column in
      let pairs: [String] = if case .pairs(let table, _, _, _) = column.rows { [table] } else { [] }
      return OverlayTable.Derived(
        column: column, type: definition.column(column.column)?.type.storageClass ?? .text,
        tables: [column.rowsTable] + pairs,
        isLimited: column.unstorable() != nil)
    }
  }
}

extension DerivedColumn {
  /// Returns the same column, computed from other tables.
  ///
  /// - Parameters:
  ///   - rowsTable: The table of the rows.
  ///   - pairsTable: Returns the table in place of a join table.
  func replacingTables(rowsTable: String, pairsTable: (String) -> String) -> DerivedColumn {
    let link: Rows =
      if case .pairs(let table, let own, let other, let key) = rows {
        .pairs(table: pairsTable(table), own: own, other: other, key: key)
      } else { rows }
    return DerivedColumn(
      model: model, property: property, table: table, key: key, column: column, aggregate: aggregate,
      arithmetic: arithmetic, collation: collation,
      rowsTable: rowsTable, rows: link, value: value, range: range, isSingle: isSingle, isOfDerived: isOfDerived)
  }
}
