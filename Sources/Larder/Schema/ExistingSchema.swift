/// Checks that the tables of a file that Larder didn't create match the models, without changing anything.
struct ExistingSchema {
  let connection: Connection
  let tables: [TableDefinition]

  init(_ connection: Connection, _ tables: [TableDefinition]) {
    self.connection = connection
    self.tables = tables
  }

  /// Throws `.schemaMismatch` that names all missing tables and columns, and properties whose full-text index is missing.
  func check() throws {
    var failures: [StoreError] = []
    for table in tables {
      guard let state = try TableState.read(table.name, from: connection) else {
        failures.append(
          StoreError(
            .schemaMismatch, model: table.model,
            "The file has no table or view \(table.name) for \(table.model). Name the table with @Model(\"…\"), or open the file without schema: .existing to create it."
          ))
        continue
      }
      for column in table.columns where state.column(column.name) == nil {
        failures.append(
          StoreError(
            .schemaMismatch, model: table.model, property: column.property,
            "The table \(table.name) has no column \(column.name) for \(table.model).\(column.property). Name the column with @Attribute(name: \"…\"), or mark the property @Transient."
          ))
      }
      do {
        try checkRelationships(of: table, state)
        try checkSearch(of: table)
      } catch let error as StoreError where error.code == .schemaMismatch {
        failures.append(error)
      }
    }
    guard let first = failures.first else { return }
    guard failures.count > 1 else { throw first }
    let messages = failures.map { "\n- \($0.message)" }.joined()
    throw StoreError(
      .schemaMismatch, model: first.model, property: first.property,
      "The file does not fit the models in \(failures.count) places:\(messages)")
  }

  private func checkSearch(of table: TableDefinition) throws {
    if !table.searchable.isEmpty, try TableState.read(SearchClause.table(of: table.name), from: connection) == nil {
      throw StoreError(
        .schemaMismatch, model: table.model, property: table.column(table.searchable[0])?.property,
        "\(table.model) has searchable properties and the file has no full-text index of Larder's for it, which schema: .existing does not create. Remove .searchable."
      )
    }
  }

  /// Larder's own columns and tables for relationships have to exist, which they don't in a file that it didn't create.
  private func checkRelationships(of table: TableDefinition, _ state: TableState) throws {
    for pairs in table.pairs where try TableState.read(pairs.name, from: connection) == nil {
      throw StoreError(
        .schemaMismatch, model: table.model, property: pairs.source.property,
        "The file has no table \(pairs.name) with the pairs of \(table.model).\(pairs.source.property). Make a model of the table that connects the two, with a ToOne to each."
      )
    }
    if table.expires, state.column(Expiry.column) == nil {
      throw StoreError(
        .schemaMismatch, model: table.model,
        "\(table.model) can expire, and the table \(table.name) has no column \(Expiry.column), which schema: .existing does not add. Remove expires: true."
      )
    }
    for reference in table.references
    where reference.isOrdered && state.column(ReservedNames.position(of: reference.column)) == nil {
      throw StoreError(
        .schemaMismatch, model: table.model, property: reference.property,
        "The table \(table.name) has no column that keeps the order of the rows that refer to a \(reference.model). Remove ordered: true."
      )
    }
    let triggers = Set(
      try connection.query("SELECT name FROM sqlite_master WHERE type = 'trigger'").compactMap { $0["name"]?.text })
    for column in table.derived where !column.triggers.allSatisfy({ triggers.contains($0.name) }) {
      throw StoreError(
        .schemaMismatch, model: table.model, property: column.property,
        "\(table.model).\(column.property) is derived, and the file has no triggers that keep it, which schema: .existing does not create. Remove @Derived."
      )
    }
  }
}
