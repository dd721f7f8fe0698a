import Larder

/// Merges a row that is set aside into a visible one.
struct DuplicateMerge {
  private let loser: StoredRow
  private let winner: StoredRow
  private let file: ReplicaFile
  /// The rows whose key changes, because it refers to the loser or to another one of them; and the loser.
  private var moves: [RowKey: RowKey]
  /// The rows that change, as they are, and as they will be.
  private var changes: [RowKey: (row: StoredRow?, state: RowState)] = [:]

  init(_ loser: StoredRow, into winner: StoredRow, _ file: ReplicaFile) {
    self.loser = loser
    self.winner = winner
    self.file = file
    moves = [loser.rowKey: winner.rowKey]
  }

  /// Writes everything, in a transaction of the caller's.
  consuming func run() throws {
    let stamp = try file.newStamp()
    for referrer in try referrers() { try redirect(referrer, stamp) }
    set(loser, loser.state.merged(into: winner.state.key, stamp))
    var state = changes[winner.rowKey]?.state ?? winner.state
    // Only those that refer to it keep it visible.
    if !state.isThere { state = state.insertedAgain(stamp) }
    set(winner, try keeping(loser.state, in: state))
    try file.change(changes.sorted { $0.key < $1.key }.map(\.value))
  }

  /// Returns the rows that refer to the loser, and those that refer to a row whose key changes with it.
  ///
  /// Rows that went with another one, which is deleted, stay as they are: with a new write they would be missed. If they return,
  /// they lack the loser: those that must refer to it are listed, and the others show nil.
  private mutating func referrers() throws -> [StoredRow] {
    var (referrers, seen, pending): ([StoredRow], Set<RowKey>, [RowKey]) = ([], [loser.rowKey], [loser.rowKey])
    while let old = pending.popLast() {
      for referrer in try file.setAsideReferrers(of: old) + file.visibleReferrers(of: old).compactMap(file.row) {
        if try isGone(referrer) { continue }
        if seen.insert(referrer.rowKey).inserted { referrers.append(referrer) }
        guard moves[referrer.rowKey] == nil, let new = moves[old], hasKey(referrer, referringTo: old) else { continue }
        moves[referrer.rowKey] = RowKey(table: referrer.state.table, key: new.key)
        pending.append(referrer.rowKey)
      }
    }
    return referrers
  }

  /// Whether a row went with a deleted one, and would not return if it referred to the winner.
  private func isGone(_ referrer: StoredRow) throws -> Bool {
    guard referrer.status == .cascaded, referrer.state.isThere, let table = file.table(referrer.state.table) else {
      return false
    }
    return try table.description.references.contains { reference in
      guard reference.isEssential, let target = file.target(of: reference, in: referrer.state, table),
        moves[target] == nil
      else { return false }
      return try file.status(target)?.status != .visible
    }
  }

  /// Whether the whole key of a row is a reference to another one. Only such a key can be referred to.
  private func hasKey(_ referrer: StoredRow, referringTo rowKey: RowKey) -> Bool {
    guard referrer.state.key.count == 1, let table = file.table(referrer.state.table) else { return false }
    return table.description.references.contains { reference in
      reference.column == table.description.keys[0].name
        && file.target(of: reference, in: referrer.state, table) == rowKey
    }
  }

  private mutating func set(_ row: StoredRow?, _ state: RowState) { changes[state.rowKey] = (row, state) }

  /// The state of a row with the values of another one that differ among its losses, and the other's counters added.
  private func keeping(_ other: RowState, in state: RowState) throws -> RowState {
    // Later than what the merge writes to the row, over which it would not be listed otherwise.
    let stamp = try file.newStamp()
    let lost = other.properties.filter {
      !$0.value.isNull && $0.value != state.value(of: $0.name) && $0.name != RowState.mergedInto
    }
    let state = state.adding(lost.map { LostValue(property: $0.name, stamp: stamp, value: $0.value) })
    return adding(other, to: state, stamp)
  }

  private func adding(_ other: RowState, to state: RowState, _ stamp: Stamp) -> RowState {
    Set(other.contributions.map(\.property)).sorted().reduce(state) { state, counter in
      state.adding(other.sum(of: counter), to: counter, stamp)
    }
  }

  /// Lets a row refer to the winner instead of the loser, and to rows whose key changes by their new key. A row whose key
  /// refers to one of these is another row then.
  private mutating func redirect(_ referrer: StoredRow, _ stamp: Stamp) throws {
    guard let table = file.table(referrer.state.table) else { return }
    var state = changes[referrer.rowKey]?.state ?? referrer.state
    var key = state.key
    for reference in table.description.references {
      guard let target = file.target(of: reference, in: state, table), let new = moves[target] else { continue }
      if let position = table.description.keys.firstIndex(where: { $0.name == reference.column }) {
        key[position] = new.key[0]
      } else if let property = table.properties.first(where: { $0.column.name == reference.column }) {
        // A row of a tree that would become its own parent has none.
        let isOwn = referrer.rowKey == new && reference.isOptional
        state = state.setting(property.name, to: isOwn ? .null : new.key[0], stamp)
      }
    }
    if key == state.key { return set(referrer, state) }
    if state.isThere { set(referrer, state.merged(into: key, stamp)) }
    let moved = RowKey(table: state.table, key: key)
    let present = try file.row(moved)
    let known = changes[moved]?.state ?? present?.state
    guard let known, known.isThere || !state.isThere || present?.isVisible == true else {
      return set(present, try moving(state, to: moved, over: known, stamp))
    }
    if state.isThere { set(present, try keeping(state, in: known.isThere ? known : known.insertedAgain(stamp))) }
  }

  /// The state of a row under another key. One that is deleted, and that others want, keeps its stamps: it wasn't inserted after
  /// its deletion.
  private func moving(_ state: RowState, to rowKey: RowKey, over known: RowState?, _ stamp: Stamp) throws -> RowState {
    let length = try known.map { $0.causalLength + 1 } ?? file.firstLength(of: rowKey)
    let isThere = state.isThere
    let moved = RowState(
      table: rowKey.table, key: rowKey.key, causalLength: isThere ? length : length + 1,
      stamp: isThere ? stamp : state.stamp, insertion: isThere ? stamp : state.insertion,
      properties: state.properties.filter { $0.name != RowState.mergedInto }.map {
        PropertyState(name: $0.name, value: $0.value, stamp: isThere ? stamp : $0.stamp, causalLength: length)
      }, losses: known?.losses ?? [])
    return isThere ? adding(state, to: moved, stamp) : moved
  }
}

extension RowState {
  /// The name under which a deleted row has the key of the row into which it was merged, or its first value. No property of a
  /// model or of a document has it.
  package static let mergedInto = "_larder_merged_into"

  /// The state of the row after it was merged into the one with a key.
  fileprivate func merged(into key: [ReplicatedValue], _ stamp: Stamp) -> RowState {
    deleted(stamp).setting(Self.mergedInto, to: key[0], stamp)
  }

  /// Whether the row was deleted because it was merged into another one. Nobody who did that wanted to lose what refers to
  /// it, even if his app lacks the models of these rows.
  var isMerged: Bool { !isThere && property(Self.mergedInto)?.stamp == stamp }
}
