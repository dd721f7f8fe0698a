import Foundation
import Larder

/// Switches the tracking of a file on and off, and fits it to the models.
struct Tracker {
  let connection: ModuleConnection

  init(_ connection: ModuleConnection) {
    self.connection = connection
  }

  // MARK: On and off

  /// Starts to track the file, in a transaction of the caller's. Rows that are there already are changes to send.
  ///
  /// - Throws: ``StoreError`` `.unsupported` for a file that Larder doesn't manage and for a model whose key is an
  ///   integer.
  func enable() throws {
    guard try !SyncTables.exist(connection) else { return }
    guard connection.isManaged else {
      throw StoreError(
        .unsupported, ofModel: nil,
        "Sync needs tables that Larder manages. Open the file without schema: .existing, or copy its rows into a store of Larder's own."
      )
    }
    try checkKeys()
    for statement in SyncTables.create + SyncTables.createKeyIndexes(SyncTables.fewestKeys) {
      try connection.execute(statement)
    }
    try connection.execute(TrackingTriggers.again)
    try connection.run("INSERT INTO \(SyncTables.replicas) (id, replica) VALUES (1, ?1)", [.blob(ReplicaID().bytes)])
    try connection.run("INSERT INTO \(SyncTables.clock) (id, now, replica, settled) VALUES (1, 0, 1, 0)")
    try connection.run(SyncTables.tick)
    try fit()
    // Rows that were there already satisfy all rules.
    try connection.run("UPDATE \(SyncTables.clock) SET settled = now")
    try connection.setInUse(true, SyncFeature.self)
  }

  /// Ends the tracking, and forgets everything about it: enabled again, the file is a new replica.
  func disable() throws {
    guard try SyncTables.exist(connection) else { return }
    try dropTriggers()
    for table in SyncTables.all { try connection.execute("DROP TABLE main.\(table)") }
    try connection.setInUse(false, SyncFeature.self)
  }

  /// Refuses keys that two devices would give to different rows.
  private func checkKeys() throws {
    for table in try connection.tables where table.isKeyCounted {
      throw StoreError(
        .unsupported, ofModel: table.model, property: table.keys.first?.property,
        "\(table.model).\(table.keys.first?.property ?? "id") is an integer that each device counts by itself, so two devices would give the same key to different rows. Give \(table.model) a key that is unique everywhere, such as `var id: UUID = .v7()`."
      )
    }
  }

  // MARK: Fitting

  /// Frees the columns that a migration may drop or rename: SQLite refuses to drop a column that a trigger names.
  ///
  /// Columns that leave the model are no longer tracked; their values are held for replicas whose models have them.
  func prepareMigration() throws {
    guard try SyncTables.exist(connection) else { return }
    let models = try connection.tables
    for var table in try tracked() {
      guard let model = models.first(where: { $0.name == table.name }), try hasTable(table.name) else { continue }
      let present = try columns(of: table.name)
      let wanted = Set(model.columns.flatMap { [$0.name, $0.originalName].compactMap { $0 } })
      table.properties.removeAll { !present.contains($0.column.name) || !wanted.contains($0.column.name) }
      for property in try properties(of: table.id) {
        guard let column = property.column, !table.properties.contains(where: { $0.id == property.id }) else {
          continue
        }
        if present.contains(column) { try hold(column, property.id, of: table.description, table.id) }
        try setColumn(nil, of: property.id)
      }
      try dropTriggers(of: table.id)
      try createTriggers(of: table)
    }
  }

  /// Whether the file is tracked, and its triggers fit the models.
  func isFit() throws -> Bool {
    guard try SyncTables.exist(connection) else { return false }
    return try connection.tables.allSatisfy(isFit)
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
    let changed = try connection.tables.filter { try !isFit($0) }
    if changed.isEmpty { return }
    try checkKeys()
    let isWider = try widenKeys(to: changed.map(\.keys.count).max() ?? 0)
    for table in changed { try fit(table) }
    for table in try tracked() where isWider || changed.contains(where: { $0.name == table.name }) {
      try dropTriggers(of: table.id)
      try createTriggers(of: table)
    }
  }

