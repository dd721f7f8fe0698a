import Larder

extension ReplicaFile {
  // MARK: Finding

  /// Returns whether the writer of one value knew the other, or whether both were written at the same time.
  ///
  /// Who knows of a write has a clock that is past it, so a statement covers nothing that was written after the time from
  /// which on it holds.
  func knew(_ later: Stamp, _ earlier: Stamp) throws -> Bool {
    if later.replica == earlier.replica { return later.time >= earlier.time }
    let known = try lastKnowledge(of: id(of: later.replica), over: id(of: earlier.replica), at: later.time)
    return known.map { min($0.since, $0.upTo) >= earlier.time } ?? false
  }

  /// Returns what is lost when two states of a row are merged, unless the one that wins was written with knowledge of
  /// the other.
  func losses(of own: RowState, and other: RowState) throws -> [LostValue] {
    var losses: [LostValue] = []
    let rivals = Dictionary(other.properties.map { ($0.name, $0) }) { first, _ in first }
    for property in own.properties {
      guard let rival = rivals[property.name], rival.stamp != property.stamp, rival.value != property.value,
        property.name != RowState.mergedInto
      else { continue }
      // The time of the last change isn't anyone's value.
      if property.name == ".updatedAt", try keepsTimes(own.table) { continue }
      let (lost, won) = property.isOlder(than: rival) ? (property, rival) : (rival, property)
      // A value without a time was listed when its table took part again.
      if lost.stamp.time > 0, try !knew(won.stamp, lost.stamp) {
        losses.append(LostValue(property: property.name, stamp: lost.stamp, value: lost.value))
      }
    }
    losses += try overwrittenProperties(of: own, and: other)
    losses += try lostAdditions(of: own, and: other)
    let (deleted, alive) = own.causalLength > other.causalLength ? (own, other) : (other, own)
    guard !deleted.isThere, deleted.causalLength > alive.causalLength else { return losses }
    let known = Set(deleted.writes)
    let edits = try alive.writes.filter { try !known.contains($0) && !knew(deleted.stamp, $0) }
    if let last = edits.max() { losses.append(LostValue(property: nil, stamp: last, value: .null)) }
    return losses
  }

  /// Returns the properties that vanish because the row was inserted again elsewhere without them, by someone who didn't
  /// know them: a document that was saved anew, or a row of an app whose model lacks them.
  ///
  /// A default is one of them, and so is nil, except in a document: every replica has to find the same, whatever its models.
  private func overwrittenProperties(of own: RowState, and other: RowState) throws -> [LostValue] {
    guard own.insertionLength != other.insertionLength else { return [] }
    let (newer, older) = own.insertionLength > other.insertionLength ? (own, other) : (other, own)
    let present = Set(newer.properties.map(\.name))
    return try older.properties.compactMap { property in
      guard !present.contains(property.name), property.stamp.time > 0, property.name != RowState.mergedInto else {
        return nil
      }
      if own.isDocument, property.value.isNull { return nil }
      if property.name == ".updatedAt", try keepsTimes(own.table) { return nil }
      if try knew(newer.insertion, property.stamp) { return nil }
      return LostValue(property: property.name, stamp: property.stamp, value: property.value)
    }
  }

  /// Returns what replicas had added to the counters of a row that was inserted again by someone who didn't know of it.
  ///
  /// The new row counts anew. What a replica has added is one number, and how much of it was known isn't told apart, because
  /// every replica has to find the same.
  private func lostAdditions(of own: RowState, and other: RowState) throws -> [LostValue] {
    guard own.insertionLength != other.insertionLength else { return [] }
    let (newer, older) = own.insertionLength > other.insertionLength ? (own, other) : (other, own)
    return try older.contributions.compactMap { contribution -> LostValue? in
      // Who brings a row back takes over what had been added to it. Later additions have seen the new row.
      let kept = newer.contributions.first { $0.isSame(as: contribution) }
      if let kept, kept.stamp.time >= contribution.stamp.time { return nil }
      let lost = contribution.amount - (kept?.amount ?? .zero)
      if try lost == .zero || knew(newer.insertion, contribution.stamp) { return nil }
      return LostValue(
        property: contribution.property, stamp: contribution.stamp,
        value: .integer(lost.clamped(to: Int64.min...Int64.max)))
    }
  }

