/// The SQL of tables, indexes and triggers.
struct SchemaWriter {
  /// - Parameters:
  ///   - others: Columns that aren't the model's. They keep their defaults, and are only required if they have one.
  ///   - references: The rows of `PRAGMA foreign_key_list` for the foreign keys that the other columns keep.
  func createTable(
    _ table: TableDefinition, named name: String? = nil, keeping others: [TableState.Column] = [],
    _ references: [Row] = []
  ) -> String {
    var lines: [String] = []
    if !table.isKeyRowID { lines.append("\(Quoting.name(ReservedNames.rowID)) INTEGER PRIMARY KEY") }
    for column in table.columns {
      var line = "\(Quoting.name(column.name)) \(column.declaration)"
      if table.isKeyRowID, column.isKey { line += " PRIMARY KEY" }
      if !column.type.isOptional { line += " NOT NULL" }
      if column.isDerived, let value = (try? column.defaultValue?()) ?? nil, !value.isNull {
        line += " DEFAULT \(Quoting.literal(value))"
      }
      if let reference = table.reference(of: column.name) { line += " \(reference.sql)" }
      lines.append(line)
    }
    for position in table.positions where !others.contains(where: { $0.name.isSameColumn(as: position) }) {
      lines.append("\(Quoting.name(position)) INTEGER")
    }
    if table.expires, !others.contains(where: { $0.name.isSameColumn(as: Expiry.column) }) {
      lines.append("\(Expiry.column) REAL")
    }
    for column in others {
      let type = StorageClass(rawValue: column.declaredType.uppercased())?.rawValue ?? "ANY"
      let rule = column.defaultValue.map { "\(column.isRequired ? " NOT NULL" : "") DEFAULT (\($0))" } ?? ""
      lines.append("\(Quoting.name(column.name)) \(type)\(rule)\(reference(of: column.name, among: references))")
    }
    if !table.isKeyRowID {
      lines.append("UNIQUE (\(table.keyColumns.map { Quoting.name($0.name) }.joined(separator: ", ")))")
    }
    return "CREATE TABLE \(Quoting.name(name ?? table.name)) (\n  \(lines.joined(separator: ",\n  "))\n) STRICT"
  }

  /// Returns a foreign key that isn't the model's, as declared in the file; one with several columns is left out.
  private func reference(of column: String, among references: [Row]) -> String {
    guard let row = references.first(where: { $0["from"]?.text?.isSameColumn(as: column) == true }),
      let table = row["table"]?.text,
      references.count(where: { $0["id"] == row["id"] }) == 1
    else { return "" }
    let key = row["to"]?.text.map { " (\(Quoting.name($0)))" } ?? ""
    let rules = [("UPDATE", "on_update"), ("DELETE", "on_delete")].map { event, name in
      " ON \(event) \(row[name]?.text ?? "NO ACTION")"
    }
    return " REFERENCES \(Quoting.name(table))\(key)\(rules.joined())"
  }

  /// With a default, existing rows have it immediately, whatever their number.
  func addColumn(_ column: TableDefinition.Column, to table: TableDefinition, default value: Value?) -> String {
    let reference = table.reference(of: column.name).map { " \($0.sql)" } ?? ""
    let rule = value.map { "\(column.type.isOptional ? "" : " NOT NULL") DEFAULT \(Quoting.literal($0))" } ?? ""
    return
      "ALTER TABLE \(Quoting.name(table.name)) ADD COLUMN \(Quoting.name(column.name)) \(column.declaration)\(rule)\(reference)"
  }

  func createIndex(_ index: TableDefinition.Index, on table: String) -> String {
    let columns = zip(index.columns, index.collations).map { Quoting.name($0) + ($1.map { " COLLATE \($0)" } ?? "") }
    return
      "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX main.\(Quoting.name(index.name)) ON \(Quoting.name(table)) (\(columns.joined(separator: ", ")))"
  }

  /// Returns the full-text index on a table's own text, and the triggers that synchronize them. Source:
  /// <https://www.sqlite.org/fts5.html#external_content_tables>.
  func createSearch(_ table: TableDefinition) -> [String] {
    let index = Quoting.name(SearchClause.table(of: table.name))
    let name = Quoting.name(table.name)
    let rowID = Quoting.name(table.rowIDColumn)
    let columns = table.searchable.map(Quoting.name)
    let list = columns.joined(separator: ", ")
    func values(_ row: String) -> String { columns.map { "\(row).\($0)" }.joined(separator: ", ") }
    let options =
      "content=\(Quoting.literal(table.name)), content_rowid=\(Quoting.literal(table.rowIDColumn)), tokenize=\(Quoting.literal(.text(SearchWords.tokenizer)))"
    let remove = "INSERT INTO \(index) (\(index), rowid, \(list)) VALUES ('delete', old.\(rowID), \(values("old")));"
    let add = "INSERT INTO \(index) (rowid, \(list)) VALUES (new.\(rowID), \(values("new")));"
    func trigger(_ kind: String) -> String { Quoting.name("\(SearchClause.table(of: table.name))_\(kind)") }
    return [
      "CREATE VIRTUAL TABLE main.\(index) USING fts5(\(list), \(options))",
      "CREATE TRIGGER main.\(trigger("insert")) AFTER INSERT ON \(name) BEGIN \(add) END",
      "CREATE TRIGGER main.\(trigger("delete")) AFTER DELETE ON \(name) BEGIN \(remove) END",
      "CREATE TRIGGER main.\(trigger("update")) AFTER UPDATE OF \(list), \(rowID) ON \(name) BEGIN \(remove) \(add) END",
      "INSERT INTO \(index) (\(index)) VALUES ('rebuild')",
    ]
  }

  func dropSearch(of table: String) -> [String] {
    Self.searchTriggers(of: table).map { "DROP TRIGGER IF EXISTS \(Quoting.name($0))" }
      + ["DROP TABLE IF EXISTS \(Quoting.name(SearchClause.table(of: table)))"]
  }

  /// The names of the triggers that synchronize the full-text index of a table.
  static func searchTriggers(of table: String) -> [String] {
    ["insert", "delete", "update"].map { "\(SearchClause.table(of: table))_\($0)" }
  }
}

extension TableDefinition.Column {
  /// The type of the column; of decimals with their collation, so that SQL by hand compares them as numbers. Dates that
  /// are stored as text have none, because their text is in order, and other programs don't know the collation.
  fileprivate var declaration: String {
    type.order == .decimal
      ? "\(type.storageClass.rawValue) COLLATE \(Collation.decimal.rawValue)" : type.storageClass.rawValue
  }
}
