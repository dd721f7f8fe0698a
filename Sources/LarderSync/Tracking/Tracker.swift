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
  /// - Throws: `StoreError` `.unsupported` for a file that Larder doesn't manage and for a model whose key is an
  ///   integer.
  func enable() throws {
    guard try !SyncTables.exist(connection) else { return }
    guard connection.isManaged else {
      throw StoreError(
        .unsupported, ofModel: nil,
        "Sync needs tables that Larder manages. Open the file without schema: .existing, or copy its rows into a store of Larder's own."
      )
    }
    try checkModels()
    TrackedFile.of(connection).forget(connection)
    for statement in SyncTables.create + SyncTables.createKeyIndexes(SyncTables.fewestKeys) {
      try connection.execute(statement)
    }
    for statement in SyncTables.createLaterIndexes + SyncTables.createNotes { try connection.execute(statement) }
    try connection.execute(TrackingTriggers.again)
    try connection.countAttachments(in: SyncFeature.heldValues)
    try connection.run("INSERT INTO \(SyncTables.replicas) (id, replica) VALUES (1, ?1)", [.blob(ReplicaID().bytes)])
    try connection.run("INSERT INTO \(SyncTables.clock) (id, now, replica, settled) VALUES (1, 0, 1, 0)")
    try connection.run(SyncTables.tick)
    try takeUpStaying()
    try fit()
    // Rows that were there already satisfy all rules.
    try connection.run("UPDATE \(SyncTables.clock) SET settled = now")
    try ReplicaFile(connection).identifyNew()
    try connection.setInUse(SyncTables.version, SyncFeature.self)
  }

  /// Ends the tracking, and forgets everything about it but which collections stay on this device: enabled again, the file
  /// is a new replica.
  func disable() throws {
    guard try SyncTables.exist(connection) else { return }
    TrackedFile.of(connection).forget(connection)
    try dropTriggers()
    try keepStaying()
    for table in SyncTables.all { try connection.execute("DROP TABLE IF EXISTS main.\(table)") }
    try connection.recountAttachments()
    try connection.setInUse(nil, SyncFeature.self)
  }

  /// Keeps the names of the collections that stay on this device, so that none of their documents leaves it if sync is
  /// enabled again.
  private func keepStaying() throws {
    let names = try localCollections().map(\.text).sorted()
    if names.isEmpty { return }
    try connection.execute(
      "CREATE TABLE IF NOT EXISTS main.\(SyncTables.staying) (name TEXT PRIMARY KEY NOT NULL) STRICT")
    for name in names {
      try connection.run("INSERT OR IGNORE INTO main.\(SyncTables.staying) (name) VALUES (?1)", [.init(name)])
    }
  }

  private func takeUpStaying() throws {
    let isThere = try connection.finds(
      "SELECT 1 FROM main.sqlite_master WHERE type = 'table' AND name = ?1", [.init(SyncTables.staying)])
    guard isThere else { return }
    try connection.execute(
      """
      INSERT INTO main.\(SyncTables.tables) (name, key_count, is_local) \
      SELECT name, 1, 1 FROM main.\(SyncTables.staying) WHERE true ON CONFLICT (name) DO UPDATE SET is_local = 1
      """)
    try connection.execute("DROP TABLE main.\(SyncTables.staying)")
  }

  /// Refuses models that can't be kept in sync.
  func checkModels() throws {
    try checkKeys()
    try checkReferences()
    try checkCounters()
  }

  /// Refuses keys that two devices would give to different rows, and keys that one row can have in several forms.
  func checkKeys() throws {
    for table in try synced() {
      guard let key = table.keys.first(where: { $0.order == .decimal }) else { continue }
      throw StoreError(
        .unsupported, ofModel: table.model, property: key.property,
        "\(table.model).\(key.property) is a Decimal in a key, and equal decimals can be written with different digits, such as 1.5 and 1.50, so two devices could know one row by different keys. Give \(table.model) a key that is unique everywhere, such as `var id: UUID = .v7()`, and make \(key.property) unique."
      )
    }
    for table in try synced() where table.isKeyCounted {
      throw StoreError(
        .unsupported, ofModel: table.model, property: table.keys.first?.property,
        "\(table.model).\(table.keys.first?.property ?? "id") is an integer that each device counts by itself, so two devices would give the same key to different rows. Give \(table.model) a key that is unique everywhere, such as `var id: UUID = .v7()`."
      )
    }
  }
}

extension Tracker {
  // MARK: What takes part

  /// The tables of the models, and the collections of documents, that take part in sync.
  func synced() throws -> [ModuleTable] {
    let models = try connection.tables.filter(\.syncs)
    guard try SyncTables.exist(connection) else { return models }
    let collections = try connection.collections
    if collections.isEmpty { return models }
    let local = try localCollections()
    return models
      + collections.filter { !local.contains(ExactName(CollectionName.exchange($0))) }.map(
        ModuleTable.init(collection:))
  }

  /// Refuses references between a model that takes part and one that doesn't, if they can't be kept.
  func checkReferences() throws {
    let tables = try connection.tables
    let local = Set(tables.filter { !$0.syncs }.map(\.name))
    for table in tables {
      for reference in table.references {
        let property = (table.keys + table.columns).first { $0.name == reference.column }?.property
        let target = tables.first { $0.name == reference.table }?.model ?? reference.table
        if table.syncs, local.contains(reference.table) {
          throw StoreError(
            .unsupported, ofModel: table.model, property: property,
            "\(table.model).\(property ?? reference.column) refers to \(target), whose rows stay on this device, so other devices couldn't show it. Let \(target) refer to \(table.model) instead, or remove syncs: false from it."
          )
        }
        if !table.syncs, !local.contains(reference.table), reference.rule == .deny || reference.rule == .noAction {
          throw StoreError(
            .unsupported, ofModel: table.model, property: property,
            "\(table.model).\(property ?? reference.column) would keep a \(target) from being deleted on this device alone. Use deleteRule: .cascade, or make it optional with .nullify."
          )
        }
      }
    }
  }

