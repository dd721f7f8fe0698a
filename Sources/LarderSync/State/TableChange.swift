import Larder

/// What has to be written to a table so that it shows a row as it now is.
struct TableChange {
  let table: TrackedTable
  let rowKey: RowKey
  /// The values that the table has, in the order of its properties; nil if it doesn't have the row.
  let old: [ReplicatedValue]?
  /// The values that it gets; nil if the row leaves.
  let new: [ReplicatedValue]?

  var isInsertion: Bool { old == nil }
  var isDeletion: Bool { new == nil }

  /// The positions of the properties that change, of a row that stays.
  var changed: [Int] {
    guard let old, let new else { return [] }
    return table.properties.indices.filter { old[$0] != new[$0] }
  }

  /// Whether a property is part of a unique rule.
  func isUnique(_ position: Int) -> Bool {
    let name = table.properties[position].column.name
    return table.description.uniqueRules.contains { $0.contains(name) }
  }

  /// The rows to which it refers afterwards, by a property or by its key.
  func targets(in values: [ReplicatedValue]?) -> [RowKey] {
    guard let values else { return [] }
    let byKey = zip(table.description.keys, rowKey.key).compactMap { column, value in
      table.reference(of: column.name).map { RowKey(table: $0.table, key: [value]) }
    }
    return byKey
      + zip(table.properties, values).compactMap { property, value in
        guard let reference = property.reference, !value.isNull else { return nil }
        return RowKey(table: reference.table, key: [value])
      }
  }
}

/// Writes changes of several rows so that no rule of the tables is broken at the end, whatever their order.
///
/// SQLite applies delete rules and checks unique values at once. So references change first, and unique values that change
/// are parked at values that nobody has, references among them. Then rows leave, then rows arrive, those before that others
/// refer to, and at last everything gets its values. Foreign keys are deferred to the end of the transaction if that order
/// isn't enough, as for rows that refer to each other in a circle.
struct TableWriter {
  let connection: ModuleConnection

  func write(_ changes: [TableChange]) throws {
    if changes.isEmpty { return }
    do {
      try connection.savepoint { try writeInOrder(changes) }
    } catch let error as StoreError where [.referenced, .constraint, .invalidValue].contains(error.code) {
      // Only until the end of the transaction: https://www.sqlite.org/pragma.html#pragma_defer_foreign_keys. Not without
      // need, because SQLite compiles all statements of the connection anew then, which takes longer than a small exchange.
      try connection.execute("PRAGMA defer_foreign_keys = ON")
      // A derived property may be unable to hold its sum, at the end or on the way there.
      try connection.clampingSums { try writeInOrder(changes) }
    }
  }

  private func writeInOrder(_ changes: [TableChange]) throws {
    let staying = changes.filter { !$0.isInsertion && !$0.isDeletion && !$0.changed.isEmpty }
    for change in staying { try redirect(change) }
    for change in staying { try park(change) }
    // Referrers first, so that no delete rule leads from one to the next: SQLite follows them through 1,000 rows at most.
    let leaving = ordered(changes.filter { $0.isDeletion && !$0.isInsertion }, by: \.old)
    for change in leaving.reversed() { try delete(change) }
    for change in leaving where try isThere(change) { throw ignored(change, "deleted") }
    var insertions: [Int64: String] = [:]
    for change in ordered(changes.filter { $0.isInsertion && !$0.isDeletion }, by: \.new) {
      let sql = insertions[change.table.id] ?? insertion(into: change.table)
      insertions[change.table.id] = sql
      try connection.run(sql, change.rowKey.key + (change.new ?? []))
      guard connection.changeCount > 0 else { throw ignored(change, "inserted") }
    }
    for change in staying { try update(change, change.changed.map { ($0, change.new?[$0] ?? .null) }) }
    var orders: [Int64: [TrackedTable.Order]] = [:]
    for change in changes where !change.isDeletion {
      let known = orders[change.table.id] ?? change.table.orders
      orders[change.table.id] = known
      if !known.isEmpty { try place(change, known) }
    }
  }

  /// Writes the positions of a row in ordered relationships once more, where its reference has changed or it has no
  /// position: the triggers of the table have made it the last one there.
  private func place(_ change: TableChange, _ orders: [TrackedTable.Order]) throws {
    guard let new = change.new else { return }
    let moved = orders.filter { order in
      guard let old = change.old else { return new[order.position].isNull && !new[order.reference].isNull }
      return old[order.reference] != new[order.reference]
    }
    try update(change, moved.map { ($0.position, new[$0.position]) })
  }