  /// Whether a collection records by itself when its documents change.
  private func keepsTimes(_ table: String) throws -> Bool {
    guard let collection = self.table(table), collection.isCollection else { return false }
    return try connection.keepsTimes(collection.description.name)
  }

  // MARK: Reading

  /// The conflicts that nobody has decided, newest first.
  func conflicts() throws -> [SyncConflict] {
    let rows = try connection.rows(
      "SELECT DISTINCT row FROM \(SyncTables.conflicts) WHERE is_dismissed = 0 ORDER BY row"
    ) { $0.integer(0) }
    var found: [SyncConflict] = []
    for id in rows {
      if let row = try row(id) { found += try conflicts(of: row) }
    }
    // Those of one time keep the order of their rows and properties.
    return found.enumerated().sorted { left, right in
      (right.element.lostStamp.time, left.offset) < (left.element.lostStamp.time, right.offset)
    }.map(\.element)
  }

  /// The conflicts of a row that nobody has decided.
  func conflicts(of row: StoredRow) throws -> [SyncConflict] {
    // What a replica had added to a counter later includes what it had added before.
    let latest = Dictionary(
      row.state.losses.compactMap { loss in
        loss.property.map { (Addition(counter: $0, replica: loss.stamp.replica), loss.stamp.time) }
      }, uniquingKeysWith: max)
    return try row.state.losses.compactMap { loss in
      if let property = loss.property, try isCounter(property, of: row.state),
        let last = latest[Addition(counter: property, replica: loss.stamp.replica)], last > loss.stamp.time
      {
        return nil
      }
      return try conflict(loss, row)
    }
  }

  private struct Addition: Hashable {
    let counter: String
    let replica: ReplicaID
  }

  /// Whether a row lacks a property, because it was inserted again by an app without it, and shows the value that was lost.
  private func isShown(_ lost: ReplicatedValue, as property: String, in row: RowState) -> Bool {
    if row.isDocument || row.property(property) != nil { return false }
    guard let known = table(row.table)?.properties.first(where: { $0.name == property }) else { return lost.isNull }
    if known.isCounter { return false }
    return lost == value(of: known, in: row) || lost.isNull && !known.column.isOptional
  }

  /// Nil if someone has decided about it, or if the row or the property was written since by someone who knew of both values.
  private func conflict(_ loss: LostValue, _ row: StoredRow) throws -> SyncConflict? {
    if loss.isDismissed || row.status == .expired { return nil }
    let (lost, value) = (loss.stamp, loss.value)
    let isDeletion = loss.property == nil
    var property: PropertyState?
    var isAddition = false
    if let name = loss.property {
      isAddition = try isCounter(name, of: row.state)
      property = isAddition ? counted(name, in: row.state) : row.state.property(name)
      // Who inserted the row again without a property has removed it from a document, or his model lacks it.
      if property == nil {
        if isShown(value, as: name, in: row.state) { return nil }
        let shown = self.table(row.state.table)?.properties.first { $0.name == name }
        property = PropertyState(
          name: name, value: shown.map { self.value(of: $0, in: row.state) } ?? .null, stamp: row.state.insertion,
          causalLength: row.state.insertionLength)
      }
    }
    let current = property?.stamp ?? row.state.stamp
    guard isDeletion ? !row.state.isThere : true, current != lost, try !knew(current, lost) else { return nil }
    let tracked = table(row.state.table)
    let shown = property.map { shownName(of: $0.name, in: row.state) }
    return SyncConflict(
      kind: shown.map { .value(property: $0) } ?? .deletedRow,
      table: CollectionName.collection(row.state.table) ?? row.state.table,
      key: row.state.key.map(\.stored), lost: value.stored, lostStamp: lost,
      lostReplica: try name(of: lost.replica),
      current: property?.value.stored ?? .null, currentStamp: current,
      currentReplica: try name(of: current.replica), isAddition: isAddition,
      model: row.state.isDocument ? nil : tracked?.description.model, rowKey: row.rowKey,
      property: property?.name)
  }

