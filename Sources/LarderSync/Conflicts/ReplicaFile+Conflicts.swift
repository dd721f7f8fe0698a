import Larder

extension ReplicaFile {
  // MARK: Finding

  /// Returns whether the writer of one value knew the other, or whether both were written at the same time.
  func knew(_ later: Stamp, _ earlier: Stamp) throws -> Bool {
    if later.replica == earlier.replica { return later.time >= earlier.time }
    return try connection.finds(
      """
      SELECT 1 FROM \(SyncTables.knowledge) WHERE replica = ?1 AND origin = ?2 AND since <= ?3 AND up_to >= ?4
      """,
      [
        .integer(try id(of: later.replica)), .integer(try id(of: earlier.replica)), .integer(later.time),
        .integer(earlier.time),
      ])
  }

  /// Records what is lost when two states of a row are merged, unless the one that wins was written with knowledge of
  /// the other.
  func recordConflicts(of own: RowState, and other: RowState, _ row: Int64) throws {
    for property in own.properties {
      guard let rival = other.property(property.name), rival.stamp != property.stamp, rival.value != property.value
      else { continue }
      let (lost, won) = property.isOlder(than: rival) ? (property, rival) : (rival, property)
      if try !knew(won.stamp, lost.stamp) {
        let id = try self.property(property.name, of: try tableID(of: own.table, keyCount: own.key.count)).id
        try record(row, id, lost.stamp, lost.value)
      }
    }
    let (deleted, alive) = own.causalLength > other.causalLength ? (own, other) : (other, own)
    guard !deleted.isThere, deleted.causalLength > alive.causalLength else { return }
    let edits = try alive.properties.map(\.stamp).filter { stamp in
      try !deleted.properties.contains { $0.stamp == stamp } && !knew(deleted.stamp, stamp)
    }
    if let last = edits.max() { try record(row, 0, last, .null) }
  }

  private func record(_ row: Int64, _ property: Int64, _ stamp: Stamp, _ value: ReplicatedValue) throws {
    try connection.run(
      """
      INSERT INTO \(SyncTables.conflicts) (row, property, time, replica, value) VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT DO NOTHING
      """,
      [
        .integer(row), .integer(property), .integer(stamp.time), .integer(try id(of: stamp.replica)), value,
      ])
  }

  // MARK: Reading

  /// The conflicts that nobody has decided, newest first.
  func conflicts() throws -> [SyncConflict] {
    let found = try connection.rows(
      """
      SELECT row, property, time, replica, value FROM \(SyncTables.conflicts) WHERE is_dismissed = 0 \
      ORDER BY time DESC, row, property
      """
    ) { row in
      (
        ConflictAddress(
          row: row.integer(0), property: row.integer(1), time: row.integer(2), replica: row.integer(3)), row.value(4)
      )
    }
    return try found.compactMap { try conflict($0, $1) }
  }

  /// Nil if the row or the property was written since by someone who knew of both values.
  private func conflict(_ address: ConflictAddress, _ value: ReplicatedValue) throws -> SyncConflict? {
    guard let row = try row(address.row) else { return nil }
    let lost = try stamp(address.time, address.replica)
    let isDeletion = address.property == 0
    var property: PropertyState?
    if !isDeletion {
      let table = try tableID(of: row.state.table, keyCount: row.state.key.count)
      let name = try properties(of: table).first { $0.id == address.property }?.name
      guard let found = row.state.properties.first(where: { $0.name == name }) else { return nil }
      property = found
    }
    let current = property?.stamp ?? row.state.stamp
    guard isDeletion ? !row.state.isThere : true, current != lost, try !knew(current, lost) else { return nil }
    return SyncConflict(
      kind: property.map { .value(property: $0.name) } ?? .deletedRow, table: row.state.table,
      key: row.state.key.map(\.stored), lost: value.stored, lostStamp: lost,
      current: property?.value.stored ?? .null, currentStamp: current, address: address, lostValue: value)
  }

  // MARK: Deciding

  /// Marks a conflict as decided; its value is forgotten. It stays in the file, so that it isn't found anew.
  func dismiss(_ address: ConflictAddress) throws {
    let arguments: [ReplicatedValue] = [
      .integer(address.row), .integer(address.property), .integer(address.time), .integer(address.replica),
    ]
    let isConflict = "row = ?1 AND property = ?2 AND time = ?3 AND replica = ?4 AND is_dismissed = 0"
    guard try connection.finds("SELECT 1 FROM \(SyncTables.conflicts) WHERE \(isConflict)", arguments) else {
      throw missing
    }
    try connection.run(
      "UPDATE \(SyncTables.conflicts) SET is_dismissed = 1, value = NULL WHERE \(isConflict)", arguments)
  }

  /// The error for an entry of a list that was decided meanwhile.
  var missing: StoreError {
    StoreError(
      .notFound, ofModel: nil, "The entry is no longer in the list: it was decided meanwhile. Read the list again.")
  }

  /// A stamp of this replica for a new write.
  func newStamp() throws -> Stamp {
    let now = try tick()
    return try stamp(now, clock().replica)
  }

  /// Gives rows new states, and computes what is visible then.
  func change(_ row: StoredRow, to state: RowState) throws { try change([(row, state)]) }

  /// - Parameter changes: The rows as they are, nil for new ones, and their new states.
  func change(_ changes: [(row: StoredRow?, state: RowState)]) throws {
    let region = VisibilityRegion(self)
    for change in changes { region.touch(change.state, old: change.row) }
    try applying {
      try region.solve()
      try write(region)
    }
    try connection.run("UPDATE \(SyncTables.clock) SET settled = now")
  }
}

extension RowState {
  /// The state after a property was set.
  func setting(_ name: String, to value: ReplicatedValue, _ stamp: Stamp) -> RowState {
    let property = PropertyState(name: name, value: value, stamp: stamp, causalLength: causalLength)
    let properties = (self.properties.filter { $0.name != name } + [property]).sorted { $0.name < $1.name }
    return RowState(
      table: table, key: key, causalLength: causalLength, stamp: self.stamp, insertion: insertion,
      properties: properties)
  }

  /// The state of a deleted row after it was inserted again with the values that it had.
  func insertedAgain(_ stamp: Stamp) -> RowState {
    let length = causalLength + 1
    return RowState(
      table: table, key: key, causalLength: length, stamp: stamp, insertion: stamp,
      properties: properties.map {
        PropertyState(name: $0.name, value: $0.value, stamp: stamp, causalLength: length)
      })
  }

  /// The state after the row was deleted.
  func deleted(_ stamp: Stamp) -> RowState {
    RowState(
      table: table, key: key, causalLength: causalLength + causalLength % 2, stamp: stamp, insertion: insertion,
      properties: properties)
  }
}
