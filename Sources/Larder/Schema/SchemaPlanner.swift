/// Compares the models with the file, and plans the migration without changing anything.
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

  /// Returns the steps before the named migrations: new tables, and renamed and new columns. Existing rows don't have
  /// to satisfy new rules yet.
  ///
  /// - Parameters:
  ///   - isMigrating: Whether named migrations come next. They may read the rows as models, so newly required columns
  ///     get their default first.
  ///   - isRenamed: Whether columns were already renamed during this opening.
  func opening(isMigrating: Bool = false, isRenamed: Bool = false) throws -> [SchemaStep] {
    let pairs = try tables.flatMap(\.pairs).filter { try TableState.read($0.name, from: connection) == nil }
    return try tables.flatMap { table -> [SchemaStep] in
      guard let state = try TableState.read(table.name, from: connection) else {
        return [.createTable(table)] + table.indexes.map { .createIndex(table, $0) }
          + (table.searchable.isEmpty ? [] : [.createSearch(table)])
      }
      return try additions(to: state, table, isMigrating: isMigrating, isRenamed: isRenamed)
    } + pairs.map { .createPairs($0) }
  }

  private func additions(
    to present: TableState, _ table: TableDefinition, isMigrating: Bool, isRenamed: Bool
  ) throws -> [SchemaStep] {
    let renames = ColumnRenames(of: table, in: present, try entry(of: table), isDone: isRenamed).steps
    var state = present
    try state.apply(renames, of: table)
    let added: [SchemaStep] = table.columns.filter { state.column($0.name) == nil }.map { .addColumn(table, $0) }
    let positions: [SchemaStep] = table.references.filter {
      $0.isOrdered && state.column(ReservedNames.position(of: $0.column)) == nil
    }.map {
      .addPosition(table, reference: $0.column)
    }
    let fills: [SchemaStep] = isMigrating ? try fills(in: state, table) : []
    return renames + added + positions + expiry(of: table, state) + fills
  }

  /// Returns the columns that became required and whose default replaces NULL.
  private func fills(in state: TableState, _ table: TableDefinition) throws -> [SchemaStep] {
    let rows = TableRows(connection, table, state)
    return try table.columns.filter { column in
      guard !column.type.isOptional, column.defaultValue != nil, !(column.isKey && table.isKeyRowID) else {
        return false
      }
      guard let current = state.column(column.name), !current.isRequired, let stored = current.storedName else {
        return false
      }
      return try rows.exist(where: "\(Quoting.name(stored)) IS NULL")
    }.map { .fill(table, $0) }
  }

  private func expiry(of table: TableDefinition, _ state: TableState) -> [SchemaStep] {
    switch (table.expires, state.column(Expiry.column) != nil) {
    case (true, false): [.addExpiry(table)]
    // A file may have had the column before it had the model.
    case (false, true) where table.column(Expiry.column) == nil && hadExpiry(table): [.dropExpiry(table)]
    default: []
    }
  }

  private func hadExpiry(_ table: TableDefinition) -> Bool {
    (try? entry(of: table))?.expires == true
  }

  // MARK: After the named migrations

  /// Returns the steps that apply the models' rules. Throws `.schemaMismatch` if rows or types violate them.
  ///
  /// - Parameters:
  ///   - opening: The steps of ``opening(isMigrating:isRenamed:)``.
  ///   - arePending: Whether those steps have yet to be executed.
  ///   - isConverting: Whether a migration ran, which may have prepared the values for another type.
  func closing(after opening: [SchemaStep], arePending: Bool = false, isConverting: Bool) throws -> [SchemaStep] {
    let steps = try tables.flatMap { table -> [SchemaStep] in
      guard var state = try TableState.read(table.name, from: connection) else { return [] }
      if arePending { try state.apply(opening, of: table) }
      let entry = try entry(of: table)
      let added = Set(opening.columnsAdded(to: table).map(\.name))
      return try rules(of: state, table, opening, added: added, entry, isConverting: isConverting)
        + indexes(of: table, state, entry)
        + search(of: table, isRenamed: opening.rename(columnsOf: table)) + JSONForm.steps(for: table, opening, entry)
    }
    return try steps + triggers()
  }

  private func rules(
    of state: TableState, _ table: TableDefinition, _ opening: [SchemaStep], added: Set<String>,
    _ entry: Catalogue.Entry?, isConverting: Bool
  ) throws -> [SchemaStep] {
    try checkKey(of: state, table)
    let rows = TableRows(connection, table, state)
    var fills: [SchemaStep] = []
    var reasons: [String] = []
    var isAdditive = true
    for column in table.columns {
      guard let current = state.column(column.name) else { continue }
      let isNew = added.contains(column.name)
      let known = entry?.column(opening.formerName(of: column.name, in: table))
      if !isNew, try changesType(of: current, to: column, table, known, isConverting: isConverting, rows) {
        reasons.append("\(column.name) becomes \(column.type.storageClass.rawValue)")
        isAdditive = false
      }
      if column.type.isOptional, current.isRequired {
        reasons.append("\(column.name) may be empty")
        isAdditive = false
      } else if !column.type.isOptional, !current.isRequired, !(column.isKey && table.isKeyRowID) {
        if let stored = current.storedName, try rows.exist(where: "\(Quoting.name(stored)) IS NULL") {
          guard column.defaultValue != nil else { throw StoreError(needingValue: column, table) }
          fills.append(.fill(table, column))
        }
        reasons.append("\(column.name) is required")
        isAdditive = isAdditive && isNew
      }
    }
    for reason in try changedReferences(of: state, table, added: added) { reasons.append(reason) }
    let released = try formerReferences(of: state, table, opening, entry)
    reasons += released.map(\.reason)
    for column in state.columns
    where table.column(column.name) == nil && column.isRequired && column.defaultValue == nil
      && column.name != table.rowIDColumn
    {
      reasons.append("\(column.name), which has left the model, may be empty")
      isAdditive = false
    }
    if !table.isKeyRowID, state.column(ReservedNames.rowID) == nil {
      reasons.append("its rows get a stable number")
      isAdditive = false
    }
    let returned = returnedReferences(of: table, opening, entry)
    return fills + returned.map { .clearReference(table, $0) }
      + (reasons.isEmpty
        ? []
        : [
          .rebuild(
            table, reason: reasons.joined(separator: ", "), isAdditive: isAdditive, releasing: released.map(\.column))
        ])
  }

  private func checkKey(of state: TableState, _ table: TableDefinition) throws {
    let current = try keyColumns(of: state)
    let wanted = table.keyColumns.map(\.name)
    guard current.map(\.asciiLowercased).sorted() != wanted.map(\.asciiLowercased).sorted() else { return }
    throw StoreError(
      .schemaMismatch, model: table.model, property: table.keyColumns.first?.property,
      "The key of \(table.model) is \(wanted.joined(separator: ", ")), and that of the table \(table.name) in the file is \(current.joined(separator: ", ")). Keep the old key, or name the new table with @Model(\"…\") and copy the rows in a migration."
    )
  }

  /// The names of the key's columns in the models.
  private func keyColumns(of state: TableState) throws -> [String] {
    let keys = state.columns.filter { $0.keyPosition > 0 }.sorted { $0.keyPosition < $1.keyPosition }.map(\.name)
    guard keys == [ReservedNames.rowID] else { return keys }
    // SQLite creates an index for the UNIQUE rule of the model's key.
    let indexes = try connection.query("PRAGMA index_list(\(Quoting.name(state.name)))")
    for index in indexes where index["origin"] == "u" {
      let columns = try connection.query("PRAGMA index_info(\(Quoting.name(try index.get("name"))))")
      return try columns.map { row in
        let stored: String = try row.get("name")
        return state.columns.first { $0.storedName == stored }?.name ?? stored
      }
    }
    return keys
  }

  /// Returns whether the column's values have to be converted to another storage class. Throws if a value would change,
  /// or wouldn't fit the property's type.
  private func changesType(
    of current: TableState.Column, to column: TableDefinition.Column, _ table: TableDefinition,
    _ known: Catalogue.Entry.Column?, isConverting: Bool,
    _ rows: TableRows
  ) throws -> Bool {
    guard let stored = current.storedName else { return false }
    let changesClass = current.declaredType.uppercased() != column.type.storageClass.rawValue
    if changesClass {
      try checkConversion(
        of: stored, from: current.declaredType.uppercased(), to: column, table, isConverting: isConverting, rows)
    }
    var type = known?.type
    type?.isOptional = column.type.isOptional
    let isSame = type == column.type && known?.cases == column.cases
    if !isSame, let failure = try rows.firstFailure(of: stored, as: column) {
      throw StoreError(
        failure.cause.code == .invalidValue ? .schemaMismatch : failure.cause.code, model: table.model,
        property: column.property,
        "\(table.model).\(column.property) has another type now, and row \(failure.number) of \(table.name) \(failure.cause.problem). Keep the old type, or correct the rows in a migration."
      )
    }
    return changesClass
  }

  private func checkConversion(
    of name: String, from: String, to column: TableDefinition.Column, _ table: TableDefinition, isConverting: Bool,
    _ rows: TableRows
  ) throws {
    let quoted = Quoting.name(name)
    let to = column.type.storageClass
    let isWider = from == StorageClass.integer.rawValue && to == .real
    guard try isWider || isConverting || !rows.exist(where: "\(quoted) IS NOT NULL") else {
      throw StoreError(
        .schemaMismatch, model: table.model, property: column.property,
        "\(table.model).\(column.property) is kept as \(to.rawValue) now, and the column \(table.name).\(name) holds \(from). Give the property a new name, or convert the values in a migration."
      )
    }
    if let numbers = try rows.numbers(where: Self.changes(quoted, when: to)) {
      throw StoreError(
        .schemaMismatch, model: table.model, property: column.property,
        "\(table.model).\(column.property) cannot become \(to.rawValue): \(numbers) of \(table.name) \(numbers.verb) a value that would change. Convert the values in a migration, or give the property a new name."
      )
    }
  }

  /// Returns the condition for a value that another storage class would change. Source:
  /// <https://www.sqlite.org/stricttables.html>.
  private static func changes(_ value: String, when target: StorageClass) -> String {
    switch target {
    case .integer:
      """
      CASE typeof(\(value)) WHEN 'real' THEN CAST(\(value) AS INTEGER) <> \(value)
      WHEN 'text' THEN CAST(CAST(\(value) AS INTEGER) AS TEXT) <> \(value) WHEN 'blob' THEN 1 END
      """
    case .real:
      """
      CASE typeof(\(value)) WHEN 'integer' THEN CAST(CAST(\(value) AS REAL) AS INTEGER) <> \(value)
      WHEN 'text' THEN NOT json_valid(\(value)) OR json_type(CASE WHEN json_valid(\(value)) THEN \(value) END) NOT IN ('integer', 'real')
      WHEN 'blob' THEN 1 END
      """
    case .text:
      "CASE typeof(\(value)) WHEN 'real' THEN CAST(CAST(\(value) AS TEXT) AS REAL) <> \(value) WHEN 'blob' THEN 1 END"
    case .blob: "typeof(\(value)) NOT IN ('blob', 'null')"
    }
  }

  // MARK: Indexes

  private func indexes(of table: TableDefinition, _ state: TableState, _ entry: Catalogue.Entry?) throws -> [SchemaStep]
  {
    let present = try presentIndexes(of: state)
    func isPresent(_ index: TableDefinition.Index) -> Bool {
      present.contains { $0.name == index.name && $0.isSame(as: index) }
    }
    // A rename also affects an index, whose column name may have another meaning now.
    let drops = (entry?.indexes ?? []).filter { index in
      present.contains { $0.name == index.name } && !(table.indexes.contains(index) && isPresent(index))
    }
    let creations = table.indexes.filter { index in
      !present.contains { $0.name == index.name } || drops.contains { $0.name == index.name }
    }
    for index in creations where index.isUnique { try checkUnique(index, table, state) }
    return drops.map { .dropIndex($0.name) } + creations.map { .createIndex(table, $0) }
  }

  /// Returns the indexes of the table, on the columns as the models name them.
  private func presentIndexes(of state: TableState) throws -> [TableDefinition.Index] {
    try connection.query("PRAGMA index_list(\(Quoting.name(state.name)))").filter { $0["origin"] == "c" }.map { row in
      let name: String = try row.get("name")
      let parts = try connection.query("PRAGMA index_xinfo(\(Quoting.name(name)))").filter { $0["key"] == 1 }
      return TableDefinition.Index(
        name: name,
        columns: parts.map { part in
          let stored = part["name"]?.text ?? ""
          return state.columns.first { $0.storedName == stored }?.name ?? stored
        }, isUnique: row["unique"] == 1, collations: parts.map { $0["coll"] == "BINARY" ? nil : $0["coll"]?.text })
    }
  }

  private func checkUnique(_ index: TableDefinition.Index, _ table: TableDefinition, _ state: TableState) throws {
    var columns: [(name: String, collation: String?)] = []
    for (name, collation) in zip(index.columns, index.collations) {
      if let stored = state.column(name)?.storedName {
        columns.append((Quoting.name(stored), collation))
      } else if try table.column(name)?.constantDefault() == nil {
        // The new column is NULL, or differs in each row.
        return
      }
    }
    guard let numbers = try TableRows(connection, table, state).sharing(columns) else { return }
    let properties = index.columns.map { name in table.column(name)?.property ?? name }.joined(separator: ", ")
    throw StoreError(
      .schemaMismatch, model: table.model, property: table.column(index.columns[0])?.property,
      "\(table.model).\(properties) is to be unique, and rows of \(table.name) share a value: \(numbers). Change or delete them in a migration."
    )
  }

  /// - Parameter isRenamed: Whether columns of the table were renamed, so that the index may contain the text of
  ///   another column with the same name.
  private func search(of table: TableDefinition, isRenamed: Bool) throws -> [SchemaStep] {
    let name = SearchClause.table(of: table.name)
    let exists = try TableState.read(name, from: connection) != nil
    let current =
      exists ? try connection.query("PRAGMA table_info(\(Quoting.name(name)))").compactMap { $0["name"]?.text } : []
    if current == table.searchable, !(isRenamed && exists) {
      let words = try entry(of: table)?.words ?? 0
      if !exists || words >= SearchWords.version { return [] }
      return try SearchWords.tokenizer(ofIndexOf: table.name, in: connection) == SearchWords.tokenizer
        ? [] : [.renewSearch(table)]
    }
    return (exists ? [.dropSearch(table.name)] : []) + (table.searchable.isEmpty ? [] : [.createSearch(table)])
  }
}

