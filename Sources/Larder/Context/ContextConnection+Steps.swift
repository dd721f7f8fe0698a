extension ContextConnection {
  /// Returns whether the step changed a row.
  func hasHistory(of step: Int, in layer: ContextLayer) throws -> Bool {
    guard !layer.tables.isEmpty else { return false }
    return try exists(
      sql(in: layer).map { "SELECT 1 FROM \($0.history) WHERE step = (SELECT step FROM \(OverlaySQL.stepTable(of: layer.id)))" }
        .joined(separator: " UNION ALL ") + " LIMIT 1")
  }

  /// Rejects the deletions of the current change if remaining rows deny them, regardless of the order in which rows were deleted.
  func judgeDeletions(in layer: ContextLayer) throws {
    // A child may have been used meanwhile.
    try activate(layer)
    for sql in sql(in: layer) where sql.isDeniable {
      guard try exists("SELECT 1 FROM \(sql.gone) LIMIT 1") else { continue }
      for (reference, query) in sql.deniedRows where try exists(query) { throw denial(of: sql.table, by: reference) }
      try run(["DELETE FROM \(sql.gone)"])
    }
  }

  /// Rejects the current change if it leads to sums that their properties can't hold, because the rows couldn't be read any more.
  func judgeSums(in layer: ContextLayer) throws {
    try activate(layer)
    for sql in sql(in: layer) where !sql.table.limitedSums.isEmpty {
      guard try exists("SELECT 1 FROM \(sql.touched()) LIMIT 1") else { continue }
      for (refusal, query) in sql.unstorableSums where try exists(query) { throw refusal.error }
      try run(["DELETE FROM \(sql.touched())"])
    }
  }

  private func denial(of table: OverlayTable, by reference: ForeignKey) -> StoreError {
    let model = errorContext(of: table)?.model ?? table.name
    let child = definition(of: reference.child)
    let names = reference.childColumns.map { child?.column($0)?.property ?? $0 }.joined(separator: ", ")
    let other = child?.model ?? reference.child
    return StoreError(
      .referenced, model: model, property: nil,
      "The \(model) cannot be deleted while rows refer to it by \(other).\(names), whose delete rule is .deny. Delete those rows of \(other) first, or choose another deleteRule."
    )
  }

  func forgetHistory(of steps: [Int], in layer: ContextLayer) throws {
    guard !steps.isEmpty else { return }
    let numbers = steps.map(String.init).joined(separator: ", ")
    try atomically(in: layer) {
      for sql in sql(in: layer) { try connection.change("DELETE FROM \(sql.history) WHERE step IN (\(numbers))") }
    }
  }

  /// Undoes or redoes a step.
  func exchange(_ step: Int, in layer: ContextLayer) throws {
    layer.clock += 1
    try setStep(layer.clock, of: layer)
    try atomically(in: layer) {
      let exchanges = try sql(in: layer).filter { try exists("SELECT 1 FROM \($0.history) WHERE step = \(step) LIMIT 1") }.map { $0.exchange(step) }
      for statement in exchanges.flatMap(\.removing) + exchanges.flatMap(\.restoring) { try connection.change(statement) }
    }
  }

  /// Discards the unsaved changes.
  func clear(_ layer: ContextLayer) throws {
    try atomically(in: layer) {
      for sql in sql(in: layer) { try run(sql.clear) }
    }
  }
}