  /// Refuses unique rules over counters: the sum of a row may become that of another.
  func checkCounters() throws {
    for table in try synced() {
      for column in table.columns where column.counterRange != nil {
        guard table.uniqueRules.contains(where: { $0.contains(column.name) }) else { continue }
        throw StoreError(
          .unsupported, ofModel: table.model, property: column.property,
          "\(table.model).\(column.property) is a counter and part of a unique index, and the sums of two rows may become equal. Remove it from the index, or remove .counter."
        )
      }
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
    /// Whether replicas add up what each has added.
    let isCounter: Bool
    /// See ``TrackedTable/Property/absentUntil``.
    let absentUntil: Int64
  }

  func tableID(of name: String) throws -> Int64? {
    try connection.first("SELECT id FROM \(SyncTables.tables) WHERE name = ?1", [.init(name)]) { $0.integer(0) }
  }

  func properties(of table: Int64) throws -> [KnownProperty] {
    let absentUntil = try hasColumn("absent_until", in: SyncTables.properties) ? "absent_until" : "0"
    return try connection.rows(
      """
      SELECT id, name, column_name, is_looked_up, is_counter, \(absentUntil) FROM \(SyncTables.properties) \
      WHERE table_id = ?1 ORDER BY id
      """, [.integer(table)]
    ) { row in
      KnownProperty(
        id: row.integer(0), name: row.text(1), column: row.isNull(2) ? nil : row.text(2),
        isLookedUp: row.integer(3) != 0, isCounter: row.integer(4) != 0, absentUntil: row.integer(5))
    }
  }

  /// Returns the tables of models, as the last program that opened the file describes them.
  func tracked() throws -> [TrackedTable] {
    try connection.rows(
      "SELECT id, description FROM \(SyncTables.tables) WHERE description IS NOT NULL ORDER BY id", [],
      { row in (row.integer(0), row.bytes(1)) }
    ).map { id, description in
      let description = try KnownDescriptions.decode(description)
      let properties = try properties(of: id).compactMap { property -> TrackedTable.Property? in
        guard let column = description.columns.first(where: { $0.name == property.column }) else { return nil }
        return TrackedTable.Property(
          id: property.id, name: property.name, column: column, isLookedUp: property.isLookedUp,
          absentUntil: property.absentUntil, reference: description.references.first { $0.column == column.name })
      }
      return TrackedTable(id: id, description: description, properties: properties)
    }
  }

  /// The number of columns for keys.
  func keyCount() throws -> Int {
    try columns(of: SyncTables.rows).count { $0.hasPrefix("key") }
  }

  /// Makes room for keys with this number of values. Returns whether there was too little.
  @discardableResult
  func widenKeys(to count: Int) throws -> Bool {
    let present = try keyCount()
    guard present < count else { return false }
    TrackedFile.of(connection).forget(connection)
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

  func hasTable(_ name: String) throws -> Bool {
    try connection.finds("SELECT 1 FROM main.sqlite_master WHERE type = 'table' AND name = ?1", [.init(name)])
  }

  func columns(of table: String) throws -> [String] {
    try connection.rows("PRAGMA main.table_info(\(table.quotedName))") { $0.text(1) }
  }

  /// Whether metadata have a column that those of earlier versions lack.
  func hasColumn(_ column: String, in table: String) throws -> Bool {
    try isCurrent() || columns(of: table).contains(column)
  }

  func setColumn(_ column: String?, of property: Int64) throws {
    try change(
      "UPDATE \(SyncTables.properties) SET column_name = ?2 WHERE id = ?1",
      [.integer(property), column.map { .init($0) } ?? .null])
  }

  /// Values that are held already are found, or no longer found, by the value.
  func setLookedUp(_ isLookedUp: Bool, _ property: Int64) throws {
    let number = ReplicatedValue.integer(isLookedUp ? 1 : 0)
    guard
      try connection.finds(
        "SELECT 1 FROM \(SyncTables.properties) WHERE id = ?1 AND is_looked_up <> ?2", [.integer(property), number])
    else { return }
    try change(
      "UPDATE \(SyncTables.properties) SET is_looked_up = ?2 WHERE id = ?1", [.integer(property), number])
    try connection.run(
      "UPDATE \(SyncTables.cells) SET held = ?2 + 1 WHERE property = ?1 AND held IN (1, 2)",
      [.integer(property), number])
  }

  // MARK: Triggers

  func createTriggers(of table: TrackedTable) throws {
    for statement in TrackingTriggers(table: table, keyCount: try keyCount()).creation {
      try connection.execute(statement)
    }
  }

  /// - Parameter table: The number of the table; by default all.
  func dropTriggers(of table: Int64? = nil) throws {
    let names = try connection.rows(
      "SELECT name FROM main.sqlite_master WHERE type = 'trigger' AND name GLOB ?1",
      [.init("\(TrackingTriggers.prefix)\(table.map { "\($0)_" } ?? "")*")]
    ) { $0.text(0) }
    for name in names { try connection.execute("DROP TRIGGER main.\(name.quotedName)") }
  }
}
