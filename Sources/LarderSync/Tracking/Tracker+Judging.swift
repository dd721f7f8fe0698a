import Larder

extension Tracker {
  // MARK: Judging

  /// Computes the rows that the types of this program decide about, and that no program has judged by them: those that could not
  /// be read when they came and can be now, and those that a program without the model has shown. In transactions of its own.
  ///
  /// - Parameter isRefit: Whether models have changed. If not, only types may have learned more.
  /// - Complexity: Proportional to the number of rows that lack something, of tables with properties of the program's own types;
  ///   of all tables if models have changed.
  func judge(isRefit: Bool) throws {
    let file = try ReplicaFile(connection)
    if try !judged(file).isEmpty { try connection.transaction { try showJudged() } }
    guard try hasReturning(isRefit: isRefit, file) else { return }
    try connection.transaction { try unsettle() }
    try Settling.prepare(connection)
    try connection.transaction { try ReplicaFile(connection).settle() }
  }

  /// Lets the rows that aren't visible be computed anew.
  func unsettle() throws { try connection.run("UPDATE \(SyncTables.clock) SET settled = -abs(settled)") }

  /// Whether nothing keeps a row any longer that lacked something.
  private func hasReturning(isRefit: Bool, _ file: ReplicaFile) throws -> Bool {
    for table in file.tables where !table.isVaguelyDescribed {
      let isOpen = table.description.testedColumns.contains { $0.valueTest?.mayChange == true }
      guard isRefit || isOpen else { continue }
      // A deleted row to which others refer by `.deny` may have been the one that could not be read.
      let ids = try connection.rows(
        """
        SELECT id FROM \(SyncTables.rows) WHERE \(SyncTables.isSetAside) AND table_id = ?1 \
        AND (status = 2 OR status = 7 AND length % 2 = 0)
        """, [.integer(table.id)]
      ) { $0.integer(0) }
      for id in ids {
        if let row = try file.row(id), try isReturning(row, file) { return true }
      }
    }
    return false
  }

  private func isReturning(_ row: StoredRow, _ file: ReplicaFile) throws -> Bool {
    guard try file.reason(row) == nil else { return false }
    if row.state.isThere { return true }
    let key = row.state.key.map(\.stored)
    return try file.setAsideReferrers(of: row.rowKey).contains { referrer in
      guard referrer.state.isThere, case .deleted(_, let table, key)? = try file.reason(referrer) else { return false }
      return ExactName(table) == ExactName(row.state.table)
    }
  }

  /// The rows that programs without their models have shown, of models that this one declares.
  private func judged(_ file: ReplicaFile) throws -> [Int64] {
    let rows = try connection.rows(
      """
      SELECT row, table_id FROM \(SyncTables.unjudged) CROSS JOIN \(SyncTables.rows) ON id = row ORDER BY row
      """
    ) { ($0.integer(0), $0.integer(1)) }
    return rows.filter { file.table($0.1)?.isVaguelyDescribed == false }.map(\.0)
  }

  private func showJudged() throws {
    let file = try ReplicaFile(connection)
    let rows = try judged(file)
    var settling = Settling()
    try settling.compute(all: rows, file)
    for row in rows { try connection.run("DELETE FROM \(SyncTables.unjudged) WHERE row = ?1", [.integer(row)]) }
  }
}
