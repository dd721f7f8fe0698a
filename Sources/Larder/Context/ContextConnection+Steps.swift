extension ContextConnection {
  /// Whether the step changed a row.
  func hasHistory(of step: Int, in layer: ContextLayer) throws -> Bool {
    guard !layer.tables.isEmpty else { return false }
    return try exists(
      sql(in: layer).map { "SELECT 1 FROM \($0.history) WHERE step = (SELECT step FROM \(OverlaySQL.stepTable(of: layer.id)))" }
        .joined(separator: " UNION ALL ") + " LIMIT 1")
  }

  func forgetHistory(of steps: [Int], in layer: ContextLayer) throws {
    guard !steps.isEmpty else { return }
    let numbers = steps.map(String.init).joined(separator: ", ")
    try atomically(in: layer) {
      for sql in sql(in: layer) { try connection.change("DELETE FROM \(sql.history) WHERE step IN (\(numbers))") }
    }
  }

  /// Undoes a step, or does it again.
  func exchange(_ step: Int, in layer: ContextLayer) throws {
    layer.clock += 1
    try setStep(layer.clock, of: layer)
    try atomically(in: layer) {
      for sql in sql(in: layer) where try exists("SELECT 1 FROM \(sql.history) WHERE step = \(step) LIMIT 1") {
        for statement in sql.exchange(step) { try connection.change(statement) }
      }
    }
  }

  /// Gives up what is pending.
  func clear(_ layer: ContextLayer) throws {
    try atomically(in: layer) {
      for sql in sql(in: layer) { try run(sql.clear) }
    }
  }
}
