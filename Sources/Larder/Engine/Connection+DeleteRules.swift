import GRDBSQLite

extension Connection {
  /// Calls the closure, which deletes rows of the model, so that ``DeleteRule/deny`` is checked when all of them are
  /// deleted, and delete rules may lead through any number of rows.
  ///
  /// - Parameters:
  ///   - isOneRow: Whether one row is deleted, not counting those that delete rules delete.
  ///   - body: Deletes the rows and returns their number, without those that delete rules delete. It is called again if
  ///     SQLite can't follow the rules.
  /// - Returns: The number of rows.
  func deleting<M: Model>(_ model: M.Type, isOneRow: Bool = false, _ body: () throws -> Int) throws -> Int {
    // A context has its own checks.
    guard overlay == nil else { return try body() }
    return try namingSums {
      try deleting(in: M.schema.table, isOneRow: isOneRow, .named(model: M.schema.modelName), body)
    }
  }

  /// Calls the closure, which deletes rows of the table, if nothing keeps them. Returns nil, and undoes what it did, if
  /// a reference would dangle, now or at the end of the transaction.
  func deletingUnreferenced(_ table: TableDefinition, isOneRow: Bool, _ body: () throws -> Int) throws -> Int? {
    try unlessReferenced(table.model) { try deleting(in: table.name, isOneRow: isOneRow, $0, body) }
  }

  /// Calls the closure, which deletes rows of several tables that may refer to each other, if nothing else keeps them.
  /// Returns nil, and undoes what it did, if a reference would dangle.
  func deletingTogether(_ body: () throws -> Int) throws -> Int? {
    try unlessReferenced(nil) { denial in
      try endDeferral()
      return try followingRules(in: nil, { try judging(denial, body) }) { queues in
        try judging(denial) { try deletingOneByOne(queues, body).result }
      }
    }
  }

  /// Calls a closure that deletes rows, and then one that makes a change for which they have to go. ``DeleteRule/deny``
  /// is checked after the change, so that the change is refused for its own reasons first.
  ///
  /// - Parameters:
  ///   - model: The model that the error names; nil for the one that the denied reference is to.
  func deleting<Result>(
    before change: () throws -> Result, _ model: String?, _ delete: () throws -> Void
  ) throws -> Result {
    try endDeferral()
    return try judging(.named(model: model)) {
      try followingRules(in: nil, delete) { try deletingOneByOne($0, delete).result }
      return try change()
    }
  }

  private func unlessReferenced(_ model: String?, _ delete: (Denial) throws -> Int) throws -> Int? {
    do {
      return try savepoint {
        let wasResolved = !hasUnresolvedReferences
        let count = try delete(wasResolved ? .unnamed : .named(model: model))
        if wasResolved, hasUnresolvedReferences { throw DanglingReference() }
        return count
      }
    } catch is DanglingReference {
      return nil
    } catch let error as StoreError where error.code == .referenced {
      return nil
    }
  }

  /// Calls the closure, which executes SQL of the program that deletes rows, so that delete rules may lead through any
  /// number of them.
  func deletingBySQL<Result>(_ body: () throws -> Result) throws -> Result {
    try followingRules(in: nil, body) { queues in
      try judging(.named(model: nil)) { try deletingOneByOne(queues, body).result }
    }
  }

  /// Deletes rows, and checks denials when all are deleted if that matters.
  ///
  /// SQLite checks `RESTRICT` row by row in an undefined order: whether a row that is also to be deleted would deny the
  /// deletion of another depends on the order of tables in the file. Nearly all models have no such rows, and no
  /// overhead here.
  private func deleting(
    in table: String, isOneRow: Bool, _ denial: Denial, _ body: () throws -> Int
  ) throws -> Int {
    try endDeferral()
    let defers = deferringTransaction != nil || environment.deletions.defersDenials(of: table, isOneRow: isOneRow)
    return try followingRules(in: table, { defers ? try judging(denial, body) : try body() }) { queues in
      try judging(denial) {
        let (deleted, waiting) = try deletingOneByOne(queues, in: table, body)
        return max(deleted, waiting)
      }
    }
  }

  /// Deletes rows in the ordinary way or, if delete rules lead through more rows than SQLite follows, one by one.
  ///
  /// - Parameter table: The table of the rows; nil if it isn't known.
  private func followingRules<Result>(
    in table: String?, _ ordinary: () throws -> Result, _ oneByOne: ([DeletionQueue]) throws -> Result
  ) throws -> Result {
    let isDeep = table.map(environment.deletions.isDeep) ?? environment.deletions.hasDeepTables
    guard isDeep || !environment.isManaged else { return try ordinary() }
    do {
      // SQLite doesn't undo the rows that it deleted before it met its limit.
      return try isAutocommitting ? ordinary() : savepoint(ordinary)
    } catch let error as StoreError where error.isDeletionTooDeep {
      let queues = try DeletionQueue.all(for: self)
      guard !queues.isEmpty else { throw error }
      return try oneByOne(queues)
    }
  }

