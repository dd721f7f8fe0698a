/// Compares the models with the file, and says what would make it fit. It changes nothing.
struct SchemaPlanner {
  let connection: Connection
  let tables: [TableDefinition]
  let hasCatalogue: Bool

  init(_ connection: Connection, _ tables: [TableDefinition]) throws {
    self.connection = connection
    self.tables = tables
    hasCatalogue = try Catalogue.exists(in: connection)
  }

  private func entry(of table: TableDefinition) throws -> Catalogue.Entry? {
    hasCatalogue ? try Catalogue.entry(of: table.name, in: connection) : nil
  }

  // MARK: Before the named migrations

  /// What makes room for the models: new tables, renamed and new columns. Nothing is required of rows that are already there.
  func opening() throws -> [SchemaStep] {
    try tables.flatMap { table -> [SchemaStep] in
      guard let state = try TableState.read(table.name, from: connection) else {
        return [.createTable(table)] + table.indexes.map { .createIndex(table, $0) } + (table.searchable.isEmpty ? [] : [.createSearch(table)])
      }
      return try additions(to: state, table)
    }
  }

  private func additions(to state: TableState, _ table: TableDefinition) throws -> [SchemaStep] {
    var steps: [SchemaStep] = []
    for column in table.columns where state.column(column.name) == nil {
      if let original = column.originalName, let old = state.column(original), table.column(original) == nil {
        steps.append(.renameColumn(table, from: old.name, to: column.name))
      } else {
        steps.append(.addColumn(table, column))
      }
    }
    return steps
  }

  // MARK: After the named migrations

  /// What makes the rules of the models hold. Throws `.schemaMismatch` where rows or types stand against it.
  ///
  /// - Parameter isConverting: Whether a migration ran, which may have made the values ready for another type.
  func closing(isConverting: Bool) throws -> [SchemaStep] {
    try tables.flatMap { table -> [SchemaStep] in
      guard let state = try TableState.read(table.name, from: connection) else { return [] }
      return try rules(of: state, table, isConverting: isConverting) + indexes(of: table) + search(of: table)
    }
  }

  private func rules(of state: TableState, _ table: TableDefinition, isConverting: Bool) throws -> [SchemaStep] {
    try checkKey(of: state, table)
    var fills: [SchemaStep] = []
    var reasons: [String] = []
    for column in table.columns {
      guard let current = state.column(column.name) else { continue }
      if current.declaredType.uppercased() != column.type.storageClass.rawValue {
        try checkConversion(of: current, to: column, table, isConverting: isConverting)
        reasons.append("\(column.name) becomes \(column.type.storageClass.rawValue)")
      } else {
        try checkRange(of: column, table)
      }
      if column.type.isOptional, current.isRequired {
        reasons.append("\(column.name) may be empty")
      } else if !column.type.isOptional, !current.isRequired, !(column.isKey && table.isKeyRowID) {
        if try hasRows(in: table, where: "\(Dialect.sqlite.quote(current.name)) IS NULL") {
          guard column.defaultValue != nil else { throw missingValues(of: column, table) }
          fills.append(.fill(table, column))
        }
        reasons.append("\(column.name) is required")
      }
    }
    for column in state.columns where table.column(column.name) == nil && column.isRequired && !column.hasDefault && column.name != table.rowIDColumn {
      reasons.append("\(column.name), which has left the model, may be empty")
    }
    if table.rowIDColumn == ModelStatements.hiddenRowID, state.column(ModelStatements.hiddenRowID) == nil {
      reasons.append("its rows get a stable number")
    }
    return fills + (reasons.isEmpty ? [] : [.rebuild(table, reason: reasons.joined(separator: ", "))])
  }

