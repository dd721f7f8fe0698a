/// The SQL of tables, indexes and triggers.
struct SchemaWriter {
  let dialect = Dialect.sqlite

  /// - Parameters:
  ///   - others: Columns that aren't the model's. They keep their defaults, and are only required if they have one.
  ///   - references: The rows of `PRAGMA foreign_key_list` for the foreign keys that the other columns keep.
  func createTable(
    _ table: TableDefinition, named name: String? = nil, keeping others: [TableState.Column] = [], _ references: [Row] = []
  ) -> String {
    var lines: [String] = []
    if !table.isKeyRowID { lines.append("\(dialect.quote(ModelStatements.hiddenRowID)) INTEGER PRIMARY KEY") }
    for column in table.columns {
      var line = "\(dialect.quote(column.name)) \(column.type.storageClass.rawValue)"
      if table.isKeyRowID, column.isKey { line += " PRIMARY KEY" }
      if !column.type.isOptional { line += " NOT NULL" }
      if column.isDerived, let value = (try? column.defaultValue?()) ?? nil, !value.isNull { line += " DEFAULT \(dialect.literal(value))" }
      if let reference = table.reference(of: column.name) { line += " \(reference.sql(dialect))" }
      lines.append(line)
    }
    for position in table.positions where !others.contains(where: { $0.name.isSameColumn(as: position) }) {
      lines.append("\(dialect.quote(position)) INTEGER")
    }
    if table.expires, !others.contains(where: { $0.name.isSameColumn(as: Expiry.column) }) { lines.append("\(Expiry.column) REAL") }
    for column in others {
      let type = StorageClass(rawValue: column.declaredType.uppercased())?.rawValue ?? "ANY"
      let rule = column.defaultValue.map { "\(column.isRequired ? " NOT NULL" : "") DEFAULT (\($0))" } ?? ""
      lines.append("\(dialect.quote(column.name)) \(type)\(rule)\(reference(of: column.name, among: references))")
    }
    if !table.isKeyRowID {
      lines.append("UNIQUE (\(table.keyColumns.map { dialect.quote($0.name) }.joined(separator: ", ")))")
    }
    return "CREATE TABLE \(dialect.quote(name ?? table.name)) (\n  \(lines.joined(separator: ",\n  "))\n) STRICT"
  }

  /// Returns a foreign key that isn't the model's, as declared in the file; one with several columns is left out.
  private func reference(of column: String, among references: [Row]) -> String {
    guard let row = references.first(where: { $0["from"]?.text?.isSameColumn(as: column) == true }), let table = row["table"]?.text,
      references.count(where: { $0["id"] == row["id"] }) == 1
    else { return "" }
    let key = row["to"]?.text.map { " (\(dialect.quote($0)))" } ?? ""
    let rules = [("UPDATE", "on_update"), ("DELETE", "on_delete")].map { event, name in " ON \(event) \(row[name]?.text ?? "NO ACTION")" }
    return " REFERENCES \(dialect.quote(table))\(key)\(rules.joined())"
  }

  /// With a default, existing rows have it immediately, whatever their number.
  func addColumn(_ column: TableDefinition.Column, to table: TableDefinition, default value: Value?) -> String {
    let reference = table.reference(of: column.name).map { " \($0.sql(dialect))" } ?? ""
    let rule = value.map { "\(column.type.isOptional ? "" : " NOT NULL") DEFAULT \(dialect.literal($0))" } ?? ""
    return
      "ALTER TABLE \(dialect.quote(table.name)) ADD COLUMN \(dialect.quote(column.name)) \(column.type.storageClass.rawValue)\(rule)\(reference)"
  }

  func createIndex(_ index: TableDefinition.Index, on table: String) -> String {
    let columns = zip(index.columns, index.collations).map { dialect.quote($0) + ($1.map { " COLLATE \($0)" } ?? "") }
    return
      "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(dialect.quote(index.name)) ON \(dialect.quote(table)) (\(columns.joined(separator: ", ")))"
  }

  /// Returns the full-text index on a table's own text, and the triggers that synchronize them. Source:
  /// <https://www.sqlite.org/fts5.html#external_content_tables>.
  func createSearch(_ table: TableDefinition) -> [String] {
    let index = dialect.quote(SearchClause.table(of: table.name))
    let name = dialect.quote(table.name)
    let rowID = dialect.quote(table.rowIDColumn)
    let columns = table.searchable.map(dialect.quote)
    let list = columns.joined(separator: ", ")
    func values(_ row: String) -> String { columns.map { "\(row).\($0)" }.joined(separator: ", ") }
    let options =
      "content=\(dialect.literal(table.name)), content_rowid=\(dialect.literal(table.rowIDColumn)), tokenize=\(dialect.literal(.text(SearchWords.tokenizer)))"
    let remove = "INSERT INTO \(index) (\(index), rowid, \(list)) VALUES ('delete', old.\(rowID), \(values("old")));"
    let add = "INSERT INTO \(index) (rowid, \(list)) VALUES (new.\(rowID), \(values("new")));"
    func trigger(_ kind: String) -> String { dialect.quote("\(SearchClause.table(of: table.name))_\(kind)") }
    return [
      "CREATE VIRTUAL TABLE \(index) USING fts5(\(list), \(options))",
      "CREATE TRIGGER \(trigger("insert")) AFTER INSERT ON \(name) BEGIN \(add) END",
      "CREATE TRIGGER \(trigger("delete")) AFTER DELETE ON \(name) BEGIN \(remove) END",
      "CREATE TRIGGER \(trigger("update")) AFTER UPDATE OF \(list), \(rowID) ON \(name) BEGIN \(remove) \(add) END",
      "INSERT INTO \(index) (\(index)) VALUES ('rebuild')",
    ]
  }

  func dropSearch(of table: String) -> [String] {
    let search = SearchClause.table(of: table)
    return ["insert", "delete", "update"].map { "DROP TRIGGER IF EXISTS \(dialect.quote("\(search)_\($0)"))" }
      + ["DROP TABLE IF EXISTS \(dialect.quote(search))"]
  }
}