  /// Changes the references that aren't unique, before the rows leave that they referred to.
  private func redirect(_ change: TableChange) throws {
    let redirected = change.changed.filter { change.table.properties[$0].reference != nil && !change.isUnique($0) }
    try update(change, redirected.map { ($0, change.new?[$0] ?? .null) })
  }

  /// Makes room for rows that get a unique value that another row of the same change gives up.
  private func park(_ change: TableChange) throws {
    let parked = change.changed.filter(change.isUnique).map { position in
      let column = change.table.properties[position].column
      return (position, column.isOptional ? .null : ReplicatedValue.placeholder(column.storageClass))
    }
    try update(change, parked)
  }

  // MARK: Statements

  private func condition(_ change: TableChange, from first: Int) -> String {
    change.table.description.keys.enumerated().map { "\($1.name.quotedName) = ?\($0 + first)" }
      .joined(separator: " AND ")
  }

  private func update(_ change: TableChange, _ values: [(position: Int, value: ReplicatedValue)]) throws {
    if values.isEmpty { return }
    let assignments = values.enumerated().map { number, value in
      "\(change.table.properties[value.position].column.name.quotedName) = ?\(number + 1)"
    }
    try connection.run(
      "UPDATE main.\(change.table.quotedName) SET \(assignments.joined(separator: ", ")) WHERE \(condition(change, from: values.count + 1))",
      values.map(\.value) + change.rowKey.key)
    guard connection.changeCount > 0 else { throw ignored(change, "changed") }
  }

  /// The error for a row that a statement left as it was.
  private func ignored(_ change: TableChange, _ verb: String) -> StoreError {
    let model = change.table.description.model
    return StoreError(
      .corrupt, ofModel: model,
      "A row of \(model) can't be \(verb), so nothing of the exchange was applied. A trigger of another program may ignore it: remove the trigger, or let it do nothing while (SELECT is_applying FROM \(SyncTables.clock)) = 1. Otherwise call store.sync.recordUntrackedChanges()."
    )
  }

  private func delete(_ change: TableChange) throws {
    try connection.run(
      "DELETE FROM main.\(change.table.quotedName) WHERE \(condition(change, from: 1))", change.rowKey.key)
  }

  private func isThere(_ change: TableChange) throws -> Bool {
    try connection.finds(
      "SELECT 1 FROM main.\(change.table.quotedName) WHERE \(condition(change, from: 1))", change.rowKey.key)
  }

  private func insertion(into table: TrackedTable) -> String {
    let columns = table.description.keys.map(\.name) + table.properties.map(\.column.name)
    let parameters = columns.indices.map { "?\($0 + 1)" }
    return
      "INSERT INTO main.\(table.quotedName) (\(columns.map(\.quotedName).joined(separator: ", "))) VALUES (\(parameters.joined(separator: ", ")))"
  }

  /// Returns the changes so that rows come after those that they refer to by the given values, as far as they don't refer
  /// to each other in a circle. Derived properties are computed from the rows that refer to a row, so it has to be there
  /// first.
  private func ordered(_ changes: [TableChange], by values: (TableChange) -> [ReplicatedValue]?) -> [TableChange] {
    var positions: [RowKey: Int] = [:]
    for (position, change) in changes.enumerated() { positions[change.rowKey] = position }
    var isPlaced = [Bool](repeating: false, count: changes.count)
    var isEntered = isPlaced
    var result: [TableChange] = []
    // A stack instead of recursion, because chains of references have no limit.
    for start in changes.indices {
      var stack = [start]
      while let position = stack.last {
        if isPlaced[position] {
          stack.removeLast()
          continue
        }
        if isEntered[position] {
          isPlaced[position] = true
          result.append(changes[position])
          stack.removeLast()
          continue
        }
        isEntered[position] = true
        for target in changes[position].targets(in: values(changes[position])) {
          if let target = positions[target], !isEntered[target] { stack.append(target) }
        }
      }
    }
    return result
  }
}

extension ReplicatedValue {
  /// A value of the class that no row has.
  fileprivate static func placeholder(_ storageClass: StorageClass) -> ReplicatedValue {
    let identifier = ReplicaID()
    return switch storageClass {
    case .integer: .integer(Int64.random(in: .min...(.max)))
    case .real: .real(Double.random(in: 0..<1))
    case .text: .init(identifier.description)
    case .blob: .blob(identifier.bytes)
    }
  }
}
