import Larder

/// Merges a row that is set aside into a visible one.
struct DuplicateMerge {
  private let loser: StoredRow
  private let winner: StoredRow
  private let file: ReplicaFile
  /// The rows that change, as they are, and as they will be.
  private var changes: [RowKey: (row: StoredRow?, state: RowState)] = [:]

  init(_ loser: StoredRow, into winner: StoredRow, _ file: ReplicaFile) {
    self.loser = loser
    self.winner = winner
    self.file = file
  }

  /// Writes everything, in a transaction of the caller's.
  consuming func run() throws {
    let stamp = try file.newStamp()
    let referrers =
      try file.setAsideReferrers(of: loser.rowKey) + file.visibleReferrers(of: loser.rowKey).compactMap(file.row)
    for referrer in referrers where referrer.rowKey != loser.rowKey { try redirect(referrer, stamp) }
    set(loser, loser.state.deleted(stamp))
    let state = changes[winner.rowKey]?.state ?? winner.state
    set(winner, keeping(loser.state, in: state, stamp))
    try file.change(changes.sorted { $0.key < $1.key }.map(\.value))
  }

  private mutating func set(_ row: StoredRow?, _ state: RowState) { changes[state.rowKey] = (row, state) }

  /// The state of a row with the values of another one that differ among its losses, and the other's counters added.
  private func keeping(_ other: RowState, in state: RowState, _ stamp: Stamp) -> RowState {
    let lost = other.properties.filter { !$0.value.isNull && $0.value != state.value(of: $0.name) }
    var state = state.adding(lost.map { LostValue(property: $0.name, stamp: stamp, value: $0.value) })
    for counter in Set(other.contributions.map(\.property)).sorted() {
      state = state.adding(other.sum(of: counter), to: counter, stamp)
    }
    return state
  }

  /// Lets a row refer to the winner instead of the loser. A row whose key refers to it is another row then.
  private mutating func redirect(_ referrer: StoredRow, _ stamp: Stamp) throws {
    guard let table = file.table(referrer.state.table) else { return }
    var state = changes[referrer.rowKey]?.state ?? referrer.state
    var key = state.key
    for reference in table.description.references {
      guard file.target(of: reference, in: state, table) == loser.rowKey else { continue }
      if let position = table.description.keys.firstIndex(where: { $0.name == reference.column }) {
        key[position] = winner.state.key[0]
      } else if let property = table.properties.first(where: { $0.column.name == reference.column }) {
        // A row of a tree that would become its own parent has none.
        let isOwn = referrer.rowKey == winner.rowKey && reference.isOptional
        state = state.setting(property.name, to: isOwn ? .null : winner.state.key[0], stamp)
      }
    }
    if key == state.key { return set(referrer, state) }
    set(referrer, state.deleted(stamp))
    let moved = RowKey(table: state.table, key: key)
    let present = try file.row(moved)
    let known = changes[moved]?.state ?? present?.state
    if let known, known.isThere { return set(present, keeping(state, in: known, stamp)) }
    let length = try known.map { $0.causalLength + 1 } ?? file.firstLength(of: moved)
    let properties = state.properties.map {
      PropertyState(name: $0.name, value: $0.value, stamp: stamp, causalLength: length)
    }
    var new = RowState(
      table: state.table, key: key, causalLength: length, stamp: stamp, insertion: stamp, properties: properties,
      losses: known?.losses ?? [])
    for counter in Set(state.contributions.map(\.property)).sorted() {
      new = new.adding(state.sum(of: counter), to: counter, stamp)
    }
    set(present, new)
  }
}
