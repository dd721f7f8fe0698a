public import Larder

/// A row that is there and can't be visible now, because a rule of the models keeps it from being.
///
/// It is kept with all its values, and is visible as soon as the rule lets it.
public struct SetAsideRow: Sendable, Hashable {
  /// Why a row is set aside.
  public enum Reason: Sendable, Hashable {
    /// The row that it must refer to was deleted.
    case deleted(property: String, table: String, key: [Value])
    /// The row that it must refer to has not arrived yet.
    case missing(property: String, table: String, key: [Value])
    /// The row that it must refer to is set aside itself.
    case setAside(property: String, table: String, key: [Value])
    /// An earlier row has the same unique value.
    case duplicate(properties: [String], key: [Value])
    /// It lacks a required value, or has one of another type, because it comes from other models.
    case incomplete
  }

  /// The name of the table.
  public let table: String
  /// The values of the key, in the order of its columns.
  public let key: [Value]
  /// The properties that aren't part of the key, by the names in the model; those that the model lacks by the names in the
  /// exchange.
  public let properties: [String: Value]
  /// Why it isn't visible.
  public let reason: Reason
  /// When and by whom the row was written last.
  public let stamp: Stamp
  /// The name of the replica that wrote it last; nil if nobody gave it one.
  public let replica: String?
  /// When and by whom the row that keeps it from being visible was deleted or, if it is there, written last; nil if that row
  /// has not arrived, and if there is none.
  public let otherStamp: Stamp?
  /// The name of the replica that deleted or wrote the other row; nil if nobody gave it one.
  public let otherReplica: String?
  /// The name of the row's model; nil for a document.
  public internal(set) var model: String?

  let rowKey: RowKey
}

extension StoreSync {
  /// Returns the rows that a rule of the models keeps from being visible, each with the reason.
  ///
  /// Rows that went with a row that they had to refer to aren't listed if whoever deleted that row knew them as they
  /// are. They are kept for as long as the deletion, and return if the row does.
  ///
  /// Rows that nothing keeps from being visible any longer, because of what was written since the last exchange, become
  /// visible with this call. If the file can't be written now, they are left out.
  ///
  /// - Throws: `StoreError` `.unsupported` if sync is off in the file, `.constraint` if a trigger of yours keeps one of these rows
  ///   from the table; the errors of any read.
  /// - Complexity: Proportional to the number of these rows, and to the number of rows that were written since the last
  ///   exchange if one of these becomes visible.
  public func setAside() async throws -> [SetAsideRow] {
    let (rows, areAll) = try await store.readingModule { connection in
      // A program that has opened the file without sync hasn't looked whether its types have learned to read a row.
      let (rows, areAll) = try ReplicaFile(connection).setAsideRows()
      return try (rows, areAll && !Tracker(connection).hasDueRows())
    }
    if areAll { return rows }
    let failure: StoreError?
    do {
      failure = try await store.writingModule { connection in
        try connection.transaction { try Tracker(connection).upgrade() }
        return try Tracker(connection).judge()
      }
      try await settleChanges()
    } catch let error as StoreError where [.readOnly, .busy, .diskFull, .suspended].contains(error.code) {
      return rows
    }
    let (rest, isRestListed) = try await store.readingModule { try ReplicaFile($0).setAsideRows() }
    if !isRestListed, let failure { throw failure }
    return rest
  }

  /// Computes what the writes since the last exchange have made visible.
  func settleChanges() async throws {
    try await deciding { file in
      try file.settle()
      return nil
    }
  }

