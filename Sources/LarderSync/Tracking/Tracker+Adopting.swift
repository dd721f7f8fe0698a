import Larder

extension Tracker {
  // MARK: Adopting

  /// Takes up the rows that other replicas have sent for a table that no model had. Which of them are visible is still to be
  /// computed.
  ///
  /// A row that is here already, because the model didn't take part before, is brought together with what was sent. A row
  /// whose key has more values than the model's is none of it.
  ///
  /// - Returns: Whether there were any.
  func adoptUnknownRows(_ description: ModuleTable, _ table: Int64) throws -> Bool {
    guard try connection.finds("SELECT 1 FROM \(SyncTables.rows) WHERE table_id = ?1 AND status = 5", [.integer(table)])
    else { return false }
    let excess = SyncTables.keys(try keyCount()).dropFirst(description.keys.count).map { "\($0) IS NOT 0" }
    if !excess.isEmpty {
      try forgetRows("table_id = \(table) AND status = 5 AND (\(excess.joined(separator: " OR ")))")
    }
    try reconcile(description, table)
    try connection.run(
      "UPDATE \(SyncTables.rows) SET status = CASE length % 2 WHEN 1 THEN 2 ELSE 1 END WHERE table_id = ?1 AND status = 5",
      [.integer(table)])
    try connection.run("UPDATE \(SyncTables.clock) SET settled = 0")
    return true
  }

  /// Records rows that have no metadata, such as those that were there before tracking began.
  func adopt(_ table: ModuleTable, _ id: Int64) throws {
    let keys = table.keys.map { "row.\($0.name.quotedName)" }
    let names = SyncTables.keys(keys.count)
    let isKnown = zip(names, keys).map { "known.\($0) = +\($1)" }.joined(separator: " AND ")
    try counting(in: table, id) {
      try connection.run(
        """
        INSERT INTO \(SyncTables.rows) (table_id, \(names.joined(separator: ", ")), length, time, replica, position)
          SELECT \(id), \(keys.joined(separator: ", ")), \(SyncTables.firstLength(id, keys)),
          clock.now + row_number() OVER (), clock.replica, clock.now + row_number() OVER () FROM main.\(table.name.quotedName) AS row, \(SyncTables.clock) AS clock
          WHERE NOT EXISTS (SELECT 1 FROM \(SyncTables.rows) AS known WHERE known.table_id = \(id) AND \(isKnown))
        """)
      try advanceClock()
    }
  }

  /// Moves the clock past the positions that were given to several rows at once.
  func advanceClock() throws {
    try connection.run(
      "UPDATE \(SyncTables.clock) SET now = max(now, (SELECT coalesce(max(position), 0) FROM \(SyncTables.rows)))")
  }

