import Foundation
import Larder

extension Tracker {
  // MARK: Fitting

  /// Frees the columns that a migration may drop or rename: SQLite refuses to drop a column that a trigger names.
  ///
  /// Columns that leave the model are no longer tracked; their values are held for replicas whose models have them.
  func prepareMigration() throws {
    guard try SyncTables.exist(connection) else { return }
    let models = try synced()
    for var table in try tracked() {
      guard let model = models.first(where: { $0.name == table.name }), try hasTable(table.name) else { continue }
      let present = try columns(of: table.name)
      let wanted = Set(model.columns.flatMap { [$0.name, $0.originalName].compactMap { $0 } })
      table.properties.removeAll { !present.contains($0.column.name) || !wanted.contains($0.column.name) }
      for property in try properties(of: table.id) {
        guard let column = property.column, !table.properties.contains(where: { $0.id == property.id }) else {
          continue
        }
        // What was added to a counter is kept anyway.
        if present.contains(column), !property.isCounter {
          try hold(column, property.id, of: table.description, table.id)
        }
        try setColumn(nil, of: property.id)
      }
      try dropTriggers(of: table.id)
      try createTriggers(of: table)
    }
  }

  /// Whether the file is tracked, and its triggers fit the models.
  func isFit() throws -> Bool {
    guard try SyncTables.exist(connection) else { return false }
    return try synced().allSatisfy(isFit) && unsynced().isEmpty
  }

  /// The tables that are tracked, and whose models no longer take part.
  private func unsynced() throws -> [TrackedTable] {
    let local = Set(try connection.tables.filter { !$0.syncs }.map(\.name))
    return local.isEmpty ? [] : try tracked().filter { local.contains($0.name) }
  }

  private func isFit(_ table: TableDescription) throws -> Bool {
    try connection.finds(
      "SELECT 1 FROM \(SyncTables.tables) WHERE name = ?1 AND description = ?2",
      [.init(table.name), .blob(try encoded(table))])
  }

