import GRDBSQLite

/// Keeps track of what the layers add to counters.
extension ContextConnection {
  /// Called after rows were changed, before others change: decides which counters their versions have.
  func settleCounters(in layer: ContextLayer) throws {
    for table in layer.tables where !table.counters.isEmpty {
      let sql = sql(of: table, in: layer)
      if try exists(sql.hasUnsettled) { try run(sql.settle(inStep: sql.step, isExchange: false)) }
    }
  }

  /// Called after rows were written whole: gives their versions the counters that the context had read.
  ///
  /// It may have read a row several times, and nothing tells from which of its versions a row was made: the one from
  /// which it counts least is taken, the first or the last.
  func compareCounters<M: Model>(of model: M.Type, in layer: ContextLayer) throws {
    guard let table = layer.table(M.schema.table), !table.counters.isEmpty, let known = layer.versions.known(model)
    else { return }
    let sql = sql(of: table, in: layer)
    guard try exists(sql.hasUnsettled) else { return }
    var changes: [(row: Int64, column: String, value: Int64)] = []
    var writer = connection.environment.makeWriter()
    writer.write(sql.unsettledRows(M.schema.columns.map(\.name)))
    let first = Int32(table.counters.count) + 1
    try connection.using(writer, ErrorContext(model)) { statement in
      while try connection.step(statement, ErrorContext(model)) {
        guard let value = try? connection.decode(model, statement, at: first) else { continue }
        let versions = try known.readings(of: value).map { try M.schema.values(of: $0) }
        for (position, column) in table.counters.enumerated() {
          let written = sqlite3_column_int64(statement.pointer, Int32(position) + 1)
          func distance(_ number: Int64) -> UInt64 {
            UInt64(bitPattern: number < written ? written &- number : number &- written)
          }
          let numbers = versions.compactMap { $0[column.name]?.integer }
          guard let base = numbers.min(by: { distance($0) < distance($1) }) else { continue }
          changes.append((sqlite3_column_int64(statement.pointer, 0), column.name, base))
        }
      }
    }
    for (row, column, value) in changes {
      try connection.change(
        "UPDATE \(sql.base) SET \(Quoting.name(column)) = ?1 WHERE \(OverlaySQL.number) = ?2",
        [.integer(value), .integer(row)])
    }
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
