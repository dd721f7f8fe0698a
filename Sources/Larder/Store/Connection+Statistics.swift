import GRDBSQLite

// SQLite chooses between indexes by what it knows of their values, and it knows nothing before ANALYZE has looked.

extension Connection {
  /// After so many changed rows the indexes are looked at for the first time.
  static let firstAnalysis: Int64 = 1000
  /// So many changed rows go by at most between two looks.
  private static let greatestInterval: Int64 = 1_000_000
  /// So many entries of each index are looked at, which takes about a millisecond: <https://www.sqlite.org/pragma.html#pragma_analysis_limit>.
  private static let analysisLimit = 400
  /// What is known of a table is old when it has so many times as many rows: as for SQLite itself.
  private static let growth: Int64 = 10

  /// Whether so much was written since the indexes were last looked at that their statistics may be old.
  var needsStatistics: Bool { sqlite3_total_changes64(handle) >= changesBeforeAnalysis }

  /// Looks at the indexes whose statistics are missing or old. The work is bounded, whatever the size of the tables.
  ///
  /// Statistics are a hint: what goes wrong is left for the next time, and nothing fails.
  func updateStatistics() {
    let changes = sqlite3_total_changes64(handle)
    changesBeforeAnalysis = changes + min(max(changes * (Self.growth - 1), Self.firstAnalysis), Self.greatestInterval)
    do {
      try change("PRAGMA main.analysis_limit = \(Self.analysisLimit)")
      for table in try tablesWithOldStatistics() { try change("ANALYZE main.\(Dialect.sqlite.quote(table))") }
      // What SQLite itself finds worth looking at, by the queries of this connection.
      try change("PRAGMA main.optimize")
    } catch {
      // The next writes ask again.
    }
  }

  /// The tables with indexes of which nothing is known, or that have grown tenfold.
  private func tablesWithOldStatistics() throws -> [String] {
    let tables = try query("SELECT DISTINCT tbl_name AS name FROM main.sqlite_master WHERE type = 'index'").compactMap { $0["name"]?.text }
    let hasStatistics = try !query("SELECT 1 FROM main.sqlite_master WHERE name = 'sqlite_stat1'").isEmpty
    var known: [String: Int64] = [:]
    if hasStatistics {
      for row in try query("SELECT tbl, max(CAST(stat AS INTEGER)) AS rows FROM main.sqlite_stat1 GROUP BY tbl") {
        known[row["tbl"]?.text ?? ""] = row["rows"]?.integer ?? 0
      }
    }
    return try tables.filter { table in
      guard !table.hasPrefix("_larder_"), !table.hasPrefix("sqlite_") else { return false }
      guard let rows = known[table] else { return true }
      // The greatest row number is found at once; the number of rows is not.
      let greatest = try query("SELECT max(rowid) AS row FROM main.\(Dialect.sqlite.quote(table))").first?["row"]?.integer ?? 0
      return greatest / Self.growth >= max(rows, 1)
    }
  }
}

extension Writer {
  /// Brings the statistics up to date when the writer is free, and keeps nobody waiting for it.
  func scheduleStatistics() {
    Task.detached(priority: .utility) { [weak self] in
      try? await self?.perform { $0.updateStatistics() }
    }
  }
}
