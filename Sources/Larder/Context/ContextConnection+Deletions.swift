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
  /// What refers to each other in a circle is left.
  private func deleteLastFirst(_ tables: [OverlaySQL]) throws {
    var parents: [UnsavedDeletion: [UnsavedDeletion]] = [:]
    var childCounts: [UnsavedDeletion: Int] = [:]
    for (position, sql) in tables.enumerated() {
      for (child, query) in sql.cascadingDeletions {
        guard let childPosition = tables.firstIndex(where: { $0.table.name.isSameColumn(as: child) }) else { continue }
        for row in try connection.query(query) {
          let parent = UnsavedDeletion(table: position, number: try row.get("parent"))
          let child = UnsavedDeletion(table: childPosition, number: try row.get("child"))
          guard child != parent else { continue }
          parents[child, default: []].append(parent)
          childCounts[parent, default: 0] += 1
        }
      }
    }
    var waiting = parents.keys.filter { childCounts[$0] == nil }
    while let next = waiting.popLast() {
      let sql = tables[next.table]
      let statement = try connection.statement(sql.writeDeletion)
      sqlite3_bind_int64(statement.pointer, 1, next.number)
      try connection.run(statement, context: errorContext(of: sql.table))
      for parent in parents[next] ?? [] {
        childCounts[parent, default: 0] -= 1
        if childCounts[parent] == 0 { waiting.append(parent) }
      }
    }
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
private struct UnsavedDeletion: Hashable {
  /// The position of the table among those that are saved.
  let table: Int
  let number: Int64
}
