import GRDBSQLite

/// Applies delete rules: to unsaved rows in the place of SQLite, and to those of the file in an order that SQLite can
/// follow.
///
/// A trigger that deleted the rows that refer to a deleted one would call itself for each row behind another, and each
/// of its writes would take longer the more of these calls have not returned. So triggers only record what was deleted,
/// and a few statements delete the rows of each level.
extension ContextConnection {
  /// Applies the delete rules to the rows that the last statement has deleted: first all cascades, then the references
  /// of the remaining rows are cleared.
  ///
  /// - Throws: `StoreError` `.unsupported` if the rules lead through more rows than SQLite follows in the file; the
  ///   enclosing change is undone.
  /// - Complexity: A few statements for each level, and work for each row that is deleted or cleared.
  func applyDeleteRules(in layer: ContextLayer) throws {
    let ruled = sql(in: layer).filter(\.hasDeleteRules)
    guard let first = try ruled.first(where: { try exists("SELECT 1 FROM \($0.leaving) LIMIT 1") }) else { return }
    var deletions = ruled.map { LevelledDeletion(sql: $0, cascades: $0.cascades) }
    var depth = 0
    while try advance(&deletions) {
      guard depth < StoreError.deletionDepth else {
        throw StoreError.deletionTooDeep(errorContext(of: first.table)?.model ?? first.table.name)
      }
      depth += 1
      for deletion in deletions {
        for cascade in deletion.cascades { try run(cascade, deletion.level, errorContext(of: deletion.sql.table)) }
      }
    }
    for deletion in deletions where deletion.level.upperBound > 0 {
      for statement in deletion.sql.nullifications {
        try run(statement, 0..<deletion.level.upperBound, errorContext(of: deletion.sql.table))
      }
      try run(deletion.sql.finishLeaving)
    }
  }

  /// Goes on to the rows that were deleted since the last level. Returns false if there are none.
  private func advance(_ deletions: inout [LevelledDeletion]) throws -> Bool {
    var isReached = false
    for position in deletions.indices {
      let start = deletions[position].level.upperBound
      let table = deletions[position].sql.leaving
      let statement = try connection.statement("SELECT max(\(OverlaySQL.number)) FROM \(table)")
      defer { statement.reset() }
      let last = try connection.step(statement, nil) ? sqlite3_column_int64(statement.pointer, 0) : start
      deletions[position].level = start..<last
      if last > start { isReached = true }
    }
    return isReached
  }

  private func run(_ text: String, _ level: Range<Int64>, _ context: ErrorContext?) throws {
    guard !level.isEmpty else { return }
    let statement = try connection.statement(text)
    sqlite3_bind_int64(statement.pointer, 1, level.lowerBound)
    sqlite3_bind_int64(statement.pointer, 2, level.upperBound)
    try connection.run(statement, context: context)
  }

  // MARK: Saving

  /// Deletes the rows of the file whose deletion isn't saved.
  func writeDeletions(_ tables: [OverlaySQL]) throws {
    let ofChains = tables.filter { store.environment.deletions.cascadesToItself.contains($0.table.name) }
    if try mayBeTooDeep(ofChains) { try deleteLastFirst(tables) }
    for sql in tables { try run([sql.writeDeletions], errorContext(of: sql.table)) }
  }

  /// Whether deletions that were made in several calls may be too deep for SQLite together. The triggers of the file
  /// count as well.
  private func mayBeTooDeep(_ tables: [OverlaySQL]) throws -> Bool {
    var count: Int64 = 0
    for sql in tables {
      let statement = try connection.statement(
        "SELECT count(*) FROM \(sql.pending) WHERE \(OverlaySQL.state) = 1")
      defer { statement.reset() }
      if try connection.step(statement, nil) { count += sqlite3_column_int64(statement.pointer, 0) }
    }
    return count > StoreError.deletionDepth / 2
  }

