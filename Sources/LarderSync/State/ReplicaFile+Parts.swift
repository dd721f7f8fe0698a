import Larder

/// What a row's state has beside its properties: contributions to counters, and values that lost.
extension ReplicaFile {
  // MARK: Counters

  func contributions(of row: Int64, _ table: Int64, since length: Int64) throws -> [Contribution] {
    guard hasContributions else { return [] }
    let found = try connection.rows(
      """
      SELECT property, replica, length, time, high, low FROM \(SyncTables.counters) WHERE row = ?1 AND length >= ?2 \
      AND replica <> 0
      """, [.integer(row), .integer(length)]
    ) { row in
      Contribution(
        property: try propertyName(row.integer(0), of: table), stamp: try stamp(row.integer(3), row.integer(1)),
        causalLength: row.integer(2), amount: CounterAmount(high: row.integer(4), carrying: row.integer(5)))
    }
    return found.sorted { $0.precedes($1) }
  }

  /// Writes contributions, and removes those of former lives of the row.
  func writeContributions(_ state: RowState, _ row: Int64, _ table: Int64) throws {
    if state.contributions.isEmpty, !hasContributions { return }
    for contribution in state.contributions {
      try connection.run(
        """
        INSERT INTO \(SyncTables.counters) (row, property, replica, length, time, high, low)
          VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (row, property, replica) DO UPDATE SET
          length = excluded.length, time = excluded.time, high = excluded.high, low = excluded.low
        """,
        [
          .integer(row), .integer(try property(contribution.property, of: table).id),
          .integer(try id(of: contribution.stamp.replica)), .integer(contribution.causalLength),
          .integer(contribution.stamp.time), .integer(contribution.amount.high),
          .integer(Int64(contribution.amount.low)),
        ])
      hasContributions = true
    }
    // What this file has added for certain stays confirmed when it comes back, perhaps in a new life of the row.
    try connection.run(
      """
      UPDATE \(SyncTables.counters) SET confirmed_length = length, confirmed_time = time, confirmed_high = high, \
      confirmed_low = low WHERE row = ?1 AND replica = (SELECT replica FROM \(SyncTables.clock)) \
      AND time <= (SELECT identified FROM \(SyncTables.clock))
      """, [.integer(row)])
    try connection.run(
      "DELETE FROM \(SyncTables.counters) WHERE row = ?1 AND length < ?2 AND replica <> 0",
      [.integer(row), .integer(state.insertionLength)])
  }

  /// The state as this program's models have it: what a model that knows no counter has written to one is what the
  /// writer has added.
  func counting(_ state: RowState) -> RowState {
    guard let counters = table(state.table)?.counters, !counters.isEmpty else { return state }
    let names = Set(counters.map(\.name))
    let written = state.properties.filter { names.contains($0.name) }
    if written.isEmpty { return state }
    let added = written.compactMap { property -> Contribution? in
      guard case .integer(let number) = property.value, number != 0 else { return nil }
      return Contribution(
        property: property.name, stamp: property.stamp, causalLength: property.causalLength,
        amount: CounterAmount(number))
    }
    let counted = state.changed(properties: state.properties.filter { !names.contains($0.name) }, contributions: [])
    let both = [state.contributions, added].map { counted.changed(contributions: $0) }
    return both[0].merging(both[1])
  }

  // MARK: Losses

  func losses(of row: Int64, _ table: Int64) throws -> [LostValue] {
    guard hasLosses else { return [] }
    let found = try connection.rows(
      "SELECT property, time, replica, value, is_dismissed FROM \(SyncTables.conflicts) WHERE row = ?1", [.integer(row)]
    ) { row in
      LostValue(
        property: row.integer(0) == 0 ? nil : try propertyName(row.integer(0), of: table),
        stamp: try stamp(row.integer(1), row.integer(2)), value: row.value(3), isDismissed: row.integer(4) != 0)
    }
    return found.sorted()
  }

  /// Writes losses in place of those that the row has.
  func writeLosses(_ state: RowState, _ row: Int64, _ table: Int64) throws {
    if hasLosses { try connection.run("DELETE FROM \(SyncTables.conflicts) WHERE row = ?1", [.integer(row)]) }
    for loss in state.losses {
      try connection.run(
        """
        INSERT INTO \(SyncTables.conflicts) (row, property, time, replica, value, is_dismissed)
          VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        """,
        [
          .integer(row), .integer(try loss.property.map { try property($0, of: table).id } ?? 0),
          .integer(loss.stamp.time), .integer(try id(of: loss.stamp.replica)), loss.value,
          .integer(loss.isDismissed ? 1 : 0),
        ])
      hasLosses = true
    }
  }

  private func propertyName(_ id: Int64, of table: Int64) throws -> String {
    guard let property = try properties(of: table).first(where: { $0.id == id }) else { throw damaged }
    return property.name
  }
}