  /// A counter as a property that was written when its row was: what is counted afterwards overwrites nothing.
  private func counted(_ name: String, in row: RowState) -> PropertyState {
    let range = table(row.table)?.properties.first { $0.name == name }?.column.counterRange ?? Int64.min...Int64.max
    return PropertyState(
      name: name, value: .integer(row.sum(of: name).clamped(to: range)), stamp: row.stamp,
      causalLength: row.insertionLength)
  }

  /// The name that a property has for users: that in the model of this program, if it has the property.
  func shownName(of property: String, in row: RowState) -> String {
    if row.isDocument { return CollectionName.property(property, of: row) }
    return table(row.table)?.properties.first { $0.name == property }?.column.property ?? property
  }

  // MARK: Removing

  /// Removes what set-aside rows had, and the writes over them have written again: rows are read without it. In a transaction of
  /// the caller's.
  ///
  /// - Parameter time: The time up to which this was done.
  func removeRepeatedLosses(after time: Int64) throws {
    let own = try clock().replica
    let ids = try connection.rows(
      "SELECT DISTINCT row FROM \(SyncTables.conflicts) WHERE replica = ?1 AND time > ?2",
      [.integer(own), .integer(time)]
    ) { $0.integer(0) }
    for id in ids {
      let state: RowState?
      // Whoever needs a damaged row reports it.
      do { state = try row(id)?.state } catch let error as StoreError where error.code == .corrupt { state = nil }
      guard let state else { continue }
      try writeLosses(state, id, try tableID(of: state.table, keyCount: state.key.count))
    }
  }

  // MARK: Deciding

  /// Decides about a conflict: its value is forgotten, on all replicas. It stays in the state, so that it isn't found anew.
  ///
  /// - Parameters:
  ///   - conflict: The conflict.
  ///   - restoring: Whether the value that lost is written as a new one, or added to the counter. A row that is deleted is
  ///     inserted again for it.
  /// - Returns: The error for a conflict that is no longer in the list.
  func decide(_ conflict: SyncConflict, restoring: Bool) throws -> StoreError? {
    // This program may have heard of a collection only that a document of it was deleted.
    if restoring, try Tracker(connection).takeUp(collections: [ExactName(conflict.rowKey.table)]) {
      return try ReplicaFile(connection).decide(conflict, restoring: restoring)
    }
    try settle()
    let property = conflict.property
    // What an expired row had is gone.
    guard let row = try row(conflict.rowKey), row.status != .expired,
      let loss = row.state.losses.first(where: { $0.property == property && $0.stamp == conflict.lostStamp }),
      !loss.isDismissed
    else { return missing }
    let isAddition = try property.map { try isCounter($0, of: row.state) } ?? false
    let decided = row.state.losses.filter { $0 == loss || isAddition && loss.isLaterAddition(than: $0) }
    var state = row.state.adding(
      decided.map { LostValue(property: property, stamp: $0.stamp, value: .null, isDismissed: true) })
    if restoring {
      let stamp = try newStamp()
      if !state.isThere { state = state.insertedAgain(stamp) }
      if let property, isAddition {
        if case .integer(let amount) = loss.value { state = state.adding(CounterAmount(amount), to: property, stamp) }
      } else if let property {
        state = state.setting(property, to: loss.value, stamp)
      }
    }
    try change(row, to: state)
    return nil
  }

  /// Whether replicas add up a property of a row.
  private func isCounter(_ property: String, of row: RowState) throws -> Bool {
    let table = try tableID(of: row.table, keyCount: row.key.count)
    return try properties(of: table).contains { $0.name == property && $0.isCounter }
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
    for change in changes where table(change.state.table) != nil { region.touch(change.state, old: change.row) }
    for change in changes where table(change.state.table) == nil {
      // No model of this program has the row.
      let position = try tick()
      try write(StoredRow(id: change.row?.id, state: change.state, status: .unknown, position: position))
    }
    try applying {
      try region.solve()
      try write(region)
    }
    try connection.run("UPDATE \(SyncTables.clock) SET settled = now")
  }
}