  /// Deletes the rows between which there is a `.cascade`, one by one: a row when those that refer to it are gone.
  /// Large circles are opened at a reference that is optional; small ones are left.
  private func deleteLastFirst(_ tables: [OverlaySQL]) throws {
    var links = DeletionLinks()
    for (position, sql) in tables.enumerated() {
      for (child, query, release) in sql.cascadingDeletions {
        guard let childPosition = tables.firstIndex(where: { $0.table.name.isSameColumn(as: child) }) else { continue }
        for row in try connection.query(query) {
          links.add(
            UnsavedDeletion(table: childPosition, number: try row.get("child")),
            to: UnsavedDeletion(table: position, number: try row.get("parent")), release)
        }
      }
    }
    repeat {
      while let next = links.takeFree() {
        try run(tables[next.table].writeDeletion, of: next, tables)
      }
      guard links.count > StoreError.deletionDepth / 2, let (child, release) = links.openCircle() else { return }
      try run(release, of: child, tables)
    } while true
  }

  private func run(_ sql: String, of deletion: UnsavedDeletion, _ tables: [OverlaySQL]) throws {
    let statement = try connection.statement(sql)
    sqlite3_bind_int64(statement.pointer, 1, deletion.number)
    try connection.run(statement, context: errorContext(of: tables[deletion.table].table))
  }
}

/// The deletions of a table's rows, level by level.
private struct LevelledDeletion {
  let sql: OverlaySQL
  let cascades: [String]
  /// The rows of the current level, by their numbers in `leaving`: greater than the lower bound, and not greater than
  /// the upper one.
  var level: Range<Int64> = 0..<0
}

/// An unsaved deletion of a row of the file.
private struct UnsavedDeletion: Hashable, Comparable {
  /// The position of the table among those that are saved.
  let table: Int
  let number: Int64

  static func < (left: Self, right: Self) -> Bool { (left.table, left.number) < (right.table, right.number) }
}

/// The `.cascade` references between the rows of unsaved deletions.
private struct DeletionLinks {
  private struct Link {
    let row: UnsavedDeletion
    /// SQL that clears the reference.
    let release: String
  }

  private var parents: [UnsavedDeletion: [UnsavedDeletion]] = [:]
  /// The references to each row, also those of rows that are gone.
  private var children: [UnsavedDeletion: [Link]] = [:]
  /// The number of references to each row by rows that are there.
  private var counts: [UnsavedDeletion: Int] = [:]
  private var gone: Set<UnsavedDeletion> = []
  /// The rows that nothing refers to any longer.
  private var free: [UnsavedDeletion]?

  /// The number of rows that others refer to.
  var count: Int { counts.count }

  mutating func add(_ child: UnsavedDeletion, to parent: UnsavedDeletion, _ release: String) {
    guard child != parent else { return }
    parents[child, default: []].append(parent)
    children[parent, default: []].append(Link(row: child, release: release))
    counts[parent, default: 0] += 1
  }

  /// Removes a row that no other refers to; nil if there is none.
  mutating func takeFree() -> UnsavedDeletion? {
    if free == nil { free = parents.keys.filter { counts[$0] == nil } }
    guard let next = free?.popLast() else { return nil }
    gone.insert(next)
    for parent in parents.removeValue(forKey: next) ?? [] { removeReference(to: parent) }
    return next
  }

  /// Removes a reference of a circle, and returns the row that has it.
  mutating func openCircle() -> (row: UnsavedDeletion, release: String)? {
    guard var row = counts.keys.min() else { return nil }
    // Each row that is left is referred to by one that is left, so the way ends where it has been before.
    var seen: Set<UnsavedDeletion> = []
    while let link = lastReference(to: row) {
      guard seen.insert(link.row).inserted else {
        children[row]?.removeLast()
        if let position = parents[link.row]?.firstIndex(of: row) { parents[link.row]?.remove(at: position) }
        removeReference(to: row)
        return (link.row, link.release)
      }
      row = link.row
    }
    return nil
  }

  private mutating func lastReference(to row: UnsavedDeletion) -> Link? {
    while let link = children[row]?.last {
      guard gone.contains(link.row) else { return link }
      children[row]?.removeLast()
    }
    return nil
  }

  private mutating func removeReference(to parent: UnsavedDeletion) {
    guard let count = counts[parent] else { return }
    counts[parent] = count > 1 ? count - 1 : nil
    if count == 1 { free?.append(parent) }
  }
}
