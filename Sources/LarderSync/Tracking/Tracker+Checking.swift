import Larder

/// Whether what is known of rows is true of the tables.
extension Tracker {
  /// Returns the tables that aren't as sync knows them.
  func untrackedChanges() throws -> [(table: TrackedTable, change: UntrackedChange)] {
    try tracked().compactMap { table in
      let change = try untrackedChange(of: table)
      return change.isEmpty ? nil : (table, change)
    }
  }

  private func untrackedChange(of table: TrackedTable) throws -> UntrackedChange {
    var change = UntrackedChange(table: table.name, model: table.isCollection ? nil : table.description.model)
    let visible = "\(SyncTables.rows) AS known WHERE known.table_id = \(table.id) AND known.status = 0"
    // Without its keys, nothing of the table can be recognized.
    guard try hasKeys(table) else {
      change.lacksTriggers = true
      change.missingRows = try count("FROM \(visible)")
      return change
    }
    change.lacksTriggers = try lacksTriggers(table)
    let isHere = isRow(of: table.description, table.id)
    change.unknownRows = try count(
      "FROM main.\(table.quotedName) AS row WHERE NOT EXISTS (SELECT 1 FROM \(visible) AND \(isHere))")
    change.missingRows = try count(
      "FROM \(visible) AND NOT EXISTS (SELECT 1 FROM main.\(table.quotedName) AS row WHERE \(isHere))")
    return change
  }

  private func hasKeys(_ table: TrackedTable) throws -> Bool {
    let columns = try columns(of: table.description.name)
    return table.description.keys.allSatisfy { columns.contains(where: $0.name.isSameColumn(as:)) }
  }

  private func lacksTriggers(_ table: TrackedTable) throws -> Bool {
    let names = try connection.rows(
      "SELECT name FROM main.sqlite_master WHERE type = 'trigger' AND tbl_name = ?1", [.init(table.description.name)]
    ) { $0.text(0) }
    // An earlier version of the package has made others, all of which are made anew by the next program with sync.
    let expected =
      try isCurrent()
      ? TrackingTriggers(table: table, keyCount: try keyCount()).names
      : ["\(TrackingTriggers.prefix)\(table.id)_insert"]
    return !expected.isSubset(of: names)
  }

  private func count(_ source: String) throws -> Int {
    try connection.first("SELECT count(*) \(source)") { Int($0.integer(0)) } ?? 0
  }

  /// Records the changes that nobody has tracked, and makes the triggers anew, in a transaction of the caller's.
  func recordUntrackedChanges() throws -> [UntrackedChange] {
    try upgrade()
    let changes = try untrackedChanges()
    for (table, _) in changes {
      if try isGone(table) {
        try recordRemoval(of: table)
        continue
      }
      // Another program has made another table of it, which only the program with the models can fit.
      guard try hasKeys(table) else { continue }
      try recover(table)
      try dropTriggers(of: table.id)
      try createTriggers(of: table)
    }
    return changes.map(\.change)
  }
}
