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

  /// The value of a property as its column has it. The default if the state comes from a model that lacks the property, or
  /// in which it is optional; a number in the form of the column if it comes from a model with another type of numbers.
  func value(of property: TrackedTable.Property, in state: RowState) -> ReplicatedValue {
    if let range = property.column.counterRange {
      return .integer(state.sum(of: property.name).clamped(to: range))
    }
    guard let value = state.property(property.name)?.value else { return defaults[property.id] ?? .null }
    if value.isNull { return property.column.isOptional ? .null : defaults[property.id] ?? .null }
    return value.converted(to: property.column.storageClass)
  }

  /// Whether the column has the value of a property in another form than the state.
  func isConverted(_ property: TrackedTable.Property, in state: RowState) -> Bool {
    if property.isCounter { return false }
    guard let value = state.property(property.name)?.value, !value.fits(property.column.storageClass) else {
      return false
    }
    return value != self.value(of: property, in: state)
  }

  /// Whether every property has a value that can be read.
  func isComplete(_ state: RowState, _ table: TrackedTable) -> Bool {
    // The parts of columns are handed over one by one: a copy of the whole would count many references.
    zip(table.description.keys.indices, state.key).allSatisfy { place, value in
      value.isReadable(table.description.keys[place].storageClass, table.description.keys[place].valueTest)
    }
      && (table.isCollection || isComplete(state, table.properties))
  }

  private func isComplete(_ state: RowState, _ properties: [TrackedTable.Property]) -> Bool {
    properties.allSatisfy { property in
      let value = value(of: property, in: state)
      return value.isNull
        ? property.column.isOptional
        : value.isReadable(property.column.storageClass, property.column.valueTest)
    }
  }

  /// The values of a unique rule, as they would be shown; nil if one is null, which equals nothing.
  func values(
    of rule: [String], in state: RowState, hidden: Set<String>, _ table: TrackedTable
  ) -> [ReplicatedValue]? {
    var values: [ReplicatedValue] = []
    for column in rule {
      if let property = table.properties.first(where: { $0.column.name == column }), property.reference != nil,
        hidden.contains(property.name)
      {
        return nil
      }
      let value = value(of: column, in: state, table)
      if value.isNull { return nil }
      values.append(value)
    }
    return values
  }

  /// Returns the values of a unique rule in a form that is the same for all values that its index takes as equal.
  func canonical(_ values: [ReplicatedValue], of rule: [String], _ table: TrackedTable) -> [ReplicatedValue] {
    zip(rule, values).map { column, value in
      guard case .text(let bytes) = value, let order = order(of: column, table) else { return value }
      return ReplicatedValue(order.canonical(String(decoding: bytes, as: UTF8.self)))
    }
  }

  private func order(of column: String, _ table: TrackedTable) -> ValueOrder? {
    let columns = table.description.keys + table.properties.map(\.column)
    return columns.first { $0.name == column }?.order
  }

  /// The collation that follows a value in a comparison with a column of a unique rule.
  private func collation(of column: String, _ table: TrackedTable) -> String {
    order(of: column, table)?.collationName.map { " COLLATE \($0)" } ?? ""
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
  func visibleReferrers(
    of rowKey: RowKey, by isIncluded: (ModuleTable.Reference) -> Bool = { _ in true }
  ) throws -> [RowKey] {
    try references(to: rowKey.table).filter { isIncluded($0.reference) }.flatMap { table, reference in
      var found = try visible(in: table, [reference.column], [rowKey.key[0]])
      if let property = table.properties.first(where: { $0.column.name == reference.column }) {
        let ids = try holders(of: rowKey.key[0], property.id, where: "status = 0")
        found += try ids.compactMap { try row($0)?.rowKey }
      }
      return found
    }
  }

  /// The visible rows that refer to the row by `.deny`, whether or not they show the reference.
  func visibleDenyReferrers(of rowKey: RowKey) throws -> [RowKey] {
    try visibleReferrers(of: rowKey) { $0.rule == .deny }
  }

  /// The rows whose cells hold a value.
  ///
  /// - Parameter collation: The collation in which the values are equal. With it, all values of the property are compared.
  private func holders(
    of value: ReplicatedValue, _ property: Int64, where condition: String, _ collation: String = ""
  ) throws -> [Int64] {
    try connection.rows(
      """
      SELECT id FROM \(SyncTables.rows) WHERE \(condition) AND id IN
        (SELECT row FROM \(SyncTables.cells) WHERE property = ?1 AND value = ?2\(collation) AND held >= 2)
      """, [.integer(property), value]
    ) { $0.integer(0) }
  }

  /// The keys of the rows in the table that have these values.
  ///
  /// - Parameter collations: What follows each value in the comparison.
  private func visible(
    in table: TrackedTable, _ columns: [String], _ values: [ReplicatedValue], _ collations: [String] = []
  ) throws -> [RowKey] {
    let keys = table.description.keys
    let condition = columns.enumerated().map { number, column in
      "\(column.quotedName) = ?\(number + 1)\(collations.isEmpty ? "" : collations[number])"
    }.joined(separator: " AND ")
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
    let collations = rule.map { collation(of: $0, table) }
    let found = try visible(in: table, rule, values, collations)
    var ids: Set<Int64> = []
    for (column, (value, collation)) in zip(rule, zip(values, collations)) {
      if let property = table.properties.first(where: { $0.column.name == column }) {
        // Of a visible row, only what it doesn't show is held.
        ids.formUnion(
          try holders(
            of: value, property.id, where: "(status = 0 OR \(SyncTables.isSetAside))", collation))
        if canonical([value], of: [column], table) == canonical([defaults[property.id] ?? .null], of: [column], table) {
          ids.formUnion(try setAside(in: table, lacking: property.id))
        }
      } else if let position = table.description.keys.firstIndex(where: { $0.name == column }) {
        ids.formUnion(try setAside(in: table, key: position, value, collation))
      }
    }
    let claimed = canonical(values, of: rule, table)
    let held = try ids.sorted().compactMap { try row($0) }.filter { other in
      let others = self.values(of: rule, in: other.state, hidden: [], table)
      return others.map { canonical($0, of: rule, table) } == claimed
    }
    return Set(found + held.map(\.rowKey)).subtracting([rowKey]).sorted()
  }

  /// The rows that are set aside, and come from a model that lacks a property or in which it is nil.
  private func setAside(in table: TrackedTable, lacking property: Int64) throws -> [Int64] {
    try connection.rows(
      """
      SELECT id FROM \(SyncTables.rows) WHERE table_id = ?1 AND \(SyncTables.isSetAside) AND NOT EXISTS
        (SELECT 1 FROM \(SyncTables.cells) AS cell WHERE cell.row = \(SyncTables.rows).id AND cell.property = ?2 \
        AND cell.value IS NOT NULL)
      """, [.integer(table.id), .integer(property)]
    ) { $0.integer(0) }
  }

  /// The rows that are set aside, and have a value in their key.
  private func setAside(
    in table: TrackedTable, key position: Int, _ value: ReplicatedValue, _ collation: String
  ) throws -> [Int64] {
    try connection.rows(
      """
      SELECT id FROM \(SyncTables.rows) WHERE table_id = ?1 AND key\(position + 1) = ?2\(collation) \
      AND \(SyncTables.isSetAside)
      """, [.integer(table.id), value]
    ) { $0.integer(0) }
  }
}
