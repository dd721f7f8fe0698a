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
  /// `.error` refuses the row, and under other policies the value that is nearest to the written one counts. A child that
  /// doesn't know the row goes by what its parents know.
  func compareCounters<M: Model>(of values: [M], in layer: ContextLayer) throws {
    guard let table = layer.table(M.schema.table), !table.counters.isEmpty else { return }
    let sources = sources(of: M.self, for: layer)
    guard let versions = sources.lazy.compactMap(\.versions).first else { return }
    let sql = sql(of: table, in: layer)
    guard try exists("SELECT 1 FROM \(sql.base) LIMIT 1") else { return }
    let counters = versions.counters
    let statement = try connection.statement(sql.version(counters.map(\.name), isKey(of: M.self)))
    var changes: [Int64: [String: Int64]] = [:]
    for value in values {
      guard let known = try knownCounters(of: value, in: sources) else { continue }
      defer { statement.reset() }
      try statement.bindKey(value.id, of: M.self)
      guard try connection.step(statement, ErrorContext(M.self)) else { continue }
      let row = sqlite3_column_int64(statement.pointer, 0)
      let isSettled = sqlite3_column_int64(statement.pointer, 1) == 1
      // If the values contain a row twice, the last one is what was written.
      changes[row] = nil
      for (position, written) in try versions.numbers(of: value).enumerated() {
        var numbers = known.readings.numbers[position]
        let base = sqlite3_column_int64(statement.pointer, Int32(position) + 2)
        // A row that wasn't read since the last save may come from the store; one with unsaved changes, from these.
        let isFromElsewhere = !known.isCurrent || isSettled || known.start != nil
        let start = known.start?[position] ?? base
        if isFromElsewhere, !numbers.contains(start) { numbers.append(start) }
        if layer.policy == .error, numbers.count > 1 { throw severalValues(of: counters[position], of: value) }
        guard !isSettled, known.start == nil,
          let nearest = numbers.min(by: { distance($0, written) < distance($1, written) })
        else { continue }
        if nearest != base { changes[row, default: [:]][counters[position].name] = nearest }
      }
    }
    for (row, numbers) in changes {
      for (column, number) in numbers {
        try connection.change(
          "UPDATE \(sql.base) SET \(Quoting.name(column)) = ?1 WHERE \(OverlaySQL.number) = ?2",
          [.integer(number), .integer(row)])
      }
    }
  }

  /// Returns what the layer and those below know of a model's rows, the layer first.
  private func sources<M: Model>(of model: M.Type, for layer: ContextLayer) -> [CounterSource<M>] {
    layer.chain.reversed().map { other in
      let table = other === layer ? nil : other.table(M.schema.table)
      return CounterSource(
        versions: other.versions.known(model), unsaved: table.map { sql(of: $0, in: other) })
    }
  }

  /// Returns what the first of the sources that knows the row with the value's key knows of its counters; nil if none
  /// does, or if the row is inserted in a layer before that one.
  private func knownCounters<M: Model>(of value: M, in sources: [CounterSource<M>]) throws -> KnownCounters? {
    var start: [Int64]?
    for source in sources {
      if let sql = source.unsaved, try notPending([value], sql).isEmpty {
        start = try versionCounters(of: value, sql)
        if start == nil { return nil }
      }
      if let (readings, isCurrent) = try source.versions?.counters(of: value) {
        return KnownCounters(readings: readings, isCurrent: isCurrent, start: start)
      }
    }
    return nil
  }

  /// Returns the counters that the unsaved changes of the row with the value's key began with; nil if it is inserted.
  private func versionCounters<M: Model>(of value: M, _ sql: OverlaySQL) throws -> [Int64]? {
    let names = M.schema.columns.filter { $0.options.contains(.counter) }.map(\.name)
    let statement = try connection.statement(sql.version(names, isKey(of: M.self)))
    defer { statement.reset() }
    try statement.bindKey(value.id, of: M.self)
    guard try connection.step(statement, ErrorContext(M.self)) else { return nil }
    return names.indices.map { sqlite3_column_int64(statement.pointer, Int32($0) + 2) }
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

/// What one layer knows of a model's rows.
private struct CounterSource<M: Model> {
  let versions: VersionsOf<M>?
  /// The layer's unsaved rows, if it is below the one that is written to.
  let unsaved: OverlaySQL?
}

/// What is known of the counters of a row.
private struct KnownCounters {
  let readings: CounterReadings
  /// Whether the row was read since the layer that knows it was last saved or rolled back.
  let isCurrent: Bool
  /// The counters that unsaved changes in a layer below began with; nil if there are none.
  let start: [Int64]?
}