  private func checkKey(of state: TableState, _ table: TableDefinition) throws {
    let current = try keyColumns(of: state)
    let wanted = table.keyColumns.map(\.name)
    guard current.map(\.asciiLowercased).sorted() != wanted.map(\.asciiLowercased).sorted() else { return }
    throw StoreError(
      .schemaMismatch, model: table.model, property: table.keyColumns.first?.property,
      "The key of \(table.model) is \(wanted.joined(separator: ", ")), and that of the table \(table.name) in the file is \(current.joined(separator: ", ")). Keep the old key, or name the new table with @Model(\"…\") and copy the rows in a migration.")
  }

  private func keyColumns(of state: TableState) throws -> [String] {
    let keys = state.columns.filter { $0.keyPosition > 0 }.sorted { $0.keyPosition < $1.keyPosition }.map(\.name)
    guard keys == [ModelStatements.hiddenRowID] else { return keys }
    // The rule that makes the model's key unique is the index that SQLite made for UNIQUE in CREATE TABLE.
    let indexes = try connection.query("PRAGMA index_list(\(Dialect.sqlite.quote(state.name)))")
    for index in indexes where index["origin"] == "u" {
      let columns = try connection.query("PRAGMA index_info(\(Dialect.sqlite.quote(try index.get("name"))))")
      return try columns.map { try $0.get("name") }
    }
    return keys
  }

  private func checkConversion(
    of current: TableState.Column, to column: TableDefinition.Column, _ table: TableDefinition, isConverting: Bool
  ) throws {
    let quoted = Dialect.sqlite.quote(current.name)
    let from = current.declaredType.uppercased()
    let to = column.type.storageClass
    let isWider = from == "INTEGER" && to == .real
    let isFilled = try hasRows(in: table, where: "\(quoted) IS NOT NULL")
    guard isWider || isConverting || !isFilled else {
      throw StoreError(
        .schemaMismatch, model: table.model, property: column.property,
        "\(table.model).\(column.property) is kept as \(to.rawValue) now, and the column \(table.name).\(current.name) holds \(from). Give the property a new name, or convert the values in a migration.")
    }
    let bad: String =
      switch to {
      case .integer: "\(quoted) IS NOT NULL AND (typeof(CAST(\(quoted) AS NUMERIC)) <> 'integer' OR CAST(CAST(\(quoted) AS INTEGER) AS TEXT) <> CAST(\(quoted) AS TEXT)) AND typeof(\(quoted)) <> 'real' OR typeof(\(quoted)) = 'real' AND CAST(\(quoted) AS INTEGER) <> \(quoted)"
      case .real: "typeof(\(quoted)) = 'integer' AND CAST(CAST(\(quoted) AS REAL) AS INTEGER) <> \(quoted) OR typeof(\(quoted)) = 'text' AND CAST(CAST(\(quoted) AS REAL) AS TEXT) <> \(quoted) AND CAST(CAST(\(quoted) AS INTEGER) AS TEXT) <> \(quoted) OR typeof(\(quoted)) = 'blob'"
      case .text: "typeof(\(quoted)) = 'blob'"
      case .blob: "typeof(\(quoted)) IN ('integer', 'real')"
      }
    if let rows = try rows(in: table, where: bad) {
      throw StoreError(
        .schemaMismatch, model: table.model, property: column.property,
        "\(table.model).\(column.property) cannot become \(to.rawValue): \(rows) of \(table.name) \(rows.verb) a value that would change. Convert the values in a migration.")
    }
  }

  /// A narrower integer type than the one that the rows were written with.
  private func checkRange(of column: TableDefinition.Column, _ table: TableDefinition) throws {
    guard let range = column.type.integerRange else { return }
    let quoted = Dialect.sqlite.quote(column.name)
    if let rows = try rows(in: table, where: "\(quoted) NOT BETWEEN \(range.lowerBound) AND \(range.upperBound)") {
      throw StoreError(
        .schemaMismatch, model: table.model, property: column.property,
        "\(table.model).\(column.property) holds \(range.lowerBound) to \(range.upperBound) now, and \(rows) of \(table.name) \(rows.verb) an integer outside of it. Keep the wider type, or correct the rows in a migration.")
    }
  }