extension SchemaPlanner {
  // MARK: Of a file that was in order

  /// Returns the steps that create triggers and indexes that another program has dropped.
  ///
  /// Opening doesn't look for them: the catalogue says that the file has them.
  func repairs() throws -> [SchemaStep] {
    let names = Set(
      try connection.query("SELECT name FROM main.sqlite_master WHERE type IN ('index', 'trigger')").compactMap {
        $0["name"]?.text
      })
    let triggers = try triggers().filter { step in
      if case .createTrigger(let trigger) = step { !names.contains(trigger.name) } else { false }
    }
    return try triggers
      + tables.flatMap { table -> [SchemaStep] in
        guard try TableState.read(table.name, from: connection) != nil else { return [] }
        let indexes = table.indexes.filter { !names.contains($0.name) }.map { SchemaStep.createIndex(table, $0) }
        let hasSearch = SchemaWriter.searchTriggers(of: table.name).allSatisfy(names.contains)
        return indexes + (table.searchable.isEmpty || hasSearch ? [] : [.renewSearch(table)])
      }
  }
}

extension StoreError {
  /// Existing rows need a value for a property that is new or became required.
  init(needingValue column: TableDefinition.Column, _ table: TableDefinition) {
    let place = "\(table.model).\(column.property)"
    self.init(
      .schemaMismatch, model: table.model, property: column.property,
      "\(place) needs a value in the rows that \(table.name) has already. Add a default value to \(place), make it optional, or add a migration that fills it."
    )
  }
}
