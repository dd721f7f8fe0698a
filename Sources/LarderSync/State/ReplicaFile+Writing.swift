import Larder

extension ReplicaFile {
  /// Writes a region to tables and metadata, in a transaction of the caller's in which triggers record nothing.
  ///
  /// - Parameters:
  ///   - region: The region, solved.
  ///   - sources: The numbers of the replicas from which states came as they are.
  func write(_ region: VisibilityRegion, sources: [RowKey: Int64] = [:]) throws {
    // Members are large: only their keys are moved while they are sorted.
    let members = region.members.keys.sorted().compactMap { region.members[$0] }
    for member in members where member.old?.state != member.state || member.old?.status != member.status {
      try expectAttachments(
        of: member.state, isAwaited: member.state.isThere || member.status == .visible)
    }
    for member in members where member.status == .visible {
      guard let table = table(member.state.table) else { continue }
      if table.isCollection, member.old?.state != member.state { try noteDocument(member.state, table) }
      if let column = table.description.expiryColumn,
        let property = table.properties.first(where: { $0.column.name == column }),
        case .real(let seconds) = member.state.value(of: property.name)
      {
        connection.noteExpiry(seconds)
      }
    }
    try TableWriter(connection: connection).write(try members.compactMap(tableChange))
    var position = try clock().now
    for member in members {
      let old = member.old
      let isChanged = old?.state != member.state
      guard isChanged || old?.status != member.status || old?.hidden ?? [] != member.hidden else { continue }
      var row = StoredRow(
        id: old?.id, state: member.state, status: member.status, hidden: member.hidden,
        position: old?.position ?? 0, source: old?.source)
      // Who has forgotten a row that returns has to hear of it again.
      if isChanged || member.isReturning {
        position += 1
        row.position = position
        row.source = sources[row.rowKey]
      }
      try write(row)
    }
    try advanceClock(to: position)
  }

  /// Moves the clock to a position that was given to a row.
  func advanceClock(to position: Int64) throws {
    try connection.run("UPDATE \(SyncTables.clock) SET now = max(now, ?1)", [.integer(position)])
  }

  private func tableChange(_ member: VisibilityRegion.Member) throws -> TableChange? {
    guard let table = table(member.state.table) else { return nil }
    let old = try member.old.flatMap { $0.isVisible ? try present($0, table) : nil }
    var new = member.status == .visible ? try shown(member.state, member.hidden, table) : nil
    if let old, let former = member.old?.state, new != nil, !table.isCollection {
      // What nobody has written stays as it is, also if the model has another default today.
      for (index, property) in table.properties.enumerated() where isAbsent(property, in: former) {
        if isAbsent(property, in: member.state) { new?[index] = old[index] }
      }
    }
    if old == new { return nil }
    return TableChange(table: table, rowKey: member.state.rowKey, old: old, new: new)
  }

  /// The values that a table shows of a visible row.
  private func shown(_ state: RowState, _ hidden: Set<String>, _ table: TrackedTable) throws -> [ReplicatedValue] {
    if table.isCollection { return try documentValues(state, table) }
    return table.properties.map { property in
      property.reference != nil && hidden.contains(property.name) ? .null : value(of: property, in: state)
    }
  }

  /// Whether nobody has written a property of a row.
  private func isAbsent(_ property: TrackedTable.Property, in state: RowState) -> Bool {
    !property.isCounter && state.property(property.name) == nil
  }

  /// The values that a table has of a visible row. A counter may differ from its sum, if that was out of its range, and a
  /// property that is hidden, or that nobody has written, has what it had before.
  private func present(_ row: StoredRow, _ table: TrackedTable) throws -> [ReplicatedValue] {
    let values = try shown(row.state, row.hidden, table)
    return zip(table.properties.indices, values).map { index, value in
      let property = table.properties[index]
      let isOwn = property.isCounter || row.hidden.contains(property.name) || isAbsent(property, in: row.state)
      return isOwn && index < row.shown.count ? row.shown[index] : value
    }
  }