  private func encoded(_ table: TableDescription) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(table)
  }

  /// Fits properties and triggers to the models that have changed. Rows that nobody has tracked yet become changes.
  ///
  /// Tables of models that this program doesn't declare stay as they are.
  func fit() throws {
    guard try SyncTables.exist(connection) else { return }
    let left = try unsynced()
    let changed = try synced().filter { try !isFit($0) }
    if changed.isEmpty, left.isEmpty { return }
    try checkModels()
    for table in left { try forget(table) }
    let isWider = try widenKeys(to: changed.map(\.keys.count).max() ?? 0)
    for table in changed { try fit(table) }
    for table in try tracked() where isWider || changed.contains(where: { $0.name == table.name }) {
      try dropTriggers(of: table.id)
      try createTriggers(of: table)
    }
  }

  /// Forgets what is known of the rows of a model that no longer takes part. The rows stay.
  private func forget(_ table: TrackedTable) throws {
    try dropTriggers(of: table.id)
    try forgetRows("table_id = \(table.id)")
    try connection.run(
      "UPDATE \(SyncTables.properties) SET column_name = NULL WHERE table_id = ?1", [.integer(table.id)])
    try connection.run("UPDATE \(SyncTables.tables) SET description = NULL WHERE id = ?1", [.integer(table.id)])
  }

  private func forgetRows(_ condition: String) throws {
    for table in [SyncTables.cells, SyncTables.counters, SyncTables.conflicts] {
      try connection.run("DELETE FROM \(table) WHERE row IN (SELECT id FROM \(SyncTables.rows) WHERE \(condition))")
    }
    try connection.run("DELETE FROM \(SyncTables.rows) WHERE \(condition)")
  }

  private func fit(_ table: TableDescription) throws {
    try connection.run(
      """
      INSERT INTO \(SyncTables.tables) (name, key_count, description) VALUES (?1, ?2, ?3)
        ON CONFLICT (name) DO UPDATE SET key_count = excluded.key_count, description = excluded.description
      """, [.init(table.name), .integer(Int64(table.keys.count)), .blob(try encoded(table))])
    guard let id = try tableID(of: table.name) else { return }
    try adoptUnknownRows(table, id)
    var known = try properties(of: id)
    // A column that declares its former name comes first: the name belongs to it.
    let ordered = table.columns.filter { $0.originalName != nil } + table.columns.filter { $0.originalName == nil }
    var added: [(column: TableDescription.Column, property: Int64)] = []
    var counters = added
    for column in ordered {
      let isLookedUp = TrackedTable.isLookedUp(column.name, in: table)
      let isTaken = { (name: String) in table.columns.contains { $0.name == name } }
      var property = known.first { $0.column == column.name }
      if property == nil, let original = column.originalName, !isTaken(original) {
        property = known.first { $0.column == original }
      }
      if property == nil {
        let name = Self.name(of: column, among: known)
        property = known.first { $0.name == name && $0.column == nil }
        if property == nil {
          try connection.run(
            "INSERT INTO \(SyncTables.properties) (table_id, name) VALUES (?1, ?2)", [.integer(id), .init(name)])
          property = try properties(of: id).first { $0.name == name }
        }
        if let property { added.append((column, property.id)) }
      }
      guard let property else { continue }
      try setColumn(column.name, of: property.id)
      try setLookedUp(isLookedUp, property.id)
      if column.counterRange != nil, !property.isCounter { counters.append((column, property.id)) }
      try connection.run(
        "UPDATE \(SyncTables.properties) SET is_counter = ?2 WHERE id = ?1",
        [.integer(property.id), .integer(column.counterRange == nil ? 0 : 1)])
      known = try properties(of: id)
    }
    try adopt(table, id)
    for addition in added where addition.column.counterRange == nil {
      try adopt(addition.column, addition.property, of: table, id)
    }
    if !counters.isEmpty || added.contains(where: { $0.column.counterRange != nil }) {
      // Others may have added something before this program knew the counter.
      try connection.run("UPDATE \(SyncTables.clock) SET settled = 0")
    }
    for counter in counters { try adoptCounter(counter.column, counter.property, of: table, id) }
  }

  /// Returns the name in the exchange of a column that has none yet: the one that it had first.
  private static func name(of column: TableDescription.Column, among known: [KnownProperty]) -> String {
    let first = column.originalName ?? column.name
    var (name, number) = (first, 1)
    while known.contains(where: { $0.name == name && $0.column != nil }) {
      number += 1
      name = "\(first)#\(number)"
    }
    return name
  }

  /// Takes up the rows that other replicas have sent for a table that no model had: the next exchange computes them.
  ///
  /// A row that is here already, because the model didn't take part before, is a new one.
  private func adoptUnknownRows(_ description: TableDescription, _ table: Int64) throws {
    guard try connection.finds("SELECT 1 FROM \(SyncTables.rows) WHERE table_id = ?1 AND status = 5", [.integer(table)])
    else { return }
    let known = SyncTables.rows + "."
    let keys = zip(SyncTables.keys(description.keys.count), description.keys)
      .map { "\(known)\($0) = +row.\($1.name.quotedName)" }.joined(separator: " AND ")
    try forgetRows(
      "table_id = \(table) AND status = 5 AND EXISTS (SELECT 1 FROM main.\(description.name.quotedName) AS row WHERE \(keys))"
    )
    try connection.run(
      "UPDATE \(SyncTables.rows) SET status = CASE length % 2 WHEN 1 THEN 2 ELSE 1 END WHERE table_id = ?1 AND status = 5",
      [.integer(table)])
    try connection.run("UPDATE \(SyncTables.clock) SET settled = 0")
  }

  /// Records rows that have no metadata, such as those that were there before tracking began.
  private func adopt(_ table: TableDescription, _ id: Int64) throws {
    let keys = table.keys.map { "row.\($0.name.quotedName)" }
    let names = SyncTables.keys(keys.count)
    let isKnown = zip(names, keys).map { "known.\($0) = +\($1)" }.joined(separator: " AND ")
    try connection.run(
      """
      INSERT INTO \(SyncTables.rows) (table_id, \(names.joined(separator: ", ")), length, time, replica, position)
        SELECT \(id), \(keys.joined(separator: ", ")), 1, clock.now + row_number() OVER (), clock.replica,
        clock.now + row_number() OVER () FROM main.\(table.name.quotedName) AS row, \(SyncTables.clock) AS clock
        WHERE NOT EXISTS (SELECT 1 FROM \(SyncTables.rows) AS known WHERE known.table_id = \(id) AND \(isKnown))
      """)
    try advanceClock()
  }

  /// Moves the clock past the positions that were given to several rows at once.
  private func advanceClock() throws {
    try connection.run(
      "UPDATE \(SyncTables.clock) SET now = max(now, (SELECT coalesce(max(position), 0) FROM \(SyncTables.rows)))")
  }

  /// Takes up a column that the table hasn't had before: values that other replicas have sent for it move into it, and
  /// those that a migration has computed are changes. A constant default is none, because every replica has it.
  private func adopt(
    _ column: TableDescription.Column, _ property: Int64, of table: TableDescription, _ id: Int64
  ) throws {
    let join = isRow(of: table, id)
    let name = column.name.quotedName
    let isDefault = column.constantDefault.map { "row.\(name) IS \(literal($0)) COLLATE BINARY" } ?? "0"
    try connection.run(SyncTables.tick)
    // Rows that were written since the last exchange are known to nobody; their own stamps do.
    try connection.run(
      """
      INSERT INTO \(SyncTables.cells) (row, property, length, time, replica)
        SELECT known.id, \(property), known.length, clock.now, clock.replica
        FROM main.\(table.name.quotedName) AS row CROSS JOIN \(SyncTables.rows) AS known ON \(join), \(SyncTables.clock) AS clock
        WHERE NOT (\(isDefault)) AND known.time <= clock.settled ON CONFLICT DO NOTHING
      """)
    try connection.run(
      """
      UPDATE \(SyncTables.rows) SET source = NULL, position = changed.position FROM
        (SELECT row, time + row_number() OVER () AS position FROM \(SyncTables.cells)
        WHERE property = \(property) AND time = (SELECT now FROM \(SyncTables.clock))) AS changed WHERE id = changed.row
      """)
    try advanceClock()
    let isHeld = "property = \(property) AND held BETWEEN 1 AND 3"
    guard try connection.finds("SELECT 1 FROM \(SyncTables.cells) WHERE \(isHeld)") else { return }
    // Rules decide about values that refer to rows or are unique: the next exchange computes all rows anew.
    if TrackedTable.isLookedUp(column.name, in: table) {
      return try connection.run("UPDATE \(SyncTables.clock) SET settled = 0")
    }
    let fits =
      "(cell.value IS NULL AND \(column.isOptional ? 1 : 0) OR typeof(cell.value) = \(column.storageClass.rawValue.lowercased().quotedLiteral))"
    let held = """
      FROM \(SyncTables.rows) AS known JOIN \(SyncTables.cells) AS cell ON cell.row = known.id \
      AND cell.property = \(property) AND cell.held BETWEEN 1 AND 3 AND \(fits) WHERE known.status = 0 AND \(join)
      """
    try connection.run(
      "UPDATE main.\(table.name.quotedName) AS row SET \(name) = (SELECT cell.value \(held)) WHERE EXISTS (SELECT 1 \(held))"
    )
    try connection.run(
      """
      UPDATE \(SyncTables.cells) SET held = 0, value = NULL WHERE \(isHeld)
        AND row IN (SELECT id FROM \(SyncTables.rows) WHERE table_id = \(id) AND status = 0)
      """)
  }

  /// Makes the values that a counter has without anyone having added them contributions of those who wrote them, which
  /// every replica does in the same way.
  private func adoptCounter(
    _ column: TableDescription.Column, _ property: Int64, of table: TableDescription, _ id: Int64
  ) throws {
    let name = column.name.quotedName
    func insert(_ value: String, _ source: String) -> String {
      """
      INSERT INTO \(SyncTables.counters) (row, property, replica, length, time, high, low)
        SELECT known.id, \(property), coalesce(cell.replica, known.replica), known.length - 1 + known.length % 2,
        coalesce(cell.time, known.time), \(value) >> 32, \(value) & 4294967295 FROM \(source)
        AND typeof(\(value)) = 'integer' AND \(value) <> 0
        AND NOT EXISTS (SELECT 1 FROM \(SyncTables.counters) WHERE row = known.id AND property = \(property))
      """
    }
    let cell = "\(SyncTables.cells) AS cell ON cell.row = known.id AND cell.property = \(property)"
    let shown = """
      main.\(table.name.quotedName) AS row CROSS JOIN \(SyncTables.rows) AS known ON \(isRow(of: table, id)) \
      LEFT JOIN \(cell) WHERE true
      """
    let held = "\(SyncTables.rows) AS known JOIN \(cell) WHERE known.table_id = \(id) AND cell.held BETWEEN 1 AND 3"
    try connection.run(insert("row.\(name)", shown))
    try connection.run(insert("cell.value", held))
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

  /// Holds the values of a column that leaves the model.
  private func hold(_ column: String, _ property: Int64, of table: TableDescription, _ id: Int64) throws {
    try connection.run(
      """
      INSERT INTO \(SyncTables.cells) (row, property, length, time, replica, held, value)
        SELECT known.id, \(property), known.length - 1 + known.length % 2, known.time, known.replica, 1, row.\(column.quotedName)
        FROM main.\(table.name.quotedName) AS row CROSS JOIN \(SyncTables.rows) AS known ON \(isRow(of: table, id)) WHERE true
        ON CONFLICT (row, property) DO UPDATE SET held = 1, value = excluded.value WHERE held IN (0, \(Holding.excess.rawValue))
      """)
  }

  /// The condition that `known` are the metadata of `row`.
  private func isRow(of table: TableDescription, _ id: Int64) -> String {
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
