/// The SQL of one table's unsaved rows in one layer: a context's own, or that of a child.
///
/// `pending` holds the rows that were written, `base` the previous version of each, and `history` for each step the
/// rows before it. The view of the layer combines the rows of the layer below that weren't changed with those that
/// were.
struct OverlaySQL {
  let layer: Int
  /// The layers with the table, from the context's own to this one.
  let layers: [Int]
  let table: OverlayTable
  /// The quoted name of the layer below: the table, or the parent's rows.
  let lower: String
  /// The same with derived columns.
  let lowerView: String
  /// The delete rules that apply when a row is deleted, each with the table of the child.
  let deleteRules: [ForeignKey]
  /// The tables with unsaved rows in this layer or below.
  let tables: [OverlayTable]
  private let pendingTables: Set<String>

  static let number = "\(ReservedNames.prefix)number"
  static let row = "\(ReservedNames.prefix)row"
  static let state = "\(ReservedNames.prefix)state"
  static let clock = "\(ReservedNames.prefix)clock"
  /// The columns of `history` with the number of the step, and whether the row was there before it.
  static let stepNumber = "\(ReservedNames.prefix)step"
  static let isThere = "\(ReservedNames.prefix)is_there"
  /// The names of rows in conditions on a row that has the table's name, which may be any other.
  static let own = "\(ReservedNames.prefix)own"
  static let previous = "\(ReservedNames.prefix)previous"

  init(
    layers: [Int], table: OverlayTable, lower: String, lowerView: String, deleteRules: [ForeignKey],
    tables: [OverlayTable]
  ) {
    layer = layers.last ?? 0
    self.layers = layers
    self.table = table
    self.lower = lower
    self.lowerView = lowerView
    self.deleteRules = deleteRules
    self.tables = tables
    pendingTables = Set(tables.map(\.name))
  }

  // MARK: Names

  func name(_ kind: String, of other: String? = nil, in layer: Int? = nil) -> String {
    Quoting.name("\(ReservedNames.prefix)\(kind)_\(layer ?? self.layer)_\(other ?? table.name)")
  }
  var pending: String { name("pending") }
  var base: String { name("base") }
  var history: String { name("history") }
  /// The rows that the last statement has deleted, and those that delete rules have deleted since.
  var leaving: String { name("leaving") }
  /// The rows that the current change has deleted and whose deletion others may deny.
  var gone: String { name("gone") }
  /// The stored rows.
  var rows: String { name("rows") }
  /// The rows with derived columns.
  var view: String { table.derived.isEmpty ? rows : name("view") }
  var text: String { name("text") }
  static func stepTable(of layer: Int) -> String { "\(ReservedNames.prefix)step_\(layer)" }
  var step: String { "(SELECT step FROM \(Self.stepTable(of: layer)))" }
  /// The view that statements that insert or update write to.
  var upsert: String { Quoting.name("\(ReservedNames.prefix)save_\(table.name)") }
  var shadow: String { Quoting.name(table.name) }

  var columns: [String] { table.columns.map { Quoting.name($0.name) } }
  var keys: [String] { table.keys.map(Quoting.name) }

  func list(_ names: [String], of row: String? = nil) -> String {
    names.map { name in row.map { "\($0).\(name)" } ?? name }.joined(separator: ", ")
  }

  /// Returns the condition that two rows have the same key.
  func sameKey(_ left: String, _ right: String) -> String {
    keys.map { "\(left).\($0) = \(right).\($0)" }.joined(separator: " AND ")
  }

  /// Returns the condition that two rows have the same key to Swift. The file's rule may be wider: in a key that is
  /// declared NOCASE, it takes texts for equal that differ in case.
  func exactKey(_ left: String, _ right: String) -> String {
    let collated = Set(table.columns.filter(\.isCollated).map(\.name))
    return table.keys.map { key in
      let name = Quoting.name(key)
      return "\(left).\(name) = \(right).\(name)\(collated.contains(key) ? " COLLATE BINARY" : "")"
    }.joined(separator: " AND ")
  }

  /// Returns the condition that two rows have the same values.
  func sameValues(_ left: String, _ right: String) -> String {
    table.columns.map { same($0, left, right) }.joined(separator: " AND ")
  }

  /// Returns the condition that two rows have the same value in a column: the same bytes, or equal values in Swift.
  func same(_ column: OverlayTable.Column, _ left: String, _ right: String) -> String {
    let name = Quoting.name(column.name)
    let isSame = "\(left).\(name) IS \(right).\(name) COLLATE BINARY"
    guard let form = column.form else { return isSame }
    var conditions = [isSame, "\(form)(\(left).\(name)) IS \(form)(\(right).\(name))"]
    if column.isJSON {
      let place = [table.name, column.name].map { Quoting.literal(.text($0)) }.joined(separator: ", ")
      func canonical(_ row: String) -> String { "\(Self.canonicalJSON)(\(place), \(row).\(name))" }
      conditions.append("\(canonical(left)) IS \(canonical(right))")
    }
    return "(\(conditions.joined(separator: " OR ")))"
  }

