import GRDBSQLite

extension Connection {
  /// Calls the closure, which deletes rows of the model, so that ``DeleteRule/deny`` is checked when all of them are
  /// deleted.
  ///
  /// SQLite checks `RESTRICT` row by row in an undefined order: whether a row that is also to be deleted would deny the
  /// deletion of another depends on the order of tables in the file. Nearly all models have no such rows, and no
  /// overhead here.
  func deleting<M: Model, Result>(_ model: M.Type, isOneRow: Bool = false, _ body: () throws -> Result) throws -> Result
  {
    // A context has its own check.
    guard overlay == nil else { return try body() }
    try endDeferral()
    guard deferringTransaction != nil || environment.deletions.defersDenials(of: M.schema.table, isOneRow: isOneRow)
    else { return try body() }
    func judged() throws -> Result {
      try deferringReferences { before in
        let result = try body()
        if hasUnresolvedReferences, let denied = try deniedRows().first(where: { !before.contains($0) }) {
          throw StoreError.denied(M.schema.modelName, by: denied)
        }
        return result
      }
    }
    return isAutocommitting ? try transaction(judged) : try savepoint(judged)
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
