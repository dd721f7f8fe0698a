import GRDBSQLite

// Deleting a row that a reference keeps is tried once. The row is then set aside: its date becomes `Expiry.kept`, which
// still hides it, and which the sweeper's index search skips. When a trigger finds that the reference is removed, the
// date becomes `Expiry.released`, and the next sweep tries again. Expired rows that keep each other are found when one of
// them is tried (`ExpiredGroup`). Nothing tells when a row may go that is refused for
// another reason: such rows are tried again from time to time.

extension Connection {
  /// Deletes expired rows, and returns their number.
  ///
  /// Rows that a delete rule keeps stay, hidden.
  ///
  /// - Parameters:
  ///   - limit: The largest number of rows to delete in all tables together, not counting those that delete rules
  ///     delete with them.
  ///   - span: The range of expiry dates; by default all that have passed.
  func removeExpired(limit: Int, _ span: ExpirySpan? = nil) throws -> Int {
    let span = span ?? ExpirySpan(until: environment.clock.reading)
    var count = try removeExpiredRows(limit: limit) { try removeExpired(of: $0, span, limit: $1) }
    for contents in expiringContents where count < limit {
      count += try contents.removeExpired(span, limit: limit - count, self)
    }
    return count
  }

  /// Like ``removeExpired(limit:_:)``, but continues with the next table after an error. Returns the first error.
  func sweep(limit: Int, _ span: ExpirySpan) -> (any Error)? {
    var failure: (any Error)?
    func attempting(_ body: () throws -> Int) -> Int {
      do {
        return try body()
      } catch {
        failure = failure ?? error
        return 0
      }
    }
    var count = attempting {
      try removeExpiredRows(limit: limit) { table, limit in
        attempting { try removeExpired(of: table, span, limit: limit) }
      }
    }
    for contents in expiringContents where count < limit {
      count += attempting { try contents.removeExpired(span, limit: limit - count, self) }
    }
    return failure
  }

  private func removeExpiredRows(limit: Int, _ remove: (TableDefinition, Int) throws -> Int) throws -> Int {
    let tables = environment.tables.filter(\.expires)
    guard !tables.isEmpty else { return 0 }
    try expiryReleases.prepare(reviewsAll: limit == .max)
    var count = 0
    // Deletions in one table can release rows in another.
    repeat {
      for table in tables where count < limit { count += try remove(table, limit - count) }
    } while try expiryReleases.review() && count < limit
    return count
  }

  /// Returns when the first row after the time expires; infinity if none does.
  func nextExpiry(after time: Double) throws -> Double {
    let others = try expiringContents.map { try $0.nextExpiry(after: time, self) }
    let tables = try environment.tables.filter(\.expires).map { try nextExpiry(of: $0, after: time) }
    return (others + tables).min() ?? .infinity
  }

  /// Returns when the first row of the table after the time expires; infinity if none does.
  func nextExpiry(of table: TableDefinition, after time: Double) throws -> Double {
    let statement = try statement(
      "SELECT min(\(Expiry.column)) FROM main.\(Quoting.name(table.name)) WHERE \(Expiry.column) > ?1")
    defer { statement.reset() }
    try statement.bind([.value(.real(time))])
    return try step(statement, nil) ? StoredColumn(statement.pointer, 0).real ?? .infinity : .infinity
  }

  /// Returns the tables and collections with rows that expire within the range.
  func tablesWithEnds(in span: ExpirySpan) throws -> [String] {
    let tables = environment.tables.filter(\.expires).map { (table: $0.name, column: Expiry.column) }
    return try (tables + expiringContents.flatMap { try $0.expiringTables(self) }).filter { name, column in
      let sql = "SELECT 1 FROM main.\(Quoting.name(name)) WHERE \(column) > ?1 AND \(column) <= ?2 LIMIT 1"
      return try !query(sql, [.real(span.after), .real(span.until)]).isEmpty
    }.map(\.0)
  }

  // MARK: One table

  /// The number of rows to try with one statement.
  private static var batch: Int { 500 }

  /// Deletes expired rows of one table in one transaction, and returns their number.
  func removeExpired(of table: TableDefinition, _ span: ExpirySpan, limit: Int) throws -> Int {
    var count = 0
    var tried = 0
    guard limit > 0, try !expiredRows(of: table, span, limit: 1).isEmpty else { return 0 }
    try atomically(until: span.until) {
      while tried < limit {
        let rows = try expiredRows(of: table, span, limit: min(limit - tried, Self.batch))
        guard !rows.isEmpty else { return }
        tried += rows.count
        var kept: [Int64] = []
        count += try remove(rows[...], of: table, keeping: &kept)
        // Rows that refer to each other may only be deletable together.
        if kept.count > 1, let together = try delete(kept[...], of: table) {
          count += together
        } else if !kept.isEmpty {
          try setEnd(of: kept, of: table, to: Expiry.kept)
          count += try removeGroups(of: kept, in: table, span)
        }
      }
    }
    return count
  }

