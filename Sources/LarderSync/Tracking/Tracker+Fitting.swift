import Foundation
import Larder

extension Tracker {
  // MARK: Fitting

  /// Whether the file is tracked, and its triggers fit the models.
  func isFit() throws -> Bool {
    guard try SyncTables.exist(connection), try isCurrent() else { return false }
    return try synced().allSatisfy(isFit) && unsynced().isEmpty && untracked().isEmpty
  }

  /// The tables that are tracked, and no longer take part or are gone.
  private func unsynced() throws -> [TrackedTable] {
    let local = try localModels()
    let collections = Set(try synced().filter(\.isCollection).map { ExactName($0.exchangeName) })
    return try tracked().filter { table in
      let name = ExactName(table.name)
      return try table.isCollection ? !collections.contains(name) : local.contains(name) || isGone(table)
    }
  }

  /// The tables that are tracked, and whose models no longer take part.
  func leaving() throws -> [TrackedTable] {
    let local = try localModels()
    return try tracked().filter { !$0.isCollection && local.contains(ExactName($0.name)) }
  }

  /// The names of the tables whose models don't take part.
  private func localModels() throws -> Set<ExactName> {
    Set(try connection.tables.filter { !$0.syncs }.map { ExactName($0.name) })
  }

  private func isFit(_ table: ModuleTable) throws -> Bool {
    // Of a model that it doesn't declare, this program knows less than the one that described it.
    if table.isDescribed, try hasDescription(table) { return true }
    return try connection.finds(
      "SELECT 1 FROM \(SyncTables.tables) WHERE name = ?1 AND description = ?2",
      [.init(table.exchangeName), .blob(try encoded(table))])
  }

  private func hasDescription(_ table: ModuleTable) throws -> Bool {
    try connection.finds(
      "SELECT 1 FROM \(SyncTables.tables) WHERE name = ?1 AND description IS NOT NULL", [.init(table.exchangeName)])
  }

  /// Whether the indexes and triggers are those that this version of the package makes.
  func isCurrent() throws -> Bool {
    try connection.version(of: SyncFeature.self) ?? 0 >= SyncTables.version
  }

  /// Makes the indexes and triggers anew that an earlier version of the package has made, and the tables that it lacks.
  ///
  /// A program that opens the store without sync exchanges as well.
  func upgrade() throws {
    if try isCurrent() { return }
    TrackedFile.of(connection).forget(connection)
    let keyCount = try keyCount()
    for name in ["set_aside"] + SyncTables.keys(keyCount).dropFirst() {
      try connection.execute("DROP INDEX IF EXISTS main.\(SyncTables.rows)_\(name)")
    }
    for statement in SyncTables.createPartialKeyIndexes(keyCount) { try connection.execute(statement) }
    try connection.execute(SyncTables.createForgotten)
    if try !columns(of: SyncTables.forgotten).contains("length") {
      for column in ["replica", "length"] {
        try connection.execute(
          "ALTER TABLE main.\(SyncTables.forgotten) ADD COLUMN \(column) INTEGER NOT NULL DEFAULT 0")
      }
    }
    if try !columns(of: SyncTables.forgotten).contains("row_key") {
      try connection.execute(
        "ALTER TABLE main.\(SyncTables.forgotten) ADD COLUMN table_id INTEGER NOT NULL DEFAULT 0")
      try connection.execute("ALTER TABLE main.\(SyncTables.forgotten) ADD COLUMN row_key TEXT")
    }
    if try !columns(of: SyncTables.replaced).contains("writer") {
      try connection.execute("DROP TABLE IF EXISTS main.\(SyncTables.replaced)")
    }
    for statement in SyncTables.createLaterIndexes + SyncTables.createNotes { try connection.execute(statement) }
    if try !columns(of: SyncTables.tables).contains("left_at") {
      try connection.execute("ALTER TABLE main.\(SyncTables.tables) ADD COLUMN left_at INTEGER")
    }
    let columns = try columns(of: SyncTables.replicas)
    for column in ["begun_after", "sent_after", "is_unrecorded"] where !columns.contains(column) {
      try connection.execute(
        "ALTER TABLE main.\(SyncTables.replicas) ADD COLUMN \(column) INTEGER NOT NULL DEFAULT 0")
    }
    if try !self.columns(of: SyncTables.clock).contains("renewed_at") {
      try connection.execute(
        "ALTER TABLE main.\(SyncTables.clock) ADD COLUMN renewed_at INTEGER NOT NULL DEFAULT 0")
    }
    if try !self.columns(of: SyncTables.properties).contains("absent_until") {
      try connection.execute(
        "ALTER TABLE main.\(SyncTables.properties) ADD COLUMN absent_until INTEGER NOT NULL DEFAULT 0")
    }
    try renewTriggers()
    // Earlier versions didn't record which rows could not be read.
    try connection.execute(
      "INSERT OR IGNORE INTO \(SyncTables.unjudged) (table_id, row) SELECT table_id, id FROM \(SyncTables.rows) WHERE \(SyncTables.isSetAside)"
    )
    // Earlier versions didn't record what they have handed out.
    let file = try ReplicaFile(connection)
    if try !file.isCopy() { try file.confirmIdentity() }
    try connection.setInUse(SyncTables.version, SyncFeature.self)
  }

