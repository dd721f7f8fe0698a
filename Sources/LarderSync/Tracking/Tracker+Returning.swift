import Larder

extension Tracker {
  /// Records that a table no longer takes part from now on.
  func noteLeaving(_ table: Int64) throws {
    try change(
      "UPDATE \(SyncTables.tables) SET left_at = (SELECT now FROM \(SyncTables.clock)) WHERE id = ?1",
      [.integer(table)])
  }

  /// Holds the values of rows that a table shows, as they are now.
  ///
  /// What this replica says to know, and hands on, stays true then. It would be wrong of rows that it has forgotten: who knows
  /// them from here alone would overwrite values that he never saw, as if he knew them.
  ///
  /// Another program may have removed a column, whose values can't be read any longer: those are left out, and the others
  /// are held. Of a table that is gone, or has another key, nothing can be held.
  func holdRows(of table: TrackedTable) throws {
    let rows = "table_id = \(table.id)"
    let present = try columns(of: table.description.name)
    guard table.description.keys.allSatisfy({ present.contains(where: $0.name.isSameColumn(as:)) }) else {
      return try forgetRows(rows)
    }
    for property in table.properties where !present.contains(where: property.column.name.isSameColumn(as:)) {
      try setColumn(nil, of: property.id)
      try connection.run(
        "DELETE FROM \(SyncTables.cells) WHERE property = ?1 AND held = \(Holding.none.rawValue)",
        [.integer(property.id)])
    }
    try forgetRows("\(rows) AND status = \(RowStatus.expired.rawValue)")
    try holdCounters(of: table)
    let file = try ReplicaFile(connection)
    var last: Int64 = 0
    while true {
      let ids = try connection.rows(
        "SELECT id FROM \(SyncTables.rows) WHERE +\(rows) AND status = 0 AND id > ?1 ORDER BY id LIMIT 500",
        [.integer(last)]
      ) { $0.integer(0) }
      for id in ids {
        guard let row = try file.row(id) else { continue }
        try file.write(
          StoredRow(id: id, state: row.state, status: .unknown, position: row.position, source: row.source))
      }
      guard let end = ids.last else { break }
      last = end
    }
    try connection.run("UPDATE \(SyncTables.rows) SET status = 5 WHERE \(rows)")
  }

  /// Brings together rows of a table that takes part again and what other replicas have sent of them meanwhile. In a
  /// transaction of the caller's, once the properties have their columns.
  ///
  /// - Parameter table: The number of the table.
  func reconcile(_ description: ModuleTable, _ table: Int64) throws {
    let leaving = try connection.first("SELECT left_at FROM \(SyncTables.tables) WHERE id = ?1", [.integer(table)]) {
      $0.optionalInteger(0)
    }
    try change("UPDATE \(SyncTables.tables) SET left_at = NULL WHERE id = ?1", [.integer(table)])
    // The first condition finds a row by the index of its table, the second compares without the affinity of the column.
    let keys = zip(SyncTables.keys(description.keys.count), description.keys)
      .map { "row.\($1.name.quotedName) = known.\($0) AND known.\($0) = +row.\($1.name.quotedName)" }
    var file: ReplicaFile?
    var last: Int64 = 0
    while true {
      let ids = try connection.rows(
        """
        SELECT id FROM \(SyncTables.rows) AS known WHERE +table_id = \(table) AND status = 5 AND id > ?1 \
        AND EXISTS (SELECT 1 FROM main.\(description.name.quotedName) AS row \
        WHERE \(keys.joined(separator: " AND "))) ORDER BY id LIMIT 500
        """, [.integer(last)]
      ) { $0.integer(0) }
      guard let end = ids.last else { return }
      let current = try file ?? ReplicaFile(connection)
      for id in ids { try current.reconcile(id, since: leaving ?? nil) }
      (file, last) = (current, end)
    }
  }
}

extension ReplicaFile {
  /// Shows what was held, and merges it with what is here. In a transaction of the caller's.
  ///
  /// This replica says to know what it holds, so whoever writes next has to see it: all of it is shown with the commit that
  /// lets the table take part, some rows at a time. If the process ends before, the table doesn't take part yet.
  func showHeldRows() throws {
    try settle()
    var due = try WaitingChanges(self).take(atMost: BatchApplication.chunkSize)
    if due.isEmpty { return }
    var file = self
    while !due.isEmpty {
      // Documents of collections that aren't there yet may have waited as well.
      if try Tracker(connection).takeUp(due) { file = try ReplicaFile(connection) }
      try file.show(due)
      due = try WaitingChanges(file).take(atMost: BatchApplication.chunkSize)
    }
    // Nobody has seen what was between.
    try file.recordKnowledgeOfAll()
  }