  /// Brings back the deleted rows without which a row can't be visible, with the values that they had.
  ///
  /// - Parameter row: One of ``setAside()``.
  /// - Throws: `StoreError` `.notFound` if the row is no longer set aside, `.referenced` if what it lacks was never
  ///   here or is a duplicate, `.unsupported` if sync is off in the file; the errors of any write.
  public func restore(_ row: SetAsideRow) async throws {
    try await deciding(row) { file, stored in
      var changes: [(row: StoredRow?, state: RowState)] = []
      var pending = [stored]
      var seen: Set<RowKey> = []
      while let row = pending.popLast() {
        guard seen.insert(row.rowKey).inserted, let table = file.table(row.state.table) else { continue }
        for reference in table.description.references where reference.isEssential {
          guard let target = file.target(of: reference, in: row.state, table), let found = try file.row(target),
            !found.isVisible
          else { continue }
          if !found.state.isThere { changes.append((found, found.state.insertedAgain(try file.newStamp()))) }
          pending.append(found)
        }
      }
      guard !changes.isEmpty else {
        throw StoreError(
          .referenced, ofModel: file.table(row.table)?.description.model,
          "No deleted row keeps this one from being visible. Change or discard one of two duplicates; what has not arrived yet comes with an exchange."
        )
      }
      try file.change(changes)
    }
  }

  /// Deletes a row that is set aside, on all replicas.
  ///
  /// - Parameter row: One of ``setAside()``.
  /// - Throws: `StoreError` `.notFound` if the row is no longer set aside, `.unsupported` if sync is off in the file; the errors
  ///   of any write.
  public func discard(_ row: SetAsideRow) async throws {
    try await deciding(row) { file, stored in
      try file.change(stored, to: stored.state.deleted(try file.newStamp()))
    }
  }

  /// Merges a duplicate into the row that has its unique value, on all replicas.
  ///
  /// What refers to the duplicate refers to the other row afterwards, and the duplicate is deleted. Of rows
  /// and properties that the models of this program lack, programs that have them list the rows that must refer to the
  /// duplicate; other references to it show nil, as after a deletion.
  /// Of its values, those that differ from the other row's are listed in ``conflicts()``, from where each can be restored.
  /// Counters are added up; twice, if two replicas merge the duplicate before they meet.
  ///
  /// - Parameters:
  ///   - row: One of ``setAside()``.
  ///   - key: The key of a visible row of the same table; by default that of the row of which `row` is the duplicate.
  /// - Throws: `StoreError` `.notFound` if `row` is no longer set aside, `.referenced` if there is no such row to merge it
  ///   into, `.unsupported` if sync is off in the file; the errors of any write.
  public func merge(_ row: SetAsideRow, into key: [Value]? = nil) async throws {
    try await deciding(row) { file, stored in
      var target = key.map { RowKey(table: row.table, key: $0.map { ReplicatedValue($0) }) }
      if target == nil, case .duplicate(_, let key)? = try file.reason(stored) {
        target = RowKey(table: row.table, key: key.map { ReplicatedValue($0) })
      }
      guard let target, target != stored.rowKey, let winner = try file.row(target), winner.isVisible else {
        throw StoreError(
          .referenced, ofModel: file.table(row.table)?.description.model,
          "There is no visible row to merge this one into. Name the key of one, or restore or discard the row.")
      }
      try DuplicateMerge(stored, into: winner, file).run()
    }
  }

  private func deciding(
    _ row: SetAsideRow, _ body: @escaping @Sendable (ReplicaFile, StoredRow) throws -> Void
  ) async throws {
    try await deciding { file in
      try file.settle()
      guard let stored = try file.row(row.rowKey), stored.status.isSetAside else { return file.missing }
      try body(file, stored)
      return nil
    }
  }

  /// Returns the number of rows that changed here and that a peer doesn't have yet.
  ///
  /// - Parameter peer: The peer.
  /// - Throws: `StoreError` `.unsupported` if sync is off in the file; the errors of the peer, and those of any read.
  public func pending(for peer: some SyncPeer) async throws -> Int {
    let other = try await peer.replica()
    let cursor = try await peer.cursor(of: try await replica())
    return try await store.readingModule { connection in
      let file = try ReplicaFile(connection)
      return try connection.first(
        "SELECT count(*) FROM \(SyncTables.rows) WHERE position > ?1 AND status <> 6 AND source IS NOT ?2",
        [.integer(cursor.position), .integer(try file.knownID(of: other) ?? -1)]
      ) { Int($0.integer(0)) } ?? 0
    }
  }
}