  /// The function that returns JSON as the property's type writes it; JSON that isn't of this type stays unchanged.
  static let canonicalJSON = "\(ReservedNames.prefix)property_json"

  static func canonicalJSON(of tables: [TableDefinition]) -> ScalarFunction {
    ScalarFunction(canonicalJSON, 3) { values in
      guard let table = values[0].text, let name = values[1].text, !values[2].isNull,
        let column = tables.first(where: { $0.name == table })?.column(name)
      else { return values[2] }
      return (try? column.canonical(values[2])) ?? values[2]
    }
  }

  /// The condition that an unsaved row, by the table's name, is visible: it is neither deleted nor expired.
  var isShown: String { "\(shadow).\(Self.state) = 0\(table.expires ? " AND \(Expiry.isThere(shadow))" : "")" }

  /// Returns the row ID of a row in the layer below.
  func lowerRow(_ row: String) -> String { table.hiddenRowID.map { "\(row).\(Quoting.name($0))" } ?? "NULL" }

  /// Returns the row ID of an unsaved row: its own, or a negative one that no other layer uses.
  func pendingRow(_ row: String, in layer: Int? = nil) -> String {
    "CAST(coalesce(\(row).\(Self.row), -\(row).\(Self.number) - \((layer ?? self.layer) << 40)) AS INTEGER)"
  }

  // MARK: Tables

  var createTables: [String] {
    let strict = table.isStrict ? " STRICT" : ""
    let values = table.columns.map { "\(Quoting.name($0.name)) \($0.declaration)" }.joined(separator: ", ")
    let references = table.references.map(\.childColumns) + table.uniqueRules.map { $0.parts.map(\.column) }
    let settled = table.counters.isEmpty ? "" : "\(Self.isSettled) INTEGER NOT NULL DEFAULT 0, "
    return [
      "CREATE TEMP TABLE \(pending) (\(Self.number) INTEGER PRIMARY KEY, \(Self.row) INTEGER, \(Self.state) INTEGER NOT NULL, \(values))\(strict)",
      "CREATE UNIQUE INDEX temp.\(name("pending_key")) ON \(pending) (\(list(keys)))",
      "CREATE TEMP TABLE \(base) (\(Self.number) INTEGER PRIMARY KEY, \(Self.row) INTEGER, \(Self.clock) INTEGER NOT NULL, \(settled)\(values))\(strict)",
      "CREATE UNIQUE INDEX temp.\(name("base_key")) ON \(base) (\(list(keys)))",
      "CREATE TEMP TABLE \(history) (\(Self.stepNumber) INTEGER NOT NULL, \(Self.isThere) INTEGER NOT NULL, \(settled)\(values))\(strict)",
      "CREATE UNIQUE INDEX temp.\(name("history_key")) ON \(history) (\(Self.stepNumber), \(list(keys)))",
    ]
      + (hasDeleteRules
        ? ["CREATE TEMP TABLE \(leaving) (\(Self.number) INTEGER PRIMARY KEY, \(values))\(strict)"] : [])
      + (isDeniable ? ["CREATE TEMP TABLE \(gone) (\(values))\(strict)"] : [])
      + (table.limitedSums.isEmpty ? [] : [createTouched])
      + Set(references).sorted { $0.joined() < $1.joined() }.enumerated().map { position, columns in
        "CREATE INDEX temp.\(name("pending_\(position)")) ON \(pending) (\(columns.map(Quoting.name).joined(separator: ", ")))"
      } + createText + createCounters
  }

  /// The full-text index of the unsaved rows, and the triggers that maintain it.
  private var createText: [String] {
    guard !table.searchable.isEmpty else { return [] }
    let columns = list(table.searchable.map(Quoting.name))
    let values = list(table.searchable.map(Quoting.name), of: "NEW")
    let remove = "DELETE FROM \(text) WHERE rowid = OLD.\(Self.number);"
    let add =
      "INSERT INTO \(text) (rowid, \(columns)) SELECT NEW.\(Self.number), \(values) WHERE NEW.\(Self.state) = 0;"
    return [
      "CREATE VIRTUAL TABLE temp.\(text) USING fts5(\(columns), tokenize=\(Quoting.literal(.text(SearchWords.tokenizer))))",
      "CREATE TEMP TRIGGER \(name("text_insert")) AFTER INSERT ON \(pending) BEGIN \(add) END",
      "CREATE TEMP TRIGGER \(name("text_delete")) AFTER DELETE ON \(pending) BEGIN \(remove) END",
      "CREATE TEMP TRIGGER \(name("text_update")) AFTER UPDATE ON \(pending) BEGIN \(remove) \(add) END",
    ]
  }

