import GRDBSQLite

/// Keeps track of what the layers add to counters.
extension ContextConnection {
  /// Called after rows were changed, before others change: decides which counters their versions have.
  func settleCounters(in layer: ContextLayer) throws {
    for table in layer.tables where !table.counters.isEmpty {
      let sql = sql(of: table, in: layer)
      if try exists(sql.hasUnsettled) {
        try run(sql.settle(inStep: sql.step, isExchange: false))
      } else {
        try run([sql.settleHistory])
      }
    }
  }

  /// Called after rows were written whole: gives their versions the counters that the context had read.
  ///
  /// If the context knows one value of a counter, the row adds the difference from it. If it knows several, the policy
  /// `.error` refuses the row, and under other policies the value that is nearest to the written one counts.
  func compareCounters<M: Model>(of values: [M], in layer: ContextLayer) throws {
    guard let table = layer.table(M.schema.table), !table.counters.isEmpty, let known = layer.versions.known(M.self)
    else { return }
    let sql = sql(of: table, in: layer)
    guard try exists("SELECT 1 FROM \(sql.base) LIMIT 1") else { return }
    let counters = known.counters
    let statement = try connection.statement(sql.version(counters.map(\.name), isKey(of: M.self)))
    var changes: [(row: Int64, column: String, value: Int64)] = []
    for value in values {
      guard let (readings, isCurrent) = try known.counters(of: value) else { continue }
      defer { statement.reset() }
      try statement.bindKey(value.id, of: M.self)
      guard try connection.step(statement, ErrorContext(M.self)) else { continue }
      let row = sqlite3_column_int64(statement.pointer, 0)
      let isSettled = sqlite3_column_int64(statement.pointer, 1) == 1
      for (position, written) in try known.numbers(of: value).enumerated() {
        var numbers = readings.numbers[position]
        let base = sqlite3_column_int64(statement.pointer, Int32(position) + 2)
        // A row that wasn't read since the last save may come from the store; one with unsaved changes, from these.
        if !isCurrent || isSettled, !numbers.contains(base) { numbers.append(base) }
        if layer.policy == .error, numbers.count > 1 { throw severalValues(of: counters[position], of: value) }
        guard !isSettled, let nearest = numbers.min(by: { distance($0, written) < distance($1, written) }) else {
          continue
        }
        if nearest != base { changes.append((row, counters[position].name, nearest)) }
      }
    }
    for (row, column, value) in changes {
      try connection.change(
        "UPDATE \(sql.base) SET \(Quoting.name(column)) = ?1 WHERE \(OverlaySQL.number) = ?2",
        [.integer(value), .integer(row)])
    }
  }

  private func distance(_ left: Int64, _ right: Int64) -> UInt64 {
    UInt64(bitPattern: left < right ? right &- left : left &- right)
  }

  private func severalValues<M: Model>(of counter: ColumnDefinition<M>, of value: M) -> StoreError {
    let model = M.schema.modelName
    return StoreError(
      .conflict, model: model, property: counter.property,
      key: (try? M.schema.keyColumns.map { try $0.column.storedValue(in: value) }) ?? [],
      "This context knows several values of \(model).\(counter.property), because somebody else changed it, and can't tell from which of them the row was made. Add to it with increment(by:) in updateAll, or call save() or rollback(), and then read the row again before you change it."
    )
  }

  /// Gives rows of which the layer has only changed counters their other values from below, before they are compared
  /// with what the context has read.
  func takeOthers(_ layer: ContextLayer) throws {
    for table in layer.tables where !table.counters.isEmpty {
      let sql = sql(of: table, in: layer)
      if try exists("SELECT 1 FROM \(sql.base) LIMIT 1") { try run(sql.takeOthers(mayBeUnchanged: false)) }
    }
  }
}
