import Larder

/// What another program has done to tables while nobody tracked them.
extension Tracker {
  // MARK: Recovering

  /// The tables that are there without their triggers: a program that knows nothing of sync has rebuilt them, or removed
  /// and made them again.
  func untracked() throws -> [TrackedTable] {
    let triggers = Dictionary(
      try connection.rows(
        "SELECT name, tbl_name FROM main.sqlite_master WHERE type = 'trigger' AND name GLOB ?1",
        [.init("\(TrackingTriggers.prefix)*_insert")]
      ) { ($0.text(0), $0.text(1)) }
    ) { $1 }
    return try tracked().filter { table in
      try triggers["\(TrackingTriggers.prefix)\(table.id)_insert"] != table.description.name
        && hasTable(table.description.name)
    }
  }

  /// Whether a table is gone that takes part.
  func isGone(_ table: TrackedTable) throws -> Bool { try !hasTable(table.description.name) }

  /// Records that all rows of a table were deleted, which is gone.
  func recordRemoval(of table: TrackedTable) throws {
    try recordDeletions("known.table_id = \(table.id)")
    try release(table)
  }

  /// Records which rows have gone and come while nobody tracked the table. Which values of the others have changed isn't
  /// known, so they are sent once more.
  ///
  /// - Parameter isMigrated: Whether a migration with sync has rebuilt the table. The other rows are as they were then.
  func recover(_ table: TrackedTable, isMigrated: Bool = false) throws {
    let present = try columns(of: table.description.name)
    guard table.description.keys.allSatisfy({ present.contains(where: $0.name.isSameColumn(as:)) }) else { return }
    let presence = presence(of: table.description, table.id)
    try recordDeletions("known.table_id = \(table.id) AND NOT EXISTS (\(presence))")
    try recordReturns("EXISTS (\(presence))", table.description, table.id)
    try adopt(table.description, table.id)
    if isMigrated { return }
    try move("known.table_id = \(table.id) AND known.status = 0", "source = NULL")
    if !table.isCollection { try recordUntrackedValues(of: table, present) }
    try countUntracked(in: table.description, table.id, where: "true")
  }

  /// Records the rows that were deleted before a table was removed, and came back while nobody tracked the table that was
  /// made in its place.
  func recordReturns(to description: ModuleTable, _ table: Int64) throws {
    try recordReturns(
      "known.id IN (SELECT id FROM \(SyncTables.rows) WHERE \(SyncTables.isDeleted)) AND EXISTS (\(presence(of: description, table)))",
      description, table)
  }

  /// The query for the row of a table of which `known` are the metadata.
  ///
  /// The first condition on each column of the key lets SQLite find the row by the index of its table. The second, which is
  /// that of ``isRow(of:_:)``, compares without the affinity of the column, which makes a text of a number.
  func presence(of table: ModuleTable, _ id: Int64) -> String {
    let keys = zip(SyncTables.keys(table.keys.count), table.keys).map { "row.\($1.name.quotedName) = known.\($0)" }
    let conditions = keys + [isRow(of: table, id)]
    return "SELECT 1 FROM main.\(table.name.quotedName) AS row WHERE \(conditions.joined(separator: " AND "))"
  }

  private func recordDeletions(_ condition: String) throws {
    try move("\(condition) AND known.status = 0", Self.deletion)
  }

  /// What makes a row a deleted one.
  private static let deletion = """
    length = length + length % 2, status = 1, source = NULL, deletion_time = moved.moment, \
    deletion_replica = (SELECT replica FROM \(SyncTables.clock))
    """

  /// A row that was deleted is a new one, and one that was set aside was edited, as if a trigger had seen it come.
  private func recordReturns(_ condition: String, _ description: ModuleTable, _ table: Int64) throws {
    let condition = "known.table_id = \(table) AND \(condition)"
    let isEdit = "\(SyncTables.isSetAside) AND length % 2 = 1"
    // Nothing of a deleted row shines through the one that came in its place, but what this program doesn't know.
    let isKnown =
      description.isCollection
      ? "true"
      : "property NOT IN (SELECT id FROM \(SyncTables.properties) WHERE table_id = \(table) AND column_name IS NULL)"
    for table in [SyncTables.cells, SyncTables.counters] {
      try connection.run(
        """
        DELETE FROM \(table) WHERE \(isKnown) AND row IN (SELECT known.id FROM \(SyncTables.rows) AS known \
        WHERE \(condition) AND known.status <> 0 AND NOT (\(isEdit)))
        """)
    }
    try counting(in: description, table) {
      try move(
        "\(condition) AND known.status <> 0",
        """
        length = CASE WHEN \(isEdit) THEN length ELSE length + 1 + length % 2 END, \
        time = CASE WHEN \(isEdit) THEN time ELSE moved.moment END, \
        replica = CASE WHEN \(isEdit) THEN replica ELSE (SELECT replica FROM \(SyncTables.clock)) END, \
        deletion_time = NULL, deletion_replica = NULL, source = NULL, status = 0
        """)
    }
  }

