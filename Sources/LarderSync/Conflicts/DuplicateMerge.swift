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
    set(loser, loser.state.deleted(stamp))
    set(winner, try keeping(loser.state, in: changes[winner.rowKey]?.state ?? winner.state))
    try file.change(changes.sorted { $0.key < $1.key }.map(\.value))
  }

  /// Returns the rows that refer to the loser, and those that refer to a row whose key changes with it. Some may be gone: they
  /// can return with another row, and then refer to the winner.
  private mutating func referrers() throws -> [StoredRow] {
    var (referrers, seen, pending): ([StoredRow], Set<RowKey>, [RowKey]) = ([], [loser.rowKey], [loser.rowKey])
    while let old = pending.popLast() {
      for referrer in try file.setAsideReferrers(of: old) + file.visibleReferrers(of: old).compactMap(file.row) {
        if seen.insert(referrer.rowKey).inserted { referrers.append(referrer) }
        guard moves[referrer.rowKey] == nil, let new = moves[old], hasKey(referrer, referringTo: old) else { continue }
        moves[referrer.rowKey] = RowKey(table: referrer.state.table, key: new.key)
        pending.append(referrer.rowKey)
      }
    }
    return referrers
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
    let lost = other.properties.filter { !$0.value.isNull && $0.value != state.value(of: $0.name) }
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
    if state.isThere { set(referrer, state.deleted(stamp)) }
    let moved = RowKey(table: state.table, key: key)
    let present = try file.row(moved)
    if let known = changes[moved]?.state ?? present?.state, known.isThere || !state.isThere {
      return state.isThere ? set(present, try keeping(state, in: known)) : ()
    }
    set(present, try moving(state, to: moved, over: changes[moved]?.state ?? present?.state, referrer.status, stamp))
  }

  /// The state of a row under another key.
  ///
  /// What went with a deleted row keeps its stamps: whoever deleted that row knew it, so it isn't missed, and it returns with
  /// that row. A deleted row keeps them as well: it wasn't inserted after its deletion.
  private func moving(
    _ state: RowState, to rowKey: RowKey, over known: RowState?, _ status: RowStatus, _ stamp: Stamp
  ) throws -> RowState {
    let length = try known.map { $0.causalLength + 1 } ?? file.firstLength(of: rowKey)
    let isGone = status == .cascaded || !state.isThere
    let insertion = isGone ? state.insertion : stamp
    let moved = RowState(
      table: rowKey.table, key: rowKey.key, causalLength: state.isThere ? length : length + 1,
      stamp: state.isThere ? insertion : state.stamp, insertion: insertion,
      properties: state.properties.map {
        PropertyState(name: $0.name, value: $0.value, stamp: isGone ? $0.stamp : stamp, causalLength: length)
      },
      contributions: isGone
        ? state.contributions.map {
          Contribution(property: $0.property, stamp: $0.stamp, causalLength: length, amount: $0.amount)
        } : [],
      losses: known?.losses ?? [])
    return isGone ? moved : adding(state, to: moved, stamp)
  }
}
