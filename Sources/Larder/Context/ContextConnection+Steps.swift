import GRDBSQLite

extension ContextConnection {
  /// Returns whether the step changed a row.
  func hasHistory(of step: Int, in layer: ContextLayer) throws -> Bool {
    guard !layer.tables.isEmpty else { return false }
    return try exists(
      sql(in: layer).map {
        "SELECT 1 FROM \($0.history) WHERE \(OverlaySQL.stepNumber) = (SELECT step FROM \(OverlaySQL.stepTable(of: layer.id)))"
      }
      .joined(separator: " UNION ALL ") + " LIMIT 1")
  }

  /// Rejects the deletions of the current change if remaining rows deny them, regardless of the order in which rows
  /// were deleted.
  func judgeDeletions(in layer: ContextLayer) throws {
    // A child may have been used meanwhile.
    try activate(layer)
    for sql in sql(in: layer) where sql.isDeniable {
      guard try exists("SELECT 1 FROM \(sql.gone) LIMIT 1") else { continue }
      for (reference, query) in sql.deniedRows where try exists(query) { throw denial(of: sql.table, by: reference) }
      try run(["DELETE FROM \(sql.gone)"])
    }
  }

  /// Rejects the current change if it leads to sums that their properties can't hold, because the rows couldn't be read
  /// any more.
  func judgeSums(in layer: ContextLayer) throws {
    var isUsed = false
    for sql in sql(in: layer) where sql.table.derived.contains(where: \.isLimited) {
      let touched = try touchedSums(sql)
      guard !touched.isEmpty else { continue }
      if !isUsed { sumRooms.use(in: layer.id, isFresh: !connection.hasForeignCommits()) }
      isUsed = true
      let unsure = touched.filter { touched in
        guard let sum = touched.sum, let growth = touched.growth else { return true }
        return !sumRooms.take(growth, from: sum)
      }
      if !unsure.isEmpty {
        for (refusal, query) in sql.unstorableSums {
          if let key = try key(query, count: sql.table.keys.count) { throw refusal.error(key: key) }
        }
        if touched.count <= SumRooms.limitOfVerb {
          try measureRooms(of: unsure.compactMap(\.sum), sql)
        } else {
          sumRooms.forget()
        }
      }
      try run(["DELETE FROM \(sql.touched())"])
    }
  }

  /// Some of the sums that the verb at work has touched, each with what it may have grown by, where that is known.
  private func touchedSums(_ sql: OverlaySQL) throws -> [(sum: SumRooms.Sum?, growth: Double?)] {
    let statement = try connection.statement(sql.touchedSums)
    defer { statement.reset() }
    var sums: [(sum: SumRooms.Sum?, growth: Double?)] = []
    while try connection.step(statement, nil) {
      let column = StoredColumn(statement.pointer, 1).text
      let sum = column.map {
        SumRooms.Sum(table: sql.table.name, column: $0, key: StoredColumn(statement.pointer, 0).value)
      }
      sums.append(
        (sum, sqlite3_column_int64(statement.pointer, 3) == 1 ? sqlite3_column_double(statement.pointer, 2) : nil))
    }
    return sums
  }

  /// Returns the first row of a query for keys; nil if it has none.
  private func key(_ query: String, count: Int) throws -> [Value]? {
    let statement = try connection.statement(query)
    defer { statement.reset() }
    guard try connection.step(statement, nil) else { return nil }
    return (0..<Int32(count)).map { StoredColumn(statement.pointer, $0).value }
  }

  private func measureRooms(of sums: [SumRooms.Sum], _ sql: OverlaySQL) throws {
    for sum in sums {
      guard let query = sql.room(of: sum.column) else { continue }
      let statement = try connection.statement(query)
      defer { statement.reset() }
      try statement.bind([.value(sum.key)])
      if try connection.step(statement, nil) { sumRooms.set(sqlite3_column_double(statement.pointer, 0), for: sum) }
    }
  }

  func denial(of table: OverlayTable, by reference: ForeignKey) -> StoreError {
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
      for sql in sql(in: layer) {
        try connection.change("DELETE FROM \(sql.history) WHERE \(OverlaySQL.stepNumber) IN (\(numbers))")
      }
    }
  }

  /// Undoes or redoes a step.
  func exchange(_ step: Int, in layer: ContextLayer) throws {
    layer.clock += 1
    try setStep(layer.clock, of: layer)
    sumRooms.forget()
    try atomically(in: layer) {
      let changed = try sql(in: layer).filter {
        try exists("SELECT 1 FROM \($0.history) WHERE \(OverlaySQL.stepNumber) = \(step) LIMIT 1")
      }
      let exchanges = changed.map { $0.exchange(step) }
      let settling = changed.filter { !$0.table.counters.isEmpty }.flatMap { $0.settle(inStep: "0", isExchange: true) }
      for statement in exchanges.flatMap(\.removing) + settling + exchanges.flatMap(\.restoring) {
        try connection.change(statement)
      }
    }
  }

  /// Discards the unsaved changes.
  func clear(_ layer: ContextLayer) throws {
    sumRooms.forget()
    try atomically(in: layer) {
      for sql in sql(in: layer) { try run(sql.clear) }
    }
  }
}