  /// Makes all triggers anew, except those that another program has removed: they are made when what it has done is
  /// recorded.
  func renewTriggers() throws {
    let lost = Set(try untracked().map(\.id))
    try dropTriggers()
    try connection.execute(TrackingTriggers.again)
    for table in try tracked() where !lost.contains(table.id) {
      if try hasTable(table.description.name) { try createTriggers(of: table) }
    }
  }

  private func encoded(_ table: ModuleTable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(table)
  }

  /// Fits properties and triggers to the models that have changed. Rows that nobody has tracked yet become changes.
  ///
  /// Tables of models that this program doesn't declare stay as they are.
  ///
  /// - Parameter isMigrated: Whether a migration with sync has just changed the tables. Triggers that are gone went with
  ///   it then.
  func fit(isMigrated: Bool = false) throws {
    guard try SyncTables.exist(connection) else { return }
    try upgrade()
    let left = try unsynced()
    let lost = try untracked()
    let changed = try synced().filter { try !isFit($0) }
    if changed.isEmpty, left.isEmpty, lost.isEmpty { return }
    try checkModels()
    for table in lost { try recover(table, isMigrated: isMigrated) }
    for table in left { try !isMigrated && isGone(table) ? recordRemoval(of: table) : leave(table) }
    let isWider = try widenKeys(to: changed.map(\.keys.count).max() ?? 0)
    // Of others, rows were held for a table that takes part again, or for the first time.
    var hasHeldRows = false
    for table in changed { hasHeldRows = try fit(table) || hasHeldRows }
    let names = Set((changed.map(\.exchangeName) + lost.map(\.name)).map(ExactName.init))
    for table in try tracked() where isWider || names.contains(ExactName(table.name)) {
      try dropTriggers(of: table.id)
      try createTriggers(of: table)
    }
    if hasHeldRows { try ReplicaFile(connection).showHeldRows() }
  }

  /// Keeps what is known of the rows of a model that no longer takes part, like that of a table that no model has. The rows
  /// stay, and nobody follows what is done to them.
  func leave(_ table: TrackedTable) throws {
    try dropTriggers(of: table.id)
    try holdRows(of: table)
    try noteLeaving(table.id)
    try release(table)
  }

  /// Records that this program doesn't have the table any longer.
  func release(_ table: TrackedTable) throws {
    try change(
      "UPDATE \(SyncTables.properties) SET column_name = NULL WHERE table_id = ?1", [.integer(table.id)])
    if try hasColumn("absent_until", in: SyncTables.properties) {
      try change("UPDATE \(SyncTables.properties) SET absent_until = 0 WHERE table_id = ?1", [.integer(table.id)])
    }
    try change("UPDATE \(SyncTables.tables) SET description = NULL WHERE id = ?1", [.integer(table.id)])
  }

  func forgetRows(_ condition: String) throws {
    for table in [SyncTables.cells, SyncTables.counters, SyncTables.conflicts] {
      try connection.run("DELETE FROM \(table) WHERE row IN (SELECT id FROM \(SyncTables.rows) WHERE \(condition))")
    }
    try connection.run("DELETE FROM \(SyncTables.rows) WHERE \(condition)")
  }