extension LostValue {
  /// Whether both are what a replica had added to a counter, and this one is of a later time: it includes the other.
  fileprivate func isLaterAddition(than other: LostValue) -> Bool {
    property == other.property && stamp.replica == other.stamp.replica && stamp.time > other.stamp.time
  }
}

extension ReplicatedValue {
  /// Whether both are equal, or the same number in two storage classes.
  fileprivate func isSame(as other: ReplicatedValue) -> Bool {
    switch (self, other) {
    case (.integer(let whole), .real(let real)), (.real(let real), .integer(let whole)): Int64(exactly: real) == whole
    default: self == other
    }
  }
}

extension RowState {
  /// The state without the values that a set-aside row had and the write over it has written again: they have the time after
  /// that of the write. A trigger lists them, because it doesn't know what is written.
  var withoutRepeatedLosses: RowState {
    if losses.isEmpty { return self }
    struct Write: Hashable {
      let property: String
      let stamp: Stamp
    }
    var written = Dictionary(properties.map { (Write(property: $0.name, stamp: $0.stamp), $0.value) }) { $1 }
    for loss in losses where !loss.isDismissed {
      if let property = loss.property { written[Write(property: property, stamp: loss.stamp)] = loss.value }
    }
    let rest = losses.filter { loss in
      guard !loss.isDismissed, let property = loss.property,
        let before = Stamp(time: loss.stamp.time - 1, replica: loss.stamp.replica)
      else { return true }
      return !(written[Write(property: property, stamp: before)]?.isSame(as: loss.value) ?? false)
    }
    return changed(losses: rest)
  }

  /// The stamps of the writes to properties and counters.
  var writes: [Stamp] { properties.map(\.stamp) + contributions.map(\.stamp) }

  /// The stamp of the last write to the row, its insertion among them.
  var lastWrite: Stamp { writes.reduce(insertion) { max($0, $1) } }

  /// The state after a property was set.
  func setting(_ name: String, to value: ReplicatedValue, _ stamp: Stamp) -> RowState {
    let property = PropertyState(name: name, value: value, stamp: stamp, causalLength: insertionLength)
    return changed(properties: (properties.filter { $0.name != name } + [property]).sorted { $0.name < $1.name })
  }

  /// The state after this replica has added something to a counter.
  func adding(_ amount: CounterAmount, to counter: String, _ stamp: Stamp) -> RowState {
    let own = contributions.filter { $0.property == counter && $0.stamp.replica == stamp.replica }
    let sum = own.reduce(amount) { $0 + $1.amount }
    let contribution = Contribution(property: counter, stamp: stamp, causalLength: insertionLength, amount: sum)
    let others = contributions.filter { !$0.isSame(as: contribution) }
    return changed(contributions: (others + [contribution]).sorted { $0.precedes($1) })
  }

  /// The state of a deleted row after it was inserted again with the values that it had.
  ///
  /// Counters go on from what each replica has added, so that two who bring the row back don't add it twice.
  func insertedAgain(_ stamp: Stamp) -> RowState {
    let length = causalLength + 1
    return RowState(
      table: table, key: key, causalLength: length, stamp: stamp, insertion: stamp,
      properties: properties.filter { $0.name != Self.mergedInto }.map {
        PropertyState(name: $0.name, value: $0.value, stamp: stamp, causalLength: length)
      },
      contributions: contributions.map {
        Contribution(property: $0.property, stamp: $0.stamp, causalLength: length, amount: $0.amount)
      }, losses: losses)
  }

  /// The state after the row was deleted.
  func deleted(_ stamp: Stamp) -> RowState {
    RowState(
      table: table, key: key, causalLength: causalLength + causalLength % 2, stamp: stamp, insertion: insertion,
      properties: properties, contributions: contributions, losses: losses)
  }
}