extension ReplicaFile {
  /// Returns the rows that someone may miss.
  ///
  /// - Returns: The rows, and whether they are all: those that nothing keeps from being visible any longer are left out.
  fileprivate func setAsideRows() throws -> (rows: [SetAsideRow], areAll: Bool) {
    // Those that were deleted and are wanted are no loss.
    let stored = try rows(where: "\(SyncTables.isMissed) AND length % 2 = 1")
    let listed = try stored.compactMap(setAsideRow)
    return (listed, listed.count == stored.count)
  }

  private func setAsideRow(_ row: StoredRow) throws -> SetAsideRow? {
    guard let reason = try reason(row) else { return nil }
    let stamp = row.state.lastWrite
    let other = try otherRow(reason, row.state).map { $0.isThere ? $0.lastWrite : $0.stamp }
    return SetAsideRow(
      table: row.state.table, key: row.state.key.map(\.stored), properties: shownValues(of: row.state),
      reason: reason, stamp: stamp, replica: try name(of: stamp.replica), otherStamp: other,
      otherReplica: try other.flatMap { try name(of: $0.replica) },
      model: row.state.isDocument ? nil : table(row.state.table)?.description.model, rowKey: row.rowKey)
  }

  /// The values of properties by the names that they have for users.
  fileprivate func shownValues(of state: RowState) -> [String: Value] {
    let known = Set(table(state.table)?.properties.map { ExactName($0.name) } ?? [])
    var values: [String: Value] = [:]
    // A property that the model lacks may have the name that another one has now.
    let names = known.union([ExactName(RowState.mergedInto)])
    for property in state.properties where !names.contains(ExactName(property.name)) {
      values[shownName(of: property.name, in: state)] = property.value.stored
    }
    for property in state.properties where known.contains(ExactName(property.name)) {
      values[shownName(of: property.name, in: state)] = property.value.stored
    }
    let counters = table(state.table)?.counters ?? []
    let ranges = Dictionary(counters.map { ($0.name, $0.column.counterRange) }) { first, _ in first }
    for name in Set(state.contributions.map(\.property)).union(ranges.keys) {
      let range = ranges[name].flatMap { $0 } ?? .min ... .max
      values[shownName(of: name, in: state)] = .integer(state.sum(of: name).clamped(to: range))
    }
    return values
  }

  /// Returns the row that keeps another one from being visible, if it is known here.
  fileprivate func otherRow(_ reason: SetAsideRow.Reason, _ state: RowState) throws -> RowState? {
    let (table, key) =
      switch reason {
      case .deleted(_, let table, let key), .setAside(_, let table, let key), .missing(_, let table, let key):
        (table, key)
      case .duplicate(_, let key): (state.table, key)
      case .incomplete: (state.table, [])
      }
    if key.isEmpty { return nil }
    return try row(RowKey(table: table, key: key.map { ReplicatedValue($0) }))?.state
  }

  /// Returns why a row is set aside; nil if nothing keeps it.
  func reason(_ row: StoredRow) throws -> SetAsideRow.Reason? {
    guard let table = table(row.state.table) else { return nil }
    if !isComplete(row.state, table) { return .incomplete }
    var wanted: SetAsideRow.Reason?
    for reference in table.description.references where reference.isEssential {
      guard let target = target(of: reference, in: row.state, table) else { continue }
      let found = try status(target)
      if found?.status == .visible { continue }
      let property =
        (table.description.columns + table.description.keys).first { $0.name == reference.column }?.property
        ?? reference.column
      let key = target.key.map(\.stored)
      guard let found else { return .missing(property: property, table: target.table, key: key) }
      if found.isThere { return .setAside(property: property, table: target.table, key: key) }
      let reason = SetAsideRow.Reason.deleted(property: property, table: target.table, key: key)
      guard reference.rule == .deny else { return reason }
      // It would be there for this row, if nothing else kept the row away.
      wanted = wanted ?? reason
    }
    for rule in table.description.uniqueRules {
      guard let values = values(of: rule, in: row.state, hidden: [], table) else { continue }
      for rival in try rivals(of: row.rowKey, rule, values, table) {
        guard let other = try self.row(rival), other.status.isConsistent else { continue }
        let properties = rule.map { name in
          table.description.columns.first { $0.name == name }?.property ?? name
        }
        return .duplicate(properties: properties, key: rival.key.map(\.stored))
      }
    }
    return wanted
  }
}