  private func fit(_ table: TableDescription) throws {
    try connection.run(
      """
      INSERT INTO \(SyncTables.tables) (name, key_count, description) VALUES (?1, ?2, ?3)
        ON CONFLICT (name) DO UPDATE SET key_count = excluded.key_count, description = excluded.description
      """, [.init(table.name), .integer(Int64(table.keys.count)), .blob(try encoded(table))])
    guard let id = try tableID(of: table.name) else { return }
    try adoptUnknownRows(id)
    var known = try properties(of: id)
    // A column that declares its former name comes first: the name belongs to it.
    let ordered = table.columns.filter { $0.originalName != nil } + table.columns.filter { $0.originalName == nil }
    var added: [(column: TableDescription.Column, property: Int64)] = []
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
      known = try properties(of: id)
    }
    try adopt(table, id)
    for addition in added { try adopt(addition.column, addition.property, of: table, id) }
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
  private func adoptUnknownRows(_ table: Int64) throws {
    guard try connection.finds("SELECT 1 FROM \(SyncTables.rows) WHERE table_id = ?1 AND status = 5", [.integer(table)])
    else { return }
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
    guard try connection.finds("SELECT 1 FROM \(SyncTables.cells) WHERE property = \(property) AND held <> 0") else {
      return
    }
    // Rules decide about values that refer to rows or are unique: the next exchange computes all rows anew.
    if TrackedTable.isLookedUp(column.name, in: table) {
      return try connection.run("UPDATE \(SyncTables.clock) SET settled = 0")
    }
    let fits =
      "(cell.value IS NULL AND \(column.isOptional ? 1 : 0) OR typeof(cell.value) = \(column.storageClass.rawValue.lowercased().quotedLiteral))"
    let held = """
      FROM \(SyncTables.rows) AS known JOIN \(SyncTables.cells) AS cell ON cell.row = known.id \
      AND cell.property = \(property) AND cell.held <> 0 AND \(fits) WHERE known.status = 0 AND \(join)
      """
    try connection.run(
      "UPDATE main.\(table.name.quotedName) AS row SET \(name) = (SELECT cell.value \(held)) WHERE EXISTS (SELECT 1 \(held))"
    )
    try connection.run(
      """
      UPDATE \(SyncTables.cells) SET held = 0, value = NULL WHERE property = \(property) AND held <> 0
        AND row IN (SELECT id FROM \(SyncTables.rows) WHERE table_id = \(id) AND status = 0)
      """)
  }

