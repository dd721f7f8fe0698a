/// Checks values of columns whose types don't determine their values: an enum may have lost a case since they were
/// stored.
///
/// An enum that lists its cases is compared with the catalogue, and all rows are checked if they differ. Of other
/// enums, all rows are checked when the model's description in the catalogue changes, or a migration runs; otherwise
/// opening reads a limited number of values, regardless of the number of rows: those of an index, which has each value
/// once, or those of the oldest and newest rows.
struct StoredValueSample {
  private let connection: Connection
  private let tables: [TableDefinition]

  private static let limit = 50

  init(_ connection: Connection, _ tables: [TableDefinition]) {
    self.connection = connection
    self.tables = tables
  }

  /// Throws `.schemaMismatch` for a value without a case in the property's type.
  ///
  /// - Parameters:
  ///   - steps: The steps that have yet to be executed.
  ///   - isComplete: Returns whether all rows of a table are checked.
  func check(after steps: [SchemaStep] = [], isComplete: (TableDefinition) throws -> Bool = { _ in false }) throws {
    for table in tables {
      let columns = table.columns.filter(\.isOpenEnded)
      guard !columns.isEmpty, let state = try TableState.read(table.name, from: connection) else { continue }
      // A feature takes such values away before anyone reads them.
      if try connection.environment.features.hasUnjudgedRows(inTable: table.name, connection) { continue }
      let isComplete = try isComplete(table)
      for column in columns {
        guard let stored = state.column(steps.formerName(of: column.name, in: table)) else { continue }
        if isComplete {
          try checkAll(column, of: table, named: stored.name, state)
        } else {
          try check(column, of: table, named: stored.name, state)
        }
      }
    }
  }

  private func check(
    _ column: TableDefinition.Column, of table: TableDefinition, named stored: String, _ state: TableState
  ) throws {
    for row in try connection.query(sample(of: stored, isIndexed: isIndexed(column, table), state)) {
      if let value = row["value"] { try check(value, column, of: table) }
    }
  }

  /// Checks the column in each row.
  private func checkAll(
    _ column: TableDefinition.Column, of table: TableDefinition, named stored: String, _ state: TableState
  ) throws {
    let statement = try connection.compile(
      "SELECT \(Quoting.name(stored)) FROM \(Quoting.name(state.name))", isPersistent: false)
    defer { statement.reset() }
    var known: Set<Value> = []
    while try connection.step(statement, nil) {
      let value = StoredColumn(statement.pointer, 0).value
      guard !known.contains(value) else { continue }
      try check(value, column, of: table)
      if known.count < Self.limit { known.insert(value) }
    }
  }

  private func check(_ value: Value, _ column: TableDefinition.Column, of table: TableDefinition) throws {
    guard !value.isNull else { return }
    do {
      _ = try column.canonical(value)
    } catch let failure as ValueFailure {
      throw StoreError(
        .schemaMismatch, model: table.model, property: column.property,
        "\(table.model).\(column.property) \(failure.problem), in a row of \(table.name). Keep what the type could hold, or correct the rows in a migration."
      )
    }
  }

  private func isIndexed(_ column: TableDefinition.Column, _ table: TableDefinition) -> Bool {
    table.indexes.contains {
      $0.columns.first?.isSameColumn(as: column.name) == true && $0.collations.first == .some(nil)
    }
  }

  private func sample(of stored: String, isIndexed: Bool, _ state: TableState) -> String {
    let (name, table) = (Quoting.name(stored), Quoting.name(state.name))
    if isIndexed {
      // Skips from each value to the next greater one: https://wiki.postgresql.org/wiki/Loose_indexscan.
      return """
        WITH RECURSIVE sample (value) AS (SELECT min(\(name)) FROM \(table) UNION ALL \
        SELECT (SELECT min(\(name)) FROM \(table) WHERE \(name) > sample.value) FROM sample WHERE sample.value IS NOT NULL LIMIT \(Self.limit)) \
        SELECT value FROM sample
        """
    }
    guard let number = state.rowNumber else { return "SELECT \(name) AS value FROM \(table) LIMIT \(Self.limit)" }
    func part(_ order: String) -> String {
      "SELECT * FROM (SELECT \(name) AS value FROM \(table) ORDER BY \(number) \(order) LIMIT \(Self.limit))"
    }
    return "\(part("ASC")) UNION ALL \(part("DESC"))"
  }
}
