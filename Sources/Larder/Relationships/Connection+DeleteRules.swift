import GRDBSQLite

extension Connection {
  /// Calls the closure, which deletes rows of the model, so that ``DeleteRule/deny`` is judged by what is left when all of them are gone.
  ///
  /// SQLite judges `RESTRICT` row by row, in the order in which it comes by them: a row that is to go as well could keep the one it refers to, or
  /// not, by the order of the tables in the file. Nearly all models have no such rows, and cost nothing here.
  func deleting<M: Model, Result>(_ model: M.Type, isOneRow: Bool = false, _ body: () throws -> Result) throws -> Result {
    // A context judges by itself.
    guard overlay == nil else { return try body() }
    try endDeferral()
    guard deferringTransaction != nil || environment.deletions.defersDenials(of: M.schema.table, isOneRow: isOneRow) else { return try body() }
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

  /// Calls the closure, with the rows that are denied already, while SQLite leaves all foreign keys, `RESTRICT` as well, until the transaction ends.
  /// Source: <https://www.sqlite.org/pragma.html#pragma_defer_foreign_keys>.
  ///
  /// SQLite counts what is unresolved in one place before, and in another meanwhile, which it forgets when the setting is taken back. So it is
  /// taken back where nothing is unresolved before and after; otherwise it stays until the transaction ends.
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
      // What was counted is counted again once the caller's savepoint is undone.
      try? stopDeferring()
      throw error
    }
  }

  /// The end of a transaction takes the setting back, but not the statements that were compiled under it.
  private func endDeferral() throws {
    if let deferringTransaction, deferringTransaction != transactionNumber || isAutocommitting { try stopDeferring() }
  }

  private func stopDeferring() throws {
    try interruption.shielded { try run(try keptStatement("PRAGMA defer_foreign_keys = OFF")) }
    deferringTransaction = nil
  }

  /// The rows that refer to nothing by a reference that denies it.
  private func deniedRows() throws -> [DeniedRow] {
    try environment.tables.filter { $0.references.contains { $0.rule == .deny } }.flatMap { table in
      let name = Dialect.sqlite.quote(table.name)
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

/// A row that refers to one that is gone, and whose reference denies that it goes.
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