  /// Holds the values of a column that leaves the model.
  private func hold(_ column: String, _ property: Int64, of table: TableDescription, _ id: Int64) throws {
    try connection.run(
      """
      INSERT INTO \(SyncTables.cells) (row, property, length, time, replica, held, value)
        SELECT known.id, \(property), known.length - 1 + known.length % 2, known.time, known.replica, 1, row.\(column.quotedName)
        FROM main.\(table.name.quotedName) AS row CROSS JOIN \(SyncTables.rows) AS known ON \(isRow(of: table, id)) WHERE true
        ON CONFLICT (row, property) DO UPDATE SET held = 1, value = excluded.value WHERE held = 0
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

extension Tracker {
  // MARK: What is tracked

  /// A property as the file knows it.
  struct KnownProperty {
    let id: Int64
    let name: String
    /// The column that has its values; nil if no model of this program has it.
    let column: String?
    let isLookedUp: Bool
  }

  func tableID(of name: String) throws -> Int64? {
    try connection.first("SELECT id FROM \(SyncTables.tables) WHERE name = ?1", [.init(name)]) { $0.integer(0) }
  }

  func properties(of table: Int64) throws -> [KnownProperty] {
    try connection.rows(
      "SELECT id, name, column_name, is_looked_up FROM \(SyncTables.properties) WHERE table_id = ?1 ORDER BY id",
      [.integer(table)]
    ) { row in
      KnownProperty(
        id: row.integer(0), name: row.text(1), column: row.isNull(2) ? nil : row.text(2),
        isLookedUp: row.integer(3) != 0)
    }
  }

  /// Returns the tables of models, as the last program that opened the file describes them.
  func tracked() throws -> [TrackedTable] {
    try connection.rows(
      "SELECT id, description FROM \(SyncTables.tables) WHERE description IS NOT NULL ORDER BY id", [],
      { row in (row.integer(0), row.bytes(1)) }
    ).map { id, description in
      let description = try JSONDecoder().decode(TableDescription.self, from: description)
      let properties = try properties(of: id).compactMap { property -> TrackedTable.Property? in
        guard let column = description.columns.first(where: { $0.name == property.column }) else { return nil }
        return TrackedTable.Property(
          id: property.id, name: property.name, column: column, isLookedUp: property.isLookedUp,
          reference: description.references.first { $0.column == column.name })
      }
      return TrackedTable(id: id, description: description, properties: properties)
    }
  }

  /// The number of columns for keys.
  func keyCount() throws -> Int {
    try connection.rows("SELECT name FROM pragma_table_info('\(SyncTables.rows)') WHERE name GLOB 'key*'") {
      $0.text(0)
    }.count
  }

  /// Makes room for keys with this number of values. Returns whether there was too little.
  @discardableResult
  func widenKeys(to count: Int) throws -> Bool {
    let present = try keyCount()
    guard present < count else { return false }
    try connection.execute("DROP INDEX main.\(SyncTables.rows)_key")
    for key in SyncTables.keys(present).dropFirst() {
      try connection.execute("DROP INDEX main.\(SyncTables.rows)_\(key)")
    }
    for key in SyncTables.keys(count).dropFirst(present) {
      try connection.execute("ALTER TABLE main.\(SyncTables.rows) ADD COLUMN \(key) ANY NOT NULL DEFAULT 0")
    }
    for statement in SyncTables.createKeyIndexes(count) { try connection.execute(statement) }
    return true
  }

  private func hasTable(_ name: String) throws -> Bool {
    try connection.finds("SELECT 1 FROM main.sqlite_master WHERE type = 'table' AND name = ?1", [.init(name)])
  }

  private func columns(of table: String) throws -> [String] {
    try connection.rows("SELECT name FROM pragma_table_info(?1, 'main')", [.init(table)]) { $0.text(0) }
  }

  private func setColumn(_ column: String?, of property: Int64) throws {
    try connection.run(
      "UPDATE \(SyncTables.properties) SET column_name = ?2 WHERE id = ?1",
      [.integer(property), column.map { .init($0) } ?? .null])
  }

  /// Values that are held already are found, or no longer found, by the value.
  private func setLookedUp(_ isLookedUp: Bool, _ property: Int64) throws {
    let number = ReplicatedValue.integer(isLookedUp ? 1 : 0)
    guard
      try connection.finds(
        "SELECT 1 FROM \(SyncTables.properties) WHERE id = ?1 AND is_looked_up <> ?2", [.integer(property), number])
    else { return }
    try connection.run(
      "UPDATE \(SyncTables.properties) SET is_looked_up = ?2 WHERE id = ?1", [.integer(property), number])
    try connection.run(
      "UPDATE \(SyncTables.cells) SET held = ?2 + 1 WHERE property = ?1 AND held IN (1, 2)",
      [.integer(property), number])
  }

  // MARK: Triggers

  private func createTriggers(of table: TrackedTable) throws {
    for statement in TrackingTriggers(table: table, keyCount: try keyCount()).creation {
      try connection.execute(statement)
    }
  }

  /// - Parameter table: The number of the table; by default all.
  private func dropTriggers(of table: Int64? = nil) throws {
    let names = try connection.rows(
      "SELECT name FROM main.sqlite_master WHERE type = 'trigger' AND name GLOB ?1",
      [.init("\(TrackingTriggers.prefix)\(table.map { "\($0)_" } ?? "")*")]
    ) { $0.text(0) }
    for name in names { try connection.execute("DROP TRIGGER main.\(name.quotedName)") }
  }
}