  private func show(_ due: [RowState]) throws {
    _ = try tick(past: due.map(\.latestTime).max() ?? 0)
    var changes: [RowKey: (row: StoredRow?, state: RowState)] = [:]
    for received in due {
      let state = counting(received)
      let row = try changes[state.rowKey]?.row ?? row(state.rowKey)
      guard let known = changes[state.rowKey]?.state ?? row?.state else {
        changes[state.rowKey] = (nil, try deletedAgain(state) ?? state)
        continue
      }
      changes[state.rowKey] = (row, known.merging(state).adding(try losses(of: known, and: state)))
    }
    try change(Array(changes.values))
  }

  /// Brings together a row of a table and the state of it that is held.
  ///
  /// A value that differs was changed here if this replica knew the other one when the table left. Otherwise it may have been
  /// changed by either side, or by both: the value that has come counts, and the one of the table is kept as one that lost.
  /// What counters show beyond what they showed then was added here. A row that was deleted elsewhere is a new one. The
  /// state waits to be merged.
  ///
  /// - Parameters:
  ///   - id: The number of the row.
  ///   - leaving: When the table left; nil if it has never taken part.
  fileprivate func reconcile(_ id: Int64, since leaving: Int64?) throws {
    guard let held = try row(id)?.state else { return }
    let heldCounters = try heldCounters(of: id)
    let stamp = held.isThere ? held.insertion : try newStamp()
    try connection.run(
      """
      UPDATE \(SyncTables.rows) SET status = 0, source = NULL, position = ?2, length = length + 1 - length % 2, time = ?3, \
      replica = ?4, deletion_time = NULL, deletion_replica = NULL WHERE id = ?1
      """, [.integer(id), .integer(try tick()), .integer(stamp.time), .integer(try self.id(of: stamp.replica))])
    for table in [SyncTables.cells, SyncTables.counters] {
      try connection.run("DELETE FROM \(table) WHERE row = ?1", [.integer(id)])
    }
    guard let stored = try row(id) else { return }
    guard held.isThere else {
      try countAnew(stored)
      return try connection.run(
        "UPDATE \(SyncTables.rows) SET position = ?2 WHERE id = ?1", [.integer(id), .integer(try tick())])
    }
    let local = stored.state
    let own = try clock().replica
    var merged = try addingUncounted(heldCounters, of: stored, to: held)
    for property in local.properties {
      let rival = held.property(property.name)
      if let rival, rival.value == property.value {
        try write(rival, of: held, id, time: rival.stamp.time, try self.id(of: rival.stamp.replica))
      } else if let rival, try !isKnown(rival.stamp, at: leaving) {
        // A value without a time is older than any other.
        try write(rival, of: held, id, time: 0, own)
        merged = merged.adding([LostValue(property: property.name, stamp: try newStamp(), value: property.value)])
      } else if rival == nil, try isDefault(property, of: held) {
        try write(property, of: held, id, time: 0, own)
      } else {
        try write(property, of: held, id, time: try tick(), own)
        merged = merged.setting(property.name, to: property.value, try newStamp())
      }
    }
    for property in held.properties where held.isDocument && local.property(property.name) == nil {
      guard !property.value.isNull, try isKnown(property.stamp, at: leaving) else { continue }
      merged = merged.setting(property.name, to: .null, try newStamp())
    }
    try WaitingChanges(self).add(merged)
  }

  /// Whether a property shows its default, which nobody need have written.
  private func isDefault(_ property: PropertyState, of row: RowState) throws -> Bool {
    guard let known = table(row.table)?.properties.first(where: { $0.name == property.name }) else { return false }
    return property.value == (defaults[known.id] ?? .null)
  }

  /// Whether this replica knew of a write when a table left.
  private func isKnown(_ stamp: Stamp, at leaving: Int64?) throws -> Bool {
    let own = try own()
    guard let leaving, let now = Stamp(time: leaving, replica: own) else { return false }
    return try stamp.replica == own || knew(now, stamp)
  }

  /// Writes when and by whom a value was written that a table shows.
  private func write(_ property: PropertyState, of row: RowState, _ id: Int64, time: Int64, _ replica: Int64) throws {
    let table = try tableID(of: row.table, keyCount: row.key.count)
    try connection.run(
      """
      INSERT INTO \(SyncTables.cells) (row, property, length, time, replica) VALUES (?1, ?2, ?3, ?4, ?5) \
      ON CONFLICT DO NOTHING
      """,
      [
        .integer(id), .integer(try self.property(property.name, of: table).id), .integer(property.causalLength),
        .integer(time), .integer(replica),
      ])
  }
}
