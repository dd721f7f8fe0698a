import Larder

/// What counters show that nobody has tracked.
///
/// While a table takes part, what a counter shows is the sum of what replicas have added, within the range of its type.
extension Tracker {
  /// Records as additions of this replica what the counters of visible rows show beyond the sum of what was added.
  ///
  /// - Parameters:
  ///   - description: The table.
  ///   - table: The number of the table.
  ///   - condition: Which rows; `known` are their metadata, whose position is that of a new change.
  func countUntracked(in description: ModuleTable, _ table: Int64, where condition: String) throws {
    let present = try columns(of: description.name)
    for counter in try properties(of: table) where counter.isCounter {
      guard let column = description.columns.first(where: { $0.name == counter.column }),
        present.contains(where: column.name.isSameColumn(as:))
      else { continue }
      let value = "row.\(column.name.quotedName)"
      let added = "FROM \(SyncTables.counters) WHERE row = known.id AND property = \(counter.id) AND replica <> 0"
      try connection.run(
        """
        INSERT INTO \(SyncTables.counters) (row, property, replica, length, time, high, low)
          SELECT shown.id, \(counter.id), clock.replica, shown.length, shown.position, (value >> 32) - shown.high,
          (value & 4294967295) - shown.low
          FROM (SELECT known.id AS id, known.length - 1 + known.length % 2 AS length, known.position AS position,
          \(value) AS value, (SELECT coalesce(sum(high), 0) \(added)) AS high, (SELECT coalesce(sum(low), 0) \(added)) AS low
          FROM main.\(description.name.quotedName) AS row CROSS JOIN \(SyncTables.rows) AS known
          ON \(isRow(of: description, table)) WHERE known.status = 0 AND \(condition) AND typeof(\(value)) = 'integer'
          AND NOT EXISTS (SELECT 1 FROM \(SyncTables.cells) WHERE row = known.id AND property = \(counter.id)
          AND held = \(Holding.excess.rawValue))) AS shown, \(SyncTables.clock) AS clock
          WHERE (value >> 32, value & 4294967295) <> (shown.high + (shown.low >> 32), shown.low & 4294967295)
          ON CONFLICT (row, property, replica) DO UPDATE SET
          high = excluded.high + CASE WHEN length = excluded.length THEN high ELSE 0 END,
          low = excluded.low + CASE WHEN length = excluded.length THEN low ELSE 0 END,
          length = excluded.length, time = excluded.time
        """)
    }
  }

  /// Calls the closure, and then ``countUntracked(in:_:where:)`` for the rows to which it has given positions.
  func counting(in description: ModuleTable, _ table: Int64, _ body: () throws -> Void) throws {
    let start = try connection.first("SELECT now FROM \(SyncTables.clock)") { $0.integer(0) } ?? 0
    try body()
    try countUntracked(in: description, table, where: "known.position > \(start)")
  }

  /// Keeps what the counters of a table show that no longer takes part, as if a replica without an identifier had added
  /// it: what is added here meanwhile is the difference to it.
  func holdCounters(of table: TrackedTable) throws {
    for counter in table.counters {
      let added = "FROM \(SyncTables.counters) WHERE row = known.id AND property = \(counter.id) AND replica <> 0"
      try connection.run(
        """
        INSERT OR REPLACE INTO \(SyncTables.counters) (row, property, replica, length, time, high, low)
          SELECT known.id, \(counter.id), 0, known.length - 1 + known.length % 2, 0,
          (SELECT coalesce(sum(high), 0) \(added)), (SELECT coalesce(sum(low), 0) \(added))
          FROM \(SyncTables.rows) AS known WHERE known.table_id = \(table.id) AND known.status = 0
        """)
    }
  }
}

extension ReplicaFile {
  /// What counters of a row showed when its table left.
  struct HeldCounters {
    /// By the number of the property: what it showed when the table left, and the causal length of the row then.
    fileprivate let shown: [Int64: (length: Int64, amount: CounterAmount)]
  }

  /// The counters of a row as they were when its table left; none if it has never taken part.
  func heldCounters(of row: Int64) throws -> HeldCounters {
    let found = try connection.rows(
      "SELECT property, length, high, low FROM \(SyncTables.counters) WHERE row = ?1 AND replica = 0", [.integer(row)]
    ) { ($0.integer(0), (length: $0.integer(1), amount: CounterAmount(high: $0.integer(2), carrying: $0.integer(3)))) }
    return HeldCounters(shown: Dictionary(found) { $1 })
  }

  /// The state with what was added to the counters of a visible row while its table took no part.
  ///
  /// What was added to a row that others have inserted again meanwhile is lost, and so is what a table shows that has
  /// never taken part.
  func addingUncounted(_ held: HeldCounters, of row: StoredRow, to state: RowState) throws -> RowState {
    var state = state
    for (property, value) in shownCounters(of: row) {
      let before = held.shown[property.id]
      let base = before.map { CounterAmount($0.amount.clamped(to: property.range)) } ?? .zero
      let added = CounterAmount(value) - base
      if added == .zero { continue }
      if before?.length == state.insertionLength {
        state = state.adding(added, to: property.name, try newStamp())
      } else if before != nil || CounterAmount(value) != state.sum(of: property.name) {
        let amount = added.clamped(to: property.range)
        state = state.adding([LostValue(property: property.name, stamp: try newStamp(), value: .integer(amount))])
      }
    }
    return state
  }

  /// Records what the counters of a row show that is a new one.
  func countAnew(_ row: StoredRow) throws {
    guard let id = row.id, let table = table(row.state.table) else { return }
    var state = row.state
    for (property, value) in shownCounters(of: row) where value != 0 {
      state = state.adding(CounterAmount(value), to: property.name, try newStamp())
    }
    try writeContributions(state, id, table.id)
  }

  private func shownCounters(
    of row: StoredRow
  ) -> [(property: (id: Int64, name: String, range: ClosedRange<Int64>), value: Int64)] {
    guard let table = table(row.state.table) else { return [] }
    return zip(table.properties, row.shown).compactMap { property, value in
      guard let range = property.column.counterRange, case .integer(let number) = value else { return nil }
      return ((property.id, property.name, range), number)
    }
  }
}
