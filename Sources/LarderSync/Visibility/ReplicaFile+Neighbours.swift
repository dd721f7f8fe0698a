import Larder

/// What is connected with a row.
extension ReplicaFile {
  /// The row to which a reference of a state leads; nil if it leads nowhere.
  func target(of reference: ModuleTable.Reference, in state: RowState, _ table: TrackedTable) -> RowKey? {
    let value = value(of: reference.column, in: state, table)
    return value.isNull ? nil : RowKey(table: reference.table, key: [value])
  }

  /// The value of a column, be it of the key or of a property.
  func value(of column: String, in state: RowState, _ table: TrackedTable) -> ReplicatedValue {
    if let position = table.description.keys.firstIndex(where: { $0.name == column }) { return state.key[position] }
    guard let property = table.properties.first(where: { $0.column.name == column }) else { return .null }
    return value(of: property, in: state)
  }

  /// The value of a property; the default if the state comes from a model that lacks it.
  func value(of property: TrackedTable.Property, in state: RowState) -> ReplicatedValue {
    if let range = property.column.counterRange {
      return .integer(state.sum(of: property.name).clamped(to: range))
    }
    return state.property(property.name)?.value ?? defaults[property.id] ?? .null
  }

  /// Whether every column can hold its value.
  func isComplete(_ state: RowState, _ table: TrackedTable) -> Bool {
    zip(table.description.keys, state.key).allSatisfy { $1.fits($0.storageClass) }
      && (table.isCollection || isComplete(state, table.properties))
  }

  private func isComplete(_ state: RowState, _ properties: [TrackedTable.Property]) -> Bool {
    properties.allSatisfy { property in
      let value = value(of: property, in: state)
      return value.isNull ? property.column.isOptional : value.fits(property.column.storageClass)
    }
  }

  /// The values of a unique rule, as they would be shown; nil if one is null, which equals nothing.
  func values(
    of rule: [String], in state: RowState, hidden: Set<String>, _ table: TrackedTable
  ) -> [ReplicatedValue]? {
    var values: [ReplicatedValue] = []
    for column in rule {
      if let property = table.properties.first(where: { $0.column.name == column }), hidden.contains(property.name) {
        return nil
      }
      let value = value(of: column, in: state, table)
      if value.isNull { return nil }
      values.append(value)
    }
    return values
  }

  // MARK: Referrers

  /// The tables that refer to a table, each with its reference.
  private func references(to table: String) -> [(table: TrackedTable, reference: ModuleTable.Reference)] {
    tables.flatMap { other in
      other.description.references.filter { $0.table == table }.map { (other, $0) }
    }
  }

  /// The rows that refer to the row and are set aside.
  func setAsideReferrers(of rowKey: RowKey) throws -> [StoredRow] {
    var ids: [Int64] = []
    for (table, reference) in references(to: rowKey.table) {
      if let position = table.description.keys.firstIndex(where: { $0.name == reference.column }) {
        ids += try connection.rows(
          "SELECT id FROM \(SyncTables.rows) WHERE table_id = ?1 AND key\(position + 1) = ?2 AND \(SyncTables.isSetAside)",
          [.integer(table.id), rowKey.key[0]]
        ) { $0.integer(0) }
      } else if let property = table.properties.first(where: { $0.column.name == reference.column }) {
        ids += try holders(of: rowKey.key[0], property.id, where: SyncTables.isSetAside)
      }
    }
    return try ids.compactMap { try row($0) }
  }

  /// The rows that refer to the row, and are visible, whether or not they show the reference.
  func visibleReferrers(of rowKey: RowKey) throws -> [RowKey] {
    try references(to: rowKey.table).flatMap { table, reference in
      var found = try visible(in: table, [reference.column], [rowKey.key[0]])
      if let property = table.properties.first(where: { $0.column.name == reference.column }) {
        let ids = try holders(of: rowKey.key[0], property.id, where: "status = 0")
        found += try ids.compactMap { try row($0)?.rowKey }
      }
      return found
    }
  }

  /// The visible rows that refer to the row by `.deny`.
  func visibleDenyReferrers(of rowKey: RowKey) throws -> [RowKey] {
    try references(to: rowKey.table).filter { $0.reference.rule == .deny }.flatMap { table, reference in
      try visible(in: table, [reference.column], [rowKey.key[0]])
    }
  }

  /// The rows whose cells hold a value.
  private func holders(of value: ReplicatedValue, _ property: Int64, where condition: String) throws -> [Int64] {
    try connection.rows(
      """
      SELECT id FROM \(SyncTables.rows) WHERE \(condition) AND id IN
        (SELECT row FROM \(SyncTables.cells) WHERE property = ?1 AND value = ?2 AND held >= 2)
      """, [.integer(property), value]
    ) { $0.integer(0) }
  }

  /// The keys of the rows in the table that have these values.
  private func visible(in table: TrackedTable, _ columns: [String], _ values: [ReplicatedValue]) throws -> [RowKey] {
    let keys = table.description.keys
    let condition = columns.enumerated().map { "\($1.quotedName) = ?\($0 + 1)" }.joined(separator: " AND ")
    return try connection.rows(
      "SELECT \(keys.map(\.name.quotedName).joined(separator: ", ")) FROM main.\(table.quotedName) WHERE \(condition)",
      values
    ) { row in RowKey(table: table.name, key: keys.indices.map { row.value(Int32($0)) }) }
  }

  // MARK: Rivals

  /// The other rows that have the same values, visible or not.
  func rivals(
    of rowKey: RowKey, _ rule: [String], _ values: [ReplicatedValue], _ table: TrackedTable
  ) throws -> [RowKey] {
    var found = try visible(in: table, rule, values)
    if let property = table.properties.first(where: { rule.contains($0.column.name) }),
      let position = rule.firstIndex(of: property.column.name)
    {
      let ids = try holders(of: values[position], property.id, where: "(status = 0 OR \(SyncTables.isSetAside))")
      found += try ids.compactMap { try row($0) }.filter { other in
        self.values(of: rule, in: other.state, hidden: [], table) == values
      }.map(\.rowKey)
    }
    return found.filter { $0 != rowKey }
  }
}