  /// Whether visible rows have values in another form than others have written them: the new model may have a third one.
  private func hasConvertedValues(_ table: ModuleTable) throws -> Bool {
    try connection.finds(
      """
      SELECT 1 FROM \(SyncTables.cells) AS cell JOIN \(SyncTables.rows) AS row ON row.id = cell.row
        JOIN \(SyncTables.properties) AS property ON property.id = cell.property
        JOIN \(SyncTables.tables) AS known ON known.id = row.table_id AND known.name = ?1
        WHERE cell.held BETWEEN 1 AND 2 AND row.status = 0 AND property.column_name IS NOT NULL LIMIT 1
      """, [.init(table.exchangeName)])
  }

  /// Returns whether rows were held for the table, or values that its properties can't have: they are computed with the same
  /// commit.
  private func fit(_ table: ModuleTable) throws -> Bool {
    let time = try connection.first("SELECT now FROM \(SyncTables.clock)") { $0.integer(0) } ?? 0
    let former =
      try hasDescription(table) ? tracked().first { ExactName($0.name) == ExactName(table.exchangeName) } : nil
    try rename(of: table)
    if try hasDescription(table) {
      // Rows that the former model kept from being visible may be complete for this one.
      try unsettle()
      if try hasConvertedValues(table) { try connection.run("UPDATE \(SyncTables.clock) SET settled = 0") }
    }
    try change(
      """
      INSERT INTO \(SyncTables.tables) (name, key_count, description) VALUES (?1, ?2, ?3)
        ON CONFLICT (name) DO UPDATE SET key_count = excluded.key_count, description = excluded.description
      """, [.init(table.exchangeName), .integer(Int64(table.keys.count)), .blob(try encoded(table))])
    guard let id = try tableID(of: table.exchangeName) else { return false }
    try releasePositions(of: table, id)
    var known = try properties(of: id)
    // A column that declares its former name comes first: the name belongs to it.
    let ordered = table.columns.filter { $0.originalName != nil } + table.columns.filter { $0.originalName == nil }
    var added: [(column: ModuleTable.Column, property: Int64)] = []
    var counters = added
    for column in ordered {
      let isLookedUp = TrackedTable.isLookedUp(column.name, in: table)
      var property = known.first { $0.column?.isSameColumn(as: column.name) == true }
      if property == nil {
        let name = Self.name(of: column, among: known)
        property = known.first { $0.name == name && $0.column == nil }
        if property == nil {
          try change(
            "INSERT INTO \(SyncTables.properties) (table_id, name) VALUES (?1, ?2)", [.integer(id), .init(name)])
          property = try properties(of: id).first { $0.name == name }
        }
        if let property { added.append((column, property.id)) }
      }
      guard let property else { continue }
      try checkName(of: property, column, table, among: known)
      try setColumn(column.name, of: property.id)
      try setLookedUp(isLookedUp, property.id)
      if column.counterRange != nil, !property.isCounter { counters.append((column, property.id)) }
      try change(
        "UPDATE \(SyncTables.properties) SET is_counter = ?2 WHERE id = ?1",
        [.integer(property.id), .integer(column.counterRange == nil ? 0 : 1)])
      known = try properties(of: id)
    }
    try recordReturns(to: table, id)
    // Before rows are brought together with what is held of them: what others have added to those is in what is held.
    for counter in counters { try adoptCounter(counter.column, counter.property, of: table, id) }
    let hasHeldRows = try adoptUnknownRows(table, id)
    try adopt(table, id)
    if table.isCollection { return hasHeldRows }
    if let former { try keepDefaults(of: former, in: table, id) }
    var hasStrangeValues = false
    for addition in added where addition.column.counterRange == nil {
      let isStrange = try adopt(addition.column, addition.property, of: table, id, knownUpTo: time)
      hasStrangeValues = isStrange || hasStrangeValues
    }
    if !counters.isEmpty || added.contains(where: { $0.column.counterRange != nil }) {
      // Others may have added something before this program knew the counter.
      try connection.run("UPDATE \(SyncTables.clock) SET settled = 0")
    }
    return hasHeldRows || hasStrangeValues
  }

  /// Refuses a column that other files of the same models would know by another name, because an `originalName` is gone.
  private func checkName(
    of property: KnownProperty, _ column: ModuleTable.Column, _ table: ModuleTable, among known: [KnownProperty]
  ) throws {
    if table.isCollection || Self.isNamed(property, column, table, among: known) { return }
    let name = column.originalName ?? column.name
    throw StoreError(
      .unsupported, ofModel: table.model, property: column.property,
      "\(table.model).\(column.property) has the name \(property.name) in the exchange, because it had that name first, and a new file would call it \(name): replicas wouldn't know that it is one property. Write @Attribute(originalName: \"\(property.name)\") there, and keep it."
    )
  }

