import Larder

extension Tracker {
  // MARK: Before a migration

  /// Frees the columns that a migration may drop or rename: SQLite refuses to drop a column that a trigger names.
  ///
  /// Columns that leave the model, or whose names others get, are no longer tracked; their values are held for replicas
  /// whose models have them. So are the rows of models that no longer take part.
  func prepareMigration() throws {
    guard try SyncTables.exist(connection) else { return }
    for table in try tracked().filter(isGone) { try recordRemoval(of: table) }
    for table in try untracked() { try recover(table) }
    let models = try synced()
    for table in try tracked() {
      guard let model = models.first(where: { ExactName($0.exchangeName) == ExactName(table.name) }), !model.isDescribed
      else { continue }
      try recordGone(table, for: model)
    }
    try leaveBeforeMigration()
    for var table in try tracked() {
      guard let model = models.first(where: { ExactName($0.exchangeName) == ExactName(table.name) }),
        try hasTable(table.name)
      else { continue }
      let present = try columns(of: table.name)
      let wanted = model.columns.flatMap { [$0.name, $0.originalName].compactMap { $0 } }
      let columns = table.properties.map(\.column.name)
      let displaced = RenamedColumns(from: table.description, columns: columns, to: model).displaced
      table.properties.removeAll { property in
        let column = property.column.name
        return !present.contains(where: column.isSameColumn(as:)) || !wanted.contains(where: column.isSameColumn(as:))
          || displaced.contains(column)
      }
      for property in try properties(of: table.id) {
        guard let column = property.column, !table.properties.contains(where: { $0.id == property.id }) else {
          continue
        }
        // What was added to a counter is kept anyway.
        if present.contains(where: column.isSameColumn(as:)), !property.isCounter {
          try hold(column, property, of: table.description, table.id)
        }
        try setColumn(nil, of: property.id)
      }
      try dropTriggers(of: table.id)
      try createTriggers(of: table)
    }
  }

  /// Holds the rows of models that no longer take part, while the tables are as sync knows them: the migration may remove
  /// columns of them, or the tables.
  private func leaveBeforeMigration() throws {
    let left = try leaving()
    if left.isEmpty { return }
    // They are refused before anything is changed.
    try checkModels()
    // Files of earlier versions lack a column that says when a table left.
    try upgrade()
    for table in left { try leave(table) }
  }

  /// Holds the values of a column that leaves the model, but not the defaults that nobody has written.
  func hold(_ column: String, _ property: KnownProperty, of table: ModuleTable, _ id: Int64) throws {
    let cell = "SELECT 1 FROM \(SyncTables.cells) WHERE row = known.id AND property = ?1"
    try connection.run(
      """
      INSERT INTO \(SyncTables.cells) (row, property, length, time, replica, held, value)
        SELECT known.id, ?1, known.length - 1 + known.length % 2, known.time, known.replica, 1, row.\(column.quotedName)
        FROM main.\(table.name.quotedName) AS row CROSS JOIN \(SyncTables.rows) AS known ON \(isRow(of: table, id))
        WHERE CASE WHEN known.time > ?2 THEN NOT EXISTS (\(cell) AND time = 0) ELSE EXISTS (\(cell) AND time > 0) END
        ON CONFLICT (row, property) DO UPDATE SET held = 1, value = excluded.value WHERE held IN (0, \(Holding.excess.rawValue))
      """, [.integer(property.id), .integer(property.absentUntil)])
    try connection.run("DELETE FROM \(SyncTables.cells) WHERE property = ?1 AND time = 0", [.integer(property.id)])
  }
}