  private func missingValues(of column: TableDefinition.Column, _ table: TableDefinition) -> StoreError {
    StoreError(
      .schemaMismatch, model: table.model, property: column.property,
      "\(table.model).\(column.property) needs a value in the rows that \(table.name) has already. Add a default value to \(table.model).\(column.property), make it optional, or add a migration that fills it.")
  }

  private func indexes(of table: TableDefinition) throws -> [SchemaStep] {
    let present = Set(try connection.query("SELECT name FROM sqlite_master WHERE type = 'index' AND lower(tbl_name) = lower(?)", [.text(table.name)]).compactMap { $0["name"]?.text })
    let known = try entry(of: table)?.indexes ?? []
    let drops = known.filter { !table.indexes.contains($0) && present.contains($0.name) }
    let creations = table.indexes.filter { index in !present.contains(index.name) || drops.contains { $0.name == index.name } }
    for index in creations where index.isUnique { try checkUnique(index, table) }
    return drops.map { .dropIndex($0.name) } + creations.map { .createIndex(table, $0) }
  }

  private func checkUnique(_ index: TableDefinition.Index, _ table: TableDefinition) throws {
    let dialect = Dialect.sqlite
    let columns = zip(index.columns, index.collations).map { dialect.quote($0) + ($1.map { " COLLATE \($0)" } ?? "") }
    let filled = index.columns.map { "\(dialect.quote($0)) IS NOT NULL" }.joined(separator: " AND ")
    let rowID = dialect.quote(table.rowIDColumn)
    let groups = try connection.query(
      "SELECT group_concat(\(rowID), ' and ') AS numbers FROM \(dialect.quote(table.name)) WHERE \(filled) GROUP BY \(columns.joined(separator: ", ")) HAVING count(*) > 1 LIMIT 3")
    guard !groups.isEmpty else { return }
    let numbers = groups.compactMap { $0["numbers"]?.text.map { String($0.prefix(60)) } }.joined(separator: "; ")
    let properties = index.columns.map { name in table.column(name)?.property ?? name }.joined(separator: ", ")
    throw StoreError(
      .schemaMismatch, model: table.model, property: table.column(index.columns[0])?.property,
      "\(table.model).\(properties) is to be unique, and rows with the same value are there already (\(table.rowIDColumn) \(numbers)). Change or delete them in a migration.")
  }

  private func search(of table: TableDefinition) throws -> [SchemaStep] {
    let name = SearchClause.table(of: table.name)
    let exists = try TableState.read(name, from: connection) != nil
    let current = exists ? try connection.query("PRAGMA table_info(\(Dialect.sqlite.quote(name)))").compactMap { $0["name"]?.text } : []
    if current == table.searchable { return [] }
    return (exists ? [.dropSearch(table.name)] : []) + (table.searchable.isEmpty ? [] : [.createSearch(table)])
  }

  // MARK: Rows

  private func hasRows(in table: TableDefinition, where condition: String) throws -> Bool {
    try !connection.query("SELECT 1 FROM \(Dialect.sqlite.quote(table.name)) WHERE \(condition) LIMIT 1").isEmpty
  }

  /// The numbers of the first rows that meet the condition, in words; nil where none does.
  private func rows(in table: TableDefinition, where condition: String) throws -> RowNumbers? {
    let rows = try connection.query("SELECT rowid AS number FROM \(Dialect.sqlite.quote(table.name)) WHERE \(condition) LIMIT 4")
    let numbers = rows.compactMap { $0["number"]?.integer }
    return numbers.isEmpty ? nil : RowNumbers(numbers: numbers)
  }

  private struct RowNumbers: CustomStringConvertible {
    let numbers: [Int64]

    var description: String {
      let shown = numbers.prefix(3).map(String.init).joined(separator: ", ")
      return numbers.count == 1 ? "row \(shown)" : "rows \(shown)\(numbers.count > 3 ? " and more" : "")"
    }

    var verb: String { numbers.count == 1 ? "holds" : "hold" }
  }
}