  var dropTables: [String] {
    (table.searchable.isEmpty ? [] : [text]).map { "DROP TABLE IF EXISTS temp.\($0)" }
      + [pending, base, history, leaving, gone, touched()].map { "DROP TABLE IF EXISTS temp.\($0)" } + [dropCounters]
  }

  // MARK: Views

  /// The rows of the layer, and those below without changes here. SQLite pushes conditions into both parts.
  var createViews: [String] {
    let plain =
      ["CREATE TEMP VIEW \(rows) AS \(ReservedNames.viewMark) \(union(of: lower, below: [], pending: []))"]
      + (table.expires ? [createExpired] : [])
    guard !table.derived.isEmpty else { return plain }
    let isStored = table.derived.allSatisfy { pendingTables.isDisjoint(with: $0.tables) }
    let body: String
    if isStored {
      let stored = table.derived.map {
        "\(shadow).\(Quoting.name($0.column.column)) AS \(Quoting.name($0.column.column))"
      }
      body = union(of: lowerView, below: stored, pending: table.derived.map(derived))
    } else {
      body =
        "SELECT \((["\(shadow).*"] + table.derived.map(derived)).joined(separator: ", ")) FROM \(rows) AS \(shadow)"
    }
    return plain + ["CREATE TEMP VIEW \(view) AS \(ReservedNames.viewMark) \(body)"]
  }

  private func union(of lower: String, below: [String], pending derived: [String]) -> String {
    let row = table.hiddenRowID.map(Quoting.name)
    // The rows are named like the table, which derived columns use for their owner.
    let first = (row.map { ["\(shadow).\($0) AS \($0)"] } ?? []) + columns.map { "\(shadow).\($0) AS \($0)" } + below
    let second = (row == nil ? [] : [pendingRow(shadow)]) + columns.map { "\(shadow).\($0)" } + derived
    return """
      SELECT \(first.joined(separator: ", ")) FROM \(lower) AS \(shadow) \
      WHERE NOT EXISTS (SELECT 1 FROM \(pending) AS \(Self.own) WHERE \(sameKey(Self.own, shadow))) \
      UNION ALL SELECT \(second.joined(separator: ", ")) FROM \(pending) AS \(shadow) WHERE \(isShown)
      """
  }

  /// Returns the SQL of a derived column, computed from both saved and unsaved rows.
  private func derived(_ derived: OverlayTable.Derived) -> String {
    "CAST(\(pendingColumn(derived).recomputed()) AS \(derived.type.rawValue)) AS \(Quoting.name(derived.column.column))"
  }

  /// Returns the derived column, computed from the rows of the layer, and from their derived columns if need be.
  func pendingColumn(_ derived: OverlayTable.Derived) -> DerivedColumn {
    func replacement(_ table: String, _ kind: String) -> String {
      pendingTables.contains(table) ? "\(ReservedNames.prefix)\(kind)_\(layer)_\(table)" : table
    }
    let column = derived.column
    return column.replacingTables(rowsTable: replacement(column.rowsTable, isOfDerived(column) ? "view" : "rows")) {
      replacement($0, "rows")
    }
  }

  /// Returns whether the column is computed from a derived column of a table with unsaved rows.
  func isOfDerived(_ column: DerivedColumn) -> Bool {
    tables.contains { table in table.derived.contains { column.isDerived(from: $0.column) } }
  }

  /// Returns a query for a model's columns of unsaved rows, or of their previous versions, under the table's name.
  func select(_ columns: [String]) -> String {
    columns.map { column in
      if let derived = table.derived.first(where: { $0.column.column == column }) { return self.derived(derived) }
      return "\(shadow).\(Quoting.name(column))"
    }.joined(separator: ", ")
  }

  /// The view that statements use in place of the table, with the triggers that write.
  var createShadow: [String] {
    [
      "CREATE TEMP VIEW \(shadow) AS \(ReservedNames.viewMark) SELECT * FROM \(view)\(table.expires ? " WHERE \(Expiry.isThere())" : "")",
      "CREATE TEMP VIEW \(upsert) AS \(ReservedNames.viewMark) SELECT \(list(columns)) FROM \(view)",
      insertTrigger, updateTrigger, moveTrigger, deleteTrigger, upsertTrigger,
    ] + [numberTrigger, table.expires ? expiredTrigger : nil].compactMap { $0 }
  }
}