  /// Takes up a column that the table hasn't had before: values that other replicas have sent for it move into it, and
  /// those that a migration has computed are changes. A constant default is none: nobody has written it.
  ///
  /// - Parameter time: The time up to which rows were known before the table had the column. Those that were recorded
  ///   since have the value from their insertion.
  /// - Returns: Whether the property can't have a value that was sent for it, so that its row must be set aside.
  func adopt(
    _ column: ModuleTable.Column, _ property: Int64, of table: ModuleTable, _ id: Int64, knownUpTo time: Int64
  ) throws -> Bool {
    let join = isRow(of: table, id)
    let name = column.name.quotedName
    let isDefault = isDefault(column)
    try connection.run(SyncTables.tick)
    try connection.run(
      """
      INSERT INTO \(SyncTables.cells) (row, property, length, time, replica)
        SELECT known.id, \(property), known.length - 1 + known.length % 2, clock.now, clock.replica
        FROM main.\(table.name.quotedName) AS row CROSS JOIN \(SyncTables.rows) AS known ON \(join), \(SyncTables.clock) AS clock
        WHERE NOT (\(isDefault)) AND known.time <= ?1 ON CONFLICT DO NOTHING
      """, [.integer(time)])
    try connection.run(
      """
      UPDATE \(SyncTables.rows) SET source = NULL, position = changed.position FROM
        (SELECT row, time + row_number() OVER () AS position FROM \(SyncTables.cells)
        WHERE property = \(property) AND time = (SELECT now FROM \(SyncTables.clock))) AS changed WHERE id = changed.row
      """)
    try advanceClock()
    try change(
      """
      UPDATE \(SyncTables.properties) SET absent_until = ?3 WHERE id = ?1 AND EXISTS
        (SELECT 1 FROM \(SyncTables.rows) AS known WHERE table_id = ?2 AND status = 0 AND time <= ?3 AND NOT EXISTS
        (SELECT 1 FROM \(SyncTables.cells) WHERE row = known.id AND property = ?1))
      """, [.integer(property), .integer(id), .integer(time)])
    let isHeld = "property = \(property) AND held BETWEEN 1 AND 3"
    guard try connection.finds("SELECT 1 FROM \(SyncTables.cells) WHERE \(isHeld)") else { return false }
    // Rules decide about values that refer to rows or are unique: the next exchange computes all rows anew.
    if TrackedTable.isLookedUp(column.name, in: table) {
      try connection.run("UPDATE \(SyncTables.clock) SET settled = 0")
      return false
    }
    if try hasStrange(column, isHeld) {
      try connection.run("UPDATE \(SyncTables.clock) SET settled = 0")
      return true
    }
    let fits =
      "(cell.value IS NULL AND \(column.isOptional ? 1 : 0) OR typeof(cell.value) = \(column.storageClass.rawValue.lowercased().quotedLiteral))"
    let held = """
      FROM \(SyncTables.rows) AS known JOIN \(SyncTables.cells) AS cell ON cell.row = known.id \
      AND cell.property = \(property) AND cell.held BETWEEN 1 AND 3 AND \(fits) WHERE known.status = 0 AND \(join)
      """
    try connection.clampingSums {
      try connection.run(
        "UPDATE main.\(table.name.quotedName) AS row SET \(name) = (SELECT cell.value \(held)) WHERE EXISTS (SELECT 1 \(held))"
      )
    }
    let isVisible = "row IN (SELECT id FROM \(SyncTables.rows) WHERE table_id = \(id) AND status = 0)"
    try connection.run(
      "UPDATE \(SyncTables.cells) AS cell SET held = 0, value = NULL WHERE \(isHeld) AND \(fits) AND \(isVisible)")
    // The others are of another type. The next exchange computes whether the column can show them in its own form.
    if try connection.finds("SELECT 1 FROM \(SyncTables.cells) WHERE \(isHeld) AND \(isVisible)") {
      try connection.run("UPDATE \(SyncTables.clock) SET settled = 0")
    }
    return false
  }

  /// Whether a value of the right storage class is held for a column that its property doesn't have.
  private func hasStrange(_ column: ModuleTable.Column, _ isHeld: String) throws -> Bool {
    guard column.valueTest != nil || column.storageClass == .text else { return false }
    return try connection.contains("SELECT value FROM \(SyncTables.cells) WHERE \(isHeld)") { row in
      let value = row.value(0)
      return value.fits(column.storageClass) && !value.isReadable(column.storageClass, column.valueTest)
    }
  }

  /// The condition that `row` shows the constant default of a column.
  private func isDefault(_ column: ModuleTable.Column) -> String {
    column.constantDefault.map { "row.\(column.name.quotedName) IS \(literal($0)) COLLATE BINARY" } ?? "0"
  }

  /// Makes the defaults that nobody has written, and that a table shows, values that were written with the rows.
  ///
  /// - Parameter condition: What holds for the rows.
  private func recordDefaults(
    _ property: Int64, _ absentUntil: Int64, of table: ModuleTable, _ id: Int64, where condition: String
  ) throws {
    try connection.run(
      """
      INSERT INTO \(SyncTables.cells) (row, property, length, time, replica)
        SELECT known.id, \(property), known.length - 1 + known.length % 2, known.time, known.replica
        FROM main.\(table.name.quotedName) AS row CROSS JOIN \(SyncTables.rows) AS known ON \(isRow(of: table, id))
        WHERE known.status = 0 AND \(isAbsent(property, absentUntil)) AND (\(condition))
        ON CONFLICT (row, property) DO UPDATE SET length = excluded.length, time = excluded.time,
        replica = excluded.replica WHERE time = 0
      """)
  }

  private func isAbsent(_ property: Int64, _ absentUntil: Int64) -> String {
    """
    (known.time <= \(absentUntil) OR EXISTS (SELECT 1 FROM \(SyncTables.cells) AS cell WHERE cell.row = known.id \
    AND cell.property = \(property) AND cell.time = 0))
    """
  }