  /// Writes the metadata of a row, and the values that no table shows.
  func write(_ row: StoredRow) throws {
    let state = row.state
    try widenKeys(to: state.key.count)
    let table = try tableID(of: state.table, keyCount: state.key.count)
    let values: [ReplicatedValue] = [
      .integer(state.causalLength), .integer(state.insertion.time), .integer(try id(of: state.insertion.replica)),
      state.isThere ? .null : .integer(state.stamp.time),
      state.isThere ? .null : .integer(try id(of: state.stamp.replica)), .integer(row.position),
      row.source.map { .integer($0) } ?? .null, .integer(row.status.rawValue),
    ]
    let id: Int64
    if let known = row.id {
      id = known
      try connection.run(
        """
        UPDATE \(SyncTables.rows) SET length = ?2, time = ?3, replica = ?4, deletion_time = ?5, deletion_replica = ?6, \
        position = ?7, source = ?8, status = ?9 WHERE id = ?1
        """, [.integer(id)] + values)
      try connection.run("DELETE FROM \(SyncTables.cells) WHERE row = ?1", [.integer(id)])
    } else {
      let keys = SyncTables.keys(keyCount)
      let parameters = (1...(9 + keyCount)).map { "?\($0)" }.joined(separator: ", ")
      try connection.run(
        """
        INSERT INTO \(SyncTables.rows) (length, time, replica, deletion_time, deletion_replica, position, source, \
        status, table_id, \(keys.joined(separator: ", "))) VALUES (\(parameters))
        """, values + arguments(table, state.key))
      id = try connection.first("SELECT last_insert_rowid()", []) { $0.integer(0) } ?? 0
    }
    try writeCells(row, id, table)
    try markAbsent(row, id)
    try markCounters(row, id)
    try writeContributions(state, id, table)
    try writeLosses(state, id, table)
    if let tracked = self.table(table), isUnjudged(row, tracked) {
      try connection.run(
        "INSERT OR IGNORE INTO \(SyncTables.unjudged) (table_id, row) VALUES (?1, ?2)",
        [.integer(table), .integer(id)])
    }
  }

  /// Whether a program with other types may decide otherwise whether the row is visible.
  private func isUnjudged(_ row: StoredRow, _ table: TrackedTable) -> Bool {
    switch row.status {
    case .visible: isVague(row.state, table)
    case .lacksReference: !isComplete(row.state, table)
    // Others refer to it by `.deny`.
    case .cascaded: !row.state.isThere && !isComplete(row.state, table)
    default: false
    }
  }

  /// Whether the row has a value about which the file's description of a model that the program lacks says too little.
  private func isVague(_ state: RowState, _ table: TrackedTable) -> Bool {
    table.vagueColumns.contains { !value(of: $0, in: state, table).isNull }
  }

  /// Marks the counters whose sum is out of their range, so that the next exchange looks at the row even if only a
  /// trigger has changed it.
  private func markCounters(_ row: StoredRow, _ id: Int64) throws {
    guard row.isVisible, !row.state.contributions.isEmpty, let table = table(row.state.table) else { return }
    for counter in table.counters {
      let sum = row.state.sum(of: counter.name)
      guard let range = counter.column.counterRange, CounterAmount(sum.clamped(to: range)) != sum else { continue }
      try connection.run(
        "INSERT INTO \(SyncTables.cells) (row, property, length, time, replica, held) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        [
          .integer(id), .integer(counter.id), .integer(row.state.insertionLength),
          .integer(row.state.insertion.time), .integer(try self.id(of: row.state.insertion.replica)),
          .integer(Holding.excess.rawValue),
        ])
    }
  }

  private func writeCells(_ row: StoredRow, _ id: Int64, _ table: Int64) throws {
    let state = row.state
    let insertionLength = state.causalLength - 1 + state.causalLength % 2
    let isInJSON = row.isVisible && state.isDocument && self.table(table) != nil
    for property in state.properties {
      let known = try self.property(property.name, of: table)
      // That a document lacks a property doesn't show in the table.
      let isGone = isInJSON && known.column == nil && property.value.isNull
      let holding: Holding =
        if isInJSON {
          .none
        } else if row.isVisible, isShown(known.id, in: table) {
          !row.hidden.contains(property.name)
            ? .none : isReference(known.id, of: table) ? .hidden : .held
        } else {
          known.isLookedUp ? .lookedUp : .held
        }
      if holding == .none, property.stamp == state.insertion, property.causalLength == insertionLength, !isGone,
        state.insertion.time > known.absentUntil
      {
        continue
      }
      try connection.run(
        "INSERT INTO \(SyncTables.cells) (row, property, length, time, replica, held, value) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        [
          .integer(id), .integer(known.id), .integer(property.causalLength), .integer(property.stamp.time),
          .integer(try self.id(of: property.stamp.replica)), .integer(holding.rawValue),
          holding == .none ? .null : property.value,
        ])
    }
  }

  /// Marks the properties that the model of whoever inserted the row lacks: nobody has written what the table shows.
  private func markAbsent(_ row: StoredRow, _ id: Int64) throws {
    let state = row.state
    guard row.isVisible, !state.isDocument, let table = table(state.table) else { return }
    for property in table.properties
    where state.insertion.time > property.absentUntil && isAbsent(property, in: state) {
      try connection.run(
        "INSERT INTO \(SyncTables.cells) (row, property, length, time, replica) VALUES (?1, ?2, ?3, 0, ?4)",
        [
          .integer(id), .integer(property.id), .integer(state.insertionLength),
          .integer(try self.id(of: state.insertion.replica)),
        ])
    }
  }

  private func isReference(_ property: Int64, of table: Int64) -> Bool {
    self.table(table)?.properties.first { $0.id == property }?.reference != nil
  }
}