  /// Returns whether a new file would give the property of a column the name that it has in the exchange.
  private static func isNamed(
    _ property: KnownProperty, _ column: ModuleTable.Column, _ table: ModuleTable, among known: [KnownProperty]
  ) -> Bool {
    let name = column.originalName ?? column.name
    if property.name == name { return true }
    guard property.name.hasPrefix("\(name)#") else { return false }
    // A new file numbers the name as well if another column of the model has it.
    return known.contains { other in
      other.name == name
        && other.column.map { held in table.columns.contains { $0.name.isSameColumn(as: held) } } == true
    }
  }

  /// Takes the order of rows from properties that a new file wouldn't know: earlier versions made another property of it
  /// once its reference was renamed.
  private func releasePositions(of table: ModuleTable, _ id: Int64) throws {
    let known = try properties(of: id)
    let positions = table.references.map { ModuleTable.positionColumn(of: $0.column) }
    for column in table.columns where positions.contains(column.name) {
      guard let property = known.first(where: { $0.column?.isSameColumn(as: column.name) == true }),
        !Self.isNamed(property, column, table, among: known)
      else { continue }
      // They would record what is held for the column as changes of the other property.
      try dropTriggers(of: id)
      let name = column.originalName ?? column.name
      if let former = known.first(where: { $0.name == name && $0.column == nil }) {
        try dropFormerPositions(former.id, insteadOf: property.id, column.name, of: table, id)
      }
      try hold(column.name, property, of: table, id)
      try setColumn(nil, of: property.id)
    }
  }

  /// Drops the positions that are held from before a reference was renamed, of the rows of each order that was changed since:
  /// what the table shows of them is a change then.
  ///
  /// Positions that an earlier version made when it took them for another property were written at one time.
  private func dropFormerPositions(
    _ former: Int64, insteadOf property: Int64, _ column: String, of table: ModuleTable, _ id: Int64
  ) throws {
    guard let reference = table.references.first(where: { ModuleTable.positionColumn(of: $0.column) == column }) else {
      return
    }
    let owner = "row.\(reference.column.quotedName)"
    let rows = "\(SyncTables.rows) AS known ON \(isRow(of: table, id))"
    let source = "main.\(table.name.quotedName) AS row CROSS JOIN \(rows)"
    try connection.run(
      """
      DELETE FROM \(SyncTables.cells) WHERE property = ?1 AND held BETWEEN 1 AND 2 AND row IN (
        SELECT known.id FROM \(source) WHERE \(owner) IN (
          SELECT \(owner) FROM \(source) JOIN \(SyncTables.cells) AS cell ON cell.row = known.id AND cell.property = ?2
          LEFT JOIN \(SyncTables.cells) AS former ON former.row = known.id AND former.property = ?1
          WHERE cell.time > coalesce(former.time, known.time) AND NOT EXISTS (
            SELECT 1 FROM \(SyncTables.cells) AS other WHERE other.property = ?2 AND other.row <> cell.row
            AND other.time = cell.time AND other.replica = cell.replica)))
      """, [.integer(former), .integer(property)])
  }

  /// Gives the properties of a table that is tracked already the columns that the model has renamed.
  private func rename(of table: ModuleTable) throws {
    guard try hasDescription(table),
      let former = try tracked().first(where: { ExactName($0.name) == ExactName(table.exchangeName) })
    else { return }
    try recordGone(former, for: table)
    let known = try properties(of: former.id)
    let columns = known.compactMap(\.column)
    let renamed = RenamedColumns(from: former.description, columns: columns, to: table)
    for property in known {
      guard let column = property.column else { continue }
      if renamed.displaced.contains(column) {
        try connection.run(
          "DELETE FROM \(SyncTables.cells) WHERE property = ?1 AND time = 0", [.integer(property.id)])
        try setColumn(nil, of: property.id)
      } else if let name = renamed.names[column] {
        try setColumn(name, of: property.id)
      }
    }
  }

  /// Returns the name in the exchange of a column that has none yet: the one that it had first.
  private static func name(of column: ModuleTable.Column, among known: [KnownProperty]) -> String {
    let first = column.originalName ?? column.name
    var (name, number) = (first, 1)
    while known.contains(where: { $0.name == name && $0.column != nil }) {
      number += 1
      name = "\(first)#\(number)"
    }
    return name
  }
}