  private func atomically(until time: Double, _ body: () throws -> Void) throws {
    func expire() throws { try environment.features.expiring(until: time, self, body) }
    try isAutocommitting ? transaction(expire) : savepoint(expire)
  }

  private func expiredRows(of table: TableDefinition, _ span: ExpirySpan, limit: Int) throws -> [Int64] {
    let row = Quoting.name(table.rowIDColumn)
    let rows = "SELECT \(row), \(Expiry.column) FROM main.\(Quoting.name(table.name)) WHERE \(Expiry.column)"
    let statement = try statement(
      "\(rows) = ?1 UNION ALL \(rows) > ?2 AND \(Expiry.column) <= ?3 ORDER BY \(Expiry.column) LIMIT ?4")
    defer { statement.reset() }
    let after = max(span.after, Expiry.released)
    try statement.bind([
      .value(.real(Expiry.released)), .value(.real(after)), .value(.real(span.until)), .value(.integer(Int64(limit))),
    ])
    var numbers: [Int64] = []
    while try step(statement, nil) { numbers.append(sqlite3_column_int64(statement.pointer, 0)) }
    return numbers
  }

  /// Deletes the rows, and appends those that references keep.
  private func remove(_ rows: ArraySlice<Int64>, of table: TableDefinition, keeping kept: inout [Int64]) throws -> Int {
    if let count = try delete(rows, of: table) { return count }
    guard rows.count > 1 else {
      kept += rows
      return 0
    }
    let middle = rows.startIndex + rows.count / 2
    let count = try remove(rows[..<middle], of: table, keeping: &kept)
    return count + (try remove(rows[middle...], of: table, keeping: &kept))
  }

  /// Deletes the rows. Returns nil if something keeps one of them.
  private func delete(_ rows: ArraySlice<Int64>, of table: TableDefinition) throws -> Int? {
    let writer = deletion(of: rows, in: table)
    return try expiryReleases.attempting {
      do {
        return try deletingUnreferenced(table, isOneRow: rows.count == 1) { try change(writer, ErrorContext(table)) }
      } catch let error as StoreError where [.constraint, .invalidValue, .unsupported].contains(error.code) {
        // A rule deletes a row of a sum that its property couldn't hold, or a trigger of another program refuses.
        if rows.count == 1 { expiryReleases.noteRefusal(of: table) }
        return nil
      }
    }
  }

  /// Deletes those of the rows that only other expired rows keep, with these, and returns their number.
  ///
  /// A circle may be longer than a batch, lead through several tables, or be closed by a row that expires last.
  private func removeGroups(of rows: [Int64], in table: TableDefinition, _ span: ExpirySpan) throws -> Int {
    let groups = try expiryReleases.groups(of: rows, in: table, span)
    guard !groups.isEmpty else { return 0 }
    let count = try expiryReleases.attempting {
      do {
        return try deletingTogether {
          for (table, rows) in groups { _ = try change(deletion(of: rows[...], in: table), ErrorContext(table)) }
          return groups.reduce(0) { $0 + $1.1.count }
        }
      } catch let error as StoreError where [.constraint, .invalidValue, .unsupported].contains(error.code) {
        expiryReleases.noteRefusal(of: table)
        return nil
      }
    }
    return count ?? 0
  }

  private func deletion(of rows: ArraySlice<Int64>, in table: TableDefinition) -> SQLWriter {
    let row = Quoting.name(table.rowIDColumn)
    var writer = environment.makeWriter()
    writer.write("DELETE FROM main.\(Quoting.name(table.name)) WHERE \(row) IN (SELECT value FROM json_each(")
    writer.bind(.text("[\(rows.map(String.init).joined(separator: ","))]"))
    writer.write("))")
    return writer
  }

  func setEnd(of rows: [Int64], of table: TableDefinition, to end: Double) throws {
    let row = Quoting.name(table.rowIDColumn)
    let sql =
      "UPDATE main.\(Quoting.name(table.name)) SET \(Expiry.column) = ?1 WHERE \(row) IN (SELECT value FROM json_each(?2))"
    let statement = try statement(sql)
    try statement.bind([.value(.real(end)), .value(.text("[\(rows.map(String.init).joined(separator: ","))]"))])
    try run(statement, context: ErrorContext(table))
  }
}