  /// Calls the closure, which deletes rows, and then deletes those that delete rules reach one by one.
  ///
  /// Foreign keys must be deferred meanwhile.
  ///
  /// - Returns: The closure's result, and how many of the table's rows it would have deleted.
  /// - Complexity: Two short statements for each deleted row.
  func deletingOneByOne<Result>(
    _ queues: [DeletionQueue], in table: String? = nil, _ body: () throws -> Result
  ) throws -> (result: Result, waiting: Int) {
    try savepoint {
      for queue in queues { try queue.begin(on: self) }
      let result = try body()
      let own = table.flatMap { table in queues.first { $0.table.isSameColumn(as: table) } }
      let waiting = try own?.count(on: self) ?? 0
      var isDone: Bool
      repeat {
        isDone = true
        for queue in queues { while try queue.deleteFirst(on: self) { isDone = false } }
      } while !isDone
      for queue in queues { try queue.end(on: self) }
      return (result, waiting)
    }
  }

  /// The error of a denied deletion.
  private enum Denial {
    /// The error names the model and the reference, for which the row is searched that has it.
    case named(model: String?)
    /// `DanglingReference`, in a transaction without other references that dangle.
    case unnamed
  }

  /// Calls the closure, which deletes rows, and checks ``DeleteRule/deny`` afterwards.
  private func judging<Result>(_ denial: Denial, _ body: () throws -> Result) throws -> Result {
    func judged() throws -> Result {
      try deferringReferences { before in
        let result = try body()
        guard hasUnresolvedReferences else { return result }
        switch denial {
        case .unnamed: throw DanglingReference()
        case .named(let model):
          guard let denied = try deniedRows().first(where: { !before.contains($0) }) else { return result }
          throw StoreError.denied(model ?? denied.reference.model, by: denied)
        }
      }
    }
    return try isAutocommitting ? transaction(judged) : savepoint(judged)
  }

  /// Calls the closure, with the rows that are already denied, while SQLite defers all foreign keys, including
  /// `RESTRICT`, to the end of the transaction. Source: <https://www.sqlite.org/pragma.html#pragma_defer_foreign_keys>.
  ///
  /// SQLite counts violations separately while they are deferred, and forgets that count when the pragma is turned off.
  /// So it is only turned off if there are no violations before and after; otherwise it stays on until the transaction
  /// ends.
  private func deferringReferences<Result>(_ body: (_ before: Set<DeniedRow>) throws -> Result) throws -> Result {
    let isResolved = !hasUnresolvedReferences
    let before = isResolved ? [] : Set(try deniedRows())
    if deferringTransaction == nil { try execute("PRAGMA defer_foreign_keys = ON") }
    deferringTransaction = transactionNumber
    do {
      let result = try body(before)
      if isResolved, !hasUnresolvedReferences { try stopDeferring() }
      return result
    } catch {
      // The violations are counted again once the caller's savepoint is rolled back.
      try? stopDeferring()
      throw error
    }
  }

  /// The end of a transaction turns the pragma off, but statements that were compiled under it stay.
  private func endDeferral() throws {
    if let deferringTransaction, deferringTransaction != transactionNumber || isAutocommitting { try stopDeferring() }
  }

  private func stopDeferring() throws {
    try interruption.shielded { try run(try keptStatement("PRAGMA defer_foreign_keys = OFF")) }
    deferringTransaction = nil
  }

  /// Returns the rows with a dangling reference that denies deletion.
  private func deniedRows() throws -> [DeniedRow] {
    try environment.tables.filter { $0.references.contains { $0.rule == .deny } }.flatMap { table in
      let name = Quoting.name(table.name)
      let rows = try query("PRAGMA main.foreign_key_check(\(name))")
      guard !rows.isEmpty else { return [DeniedRow]() }
      let columns = try query("PRAGMA main.foreign_key_list(\(name))")
      return rows.compactMap { row in
        let column = columns.first { $0["id"] == row["fkid"] }?["from"]?.text
        guard let reference = column.flatMap(table.reference), reference.rule == .deny else { return nil }
        return DeniedRow(model: table.model, reference: reference, row: row["rowid"] ?? .null)
      }
    }
  }
}

/// Thrown to undo a deletion that leaves a dangling reference.
private struct DanglingReference: Error {}

/// A row whose reference to a deleted row denies the deletion.
private struct DeniedRow: Hashable {
  let model: String
  let reference: TableReference
  let row: Value
}

extension StoreError {
  fileprivate static func denied(_ model: String, by denied: DeniedRow) -> StoreError {
    let way = denied.reference.model == model ? "" : ", which would delete a \(denied.reference.model) as well,"
    return StoreError(
      .referenced, model: model, property: nil,
      "The \(model)\(way) cannot be deleted while rows refer to it by \(denied.model).\(denied.reference.property), whose delete rule is .deny. Delete those rows of \(denied.model) first, or choose another deleteRule."
    )
  }
}
