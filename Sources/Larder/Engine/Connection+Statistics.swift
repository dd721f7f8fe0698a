import GRDBSQLite

// SQLite chooses between indexes by statistics of their values, which only exist after ANALYZE.

extension Connection {
  /// The number of changed rows before the first analysis of the indexes.
  static let firstAnalysis: Int64 = 1000
  /// The largest number of changed rows between two analyses.
  private static let greatestInterval: Int64 = 1_000_000
  /// The number of entries of each index to sample, which takes about a millisecond:
  /// <https://www.sqlite.org/pragma.html#pragma_analysis_limit>.
  private static let analysisLimit = 400
  /// Statistics of a table are outdated if it has grown by this factor, as in SQLite itself.
  private static let growth: Int64 = 10

  /// Whether enough was written since the last analysis for the statistics to be outdated.
  var needsStatistics: Bool { sqlite3_total_changes64(handle) >= changesBeforeAnalysis }

  /// Analyzes the indexes whose statistics are missing or outdated. The work is bounded, whatever the size of the
  /// tables.
  ///
  /// Statistics are a hint: errors are ignored, and the next analysis tries again.
  func updateStatistics() {
    let changes = sqlite3_total_changes64(handle)
    changesBeforeAnalysis = changes + min(max(changes * (Self.growth - 1), Self.firstAnalysis), Self.greatestInterval)
    do {
      try change("PRAGMA main.analysis_limit = \(Self.analysisLimit)")
      for table in try tablesWithOldStatistics() { try change("ANALYZE main.\(Quoting.name(table))") }
      // What SQLite itself considers worth analyzing, based on the queries of this connection.
      try change("PRAGMA main.optimize")
    } catch {
      // The next writes try again.
    }
  }

  /// Returns the tables with indexes that were never analyzed, or that have grown tenfold since.
  private func tablesWithOldStatistics() throws -> [String] {
    let tables = try query("SELECT DISTINCT tbl_name AS name FROM main.sqlite_master WHERE type = 'index'").compactMap {
      $0["name"]?.text
    }
    let hasStatistics = try !query("SELECT 1 FROM main.sqlite_master WHERE name = 'sqlite_stat1'").isEmpty
    var known: [String: Int64] = [:]
    if hasStatistics {
      for row in try query("SELECT tbl, max(CAST(stat AS INTEGER)) AS rows FROM main.sqlite_stat1 GROUP BY tbl") {
        known[row["tbl"]?.text ?? ""] = row["rows"]?.integer ?? 0
      }
    }
    return try tables.filter { table in
      guard !ReservedNames.isOwn(table) else { return false }
      guard let rows = known[table] else { return true }
      // The greatest row ID is found in constant time; the number of rows isn't.
      let greatest = try query("SELECT max(rowid) AS row FROM main.\(Quoting.name(table))").first?["row"]?.integer ?? 0
      return greatest / Self.growth >= max(rows, 1)
    }
  }
}

extension Writer {
  /// Updates the statistics when the writer is idle, without delaying any caller.
  func scheduleStatistics() {
    Task.detached(priority: .utility) { [weak self] in
      try? await self?.perform { $0.updateStatistics() }
    }
  }
}