  /// Records that rows are deleted that went with a deleted one, if new models no longer let them go with it: nobody wants
  /// them back. Rows that also went with another one, with which they still go, stay as they are.
  ///
  /// - Parameters:
  ///   - former: The table as the former models describe it.
  ///   - table: The table as the new model describes it.
  func recordGone(_ former: TrackedTable, for table: ModuleTable) throws {
    let renamed = RenamedColumns(from: former.description, columns: former.properties.map(\.column.name), to: table)
    var (loosened, kept): ([(property: Int64, target: Int64)], [(property: Int64, target: Int64)]) = ([], [])
    for property in former.properties {
      guard let reference = property.reference, reference.isEssential, let target = try tableID(of: reference.table)
      else { continue }
      let column = renamed.names[property.column.name] ?? property.column.name
      let next = table.references.first { $0.column.isSameColumn(as: column) && $0.table == reference.table }
      let isKept = !renamed.displaced.contains(property.column.name) && next?.isEssential == true
      if isKept { kept.append((property.id, target)) } else { loosened.append((property.id, target)) }
    }
    if loosened.isEmpty { return }
    let isGone = """
      known.table_id = \(former.id) AND known.status = \(RowStatus.cascaded.rawValue) AND known.length % 2 = 1
      """
    func lacks(_ reference: (property: Int64, target: Int64), unless isThere: String) -> String {
      """
      EXISTS (SELECT 1 FROM \(SyncTables.cells) AS cell WHERE cell.row = known.id AND cell.property = \(reference.property) \
      AND cell.held BETWEEN 1 AND 2 AND cell.value IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(SyncTables.rows) AS target \
      WHERE target.table_id = \(reference.target) AND target.key1 = cell.value AND (\(isThere))))
      """
    }
    var condition = loosened.map { lacks($0, unless: "target.status = 0") }.joined(separator: " OR ")
    if !kept.isEmpty {
      // A row that went with itself, or in a circle, went for no other reason. References are looked up; the first of the two
      // conditions lets SQLite take the index of these values.
      let lookedUp = Holding.lookedUp.rawValue
      let isThere = "target.status = 0 OR \(isGone.replacing("known.", with: "target."))"
      let ends = kept.map { lacks($0, unless: isThere) }.joined(separator: " OR ")
      let followers = kept.filter { $0.target == former.id }.map { reference in
        """
        UNION SELECT known.id FROM elsewhere CROSS JOIN \(SyncTables.rows) AS target ON target.id = elsewhere.id \
        CROSS JOIN \(SyncTables.cells) AS cell ON cell.property = \(reference.property) AND cell.value = target.key1 \
        AND cell.held >= \(lookedUp) AND cell.held = \(lookedUp) \
        CROSS JOIN \(SyncTables.rows) AS known ON known.id = cell.row WHERE \(isGone)
        """
      }
      condition = """
        (\(condition)) AND known.id NOT IN (WITH RECURSIVE elsewhere (id) AS (SELECT known.id FROM \(SyncTables.rows) AS known \
        WHERE \(isGone) AND (\(ends)) \(followers.joined(separator: " "))) SELECT id FROM elsewhere)
        """
    }
    try move("\(isGone) AND (\(condition))", Self.deletion)
  }

  /// Gives rows new positions, each its own, and changes them.
  func move(_ condition: String, _ assignments: String) throws {
    try connection.run(SyncTables.tick)
    try connection.run(
      """
      UPDATE \(SyncTables.rows) SET position = moved.moment, \(assignments) FROM
        (SELECT known.id AS row, clock.now + row_number() OVER () AS moment
        FROM \(SyncTables.rows) AS known, \(SyncTables.clock) AS clock WHERE \(condition)) AS moved
        WHERE id = moved.row
      """)
    try advanceClock()
  }
}