  /// Keeps what the table shows of properties whose default is another one in the new model: the rows have it from now on, and
  /// others get it.
  ///
  /// - Parameter former: The table as the former model describes it.
  func keepDefaults(of former: TrackedTable, in table: ModuleTable, _ id: Int64) throws {
    let known = try properties(of: id)
    for property in former.registers {
      guard let name = known.first(where: { $0.id == property.id })?.column,
        let column = table.columns.first(where: { $0.name.isSameColumn(as: name) }),
        column.constantDefault != property.column.constantDefault
      else { continue }
      try move(
        "known.table_id = \(id) AND known.status = 0 AND \(isAbsent(property.id, property.absentUntil))",
        "source = NULL")
      try recordDefaults(property.id, property.absentUntil, of: table, id, where: "true")
    }
  }

  /// Records as written what a table shows of properties that nobody has written, if it isn't the default: a program that
  /// nobody followed has written it.
  func recordUntrackedValues(of table: TrackedTable, _ present: [String]) throws {
    for property in table.registers where present.contains(where: property.column.name.isSameColumn(as:)) {
      try recordDefaults(
        property.id, property.absentUntil, of: table.description, table.id, where: "NOT (\(isDefault(property.column)))"
      )
    }
  }

  /// Makes the values that a counter has without anyone having added them contributions of those who wrote them, which
  /// every replica does in the same way.
  func adoptCounter(
    _ column: ModuleTable.Column, _ property: Int64, of table: ModuleTable, _ id: Int64
  ) throws {
    let name = column.name.quotedName
    func insert(_ value: String, _ source: String) -> String {
      """
      INSERT INTO \(SyncTables.counters) (row, property, replica, length, time, high, low)
        SELECT known.id, \(property), coalesce(cell.replica, known.replica), known.length - 1 + known.length % 2,
        coalesce(nullif(cell.time, 0), known.time), \(value) >> 32, \(value) & 4294967295 FROM \(source)
        AND typeof(\(value)) = 'integer' AND \(value) <> 0
        AND NOT EXISTS (SELECT 1 FROM \(SyncTables.counters) WHERE row = known.id AND property = \(property))
      """
    }
    let cell = "\(SyncTables.cells) AS cell ON cell.row = known.id AND cell.property = \(property)"
    let shown = """
      main.\(table.name.quotedName) AS row CROSS JOIN \(SyncTables.rows) AS known ON \(isRow(of: table, id)) \
      LEFT JOIN \(cell) WHERE known.status = 0
      """
    let held = "\(SyncTables.rows) AS known JOIN \(cell) WHERE known.table_id = \(id) AND cell.held BETWEEN 1 AND 3"
    try connection.run(insert("row.\(name)", shown))
    try connection.run(insert("cell.value", held))
    // What this replica has added before its file was last identified was certainly added in it.
    try connection.run(
      """
      UPDATE \(SyncTables.counters) SET confirmed_length = length, confirmed_time = time, confirmed_high = high, \
      confirmed_low = low WHERE property = ?1 AND confirmed_time IS NULL \
      AND replica = (SELECT replica FROM \(SyncTables.clock)) AND time <= (SELECT identified FROM \(SyncTables.clock))
      """, [.integer(property)])
    try connection.run("DELETE FROM \(SyncTables.cells) WHERE property = ?1", [.integer(property)])
    try connection.run(
      """
      UPDATE \(SyncTables.rows) SET source = NULL, position = changed.position FROM
        (SELECT row, clock.now + row_number() OVER () AS position FROM
        (SELECT DISTINCT row FROM \(SyncTables.counters) WHERE property = \(property)), \(SyncTables.clock) AS clock) AS changed
        WHERE id = changed.row
      """)
    try advanceClock()
  }

  /// The condition that `known` are the metadata of `row`.
  func isRow(of table: ModuleTable, _ id: Int64) -> String {
    let keys = zip(SyncTables.keys(table.keys.count), table.keys)
    return "known.table_id = \(id) AND "
      + keys.map { "known.\($0) = +row.\($1.name.quotedName)" }.joined(separator: " AND ")
  }

  private func literal(_ value: Value) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let value): "\(value)"
    case .real(let value): value.isFinite ? "\(value)" : "NULL"
    case .text(let value): value.quotedLiteral
    case .blob(let value): "x'" + value.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
    }
  }
}
