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
  /// - Complexity: A few statements for each level, and work for each row that is deleted or cleared.
  func applyDeleteRules(in layer: ContextLayer) throws {
    let ruled = sql(in: layer).filter(\.hasDeleteRules)
    guard try ruled.contains(where: { try exists("SELECT 1 FROM \($0.leaving) LIMIT 1") }) else { return }
    var deletions = ruled.map { LevelledDeletion(sql: $0, cascades: $0.cascades) }
    while try advance(&deletions) {
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

  /// Applies the delete rules of the expired rows whose keys the values take, as a store does: they are new rows, to
  /// which nothing refers.
  func willTakeKeys<M: Model>(of values: [M]) throws {
    guard let active else { return }
    // The rules change other tables too, of which the statement that writes the values knows nothing.
    if active.table(M.schema.table) == nil { try cover([M.schema.table], in: active) }
    guard let table = active.table(M.schema.table) else { return }
    let sql = sql(of: table, in: active)
    guard sql.hasDeleteRules else { return }
    for value in values {
      let record = try connection.statement(sql.recordExpired)
      try record.bindKey(value.id, of: M.self)
      try connection.run(record, context: ErrorContext(M.self))
      guard connection.changeCount > 0 else { continue }
      try applyDeleteRules(in: active)
      for (reference, query) in sql.rowsThatDeny {
        let find = try connection.statement(query)
        defer { find.reset() }
        try find.bindKey(value.id, of: M.self)
        if try connection.step(find, nil) { throw denial(of: table, by: reference) }
      }
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

  /// Deletes the rows of the file whose deletion isn't saved. Foreign keys must be deferred.
  func writeDeletions(_ tables: [OverlaySQL]) throws {
    func write() throws {
      for sql in tables { try run([sql.writeDeletions], errorContext(of: sql.table)) }
    }
    do {
      try connection.savepoint(write)
    } catch let error as StoreError where error.isDeletionTooDeep {
      // All that the rules reach is deleted in this layer, too.
      _ = try connection.deletingOneByOne(DeletionQueue.all(for: connection), write)
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
