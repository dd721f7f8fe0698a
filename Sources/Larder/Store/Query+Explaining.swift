extension Query {
  /// Returns the SQL of the query, how SQLite executes it, and what makes it slow.
  ///
  /// ```swift
  /// print(try await Note.where { $0.title == "Milk" }.explain(in: store))
  /// ```
  ///
  /// The query isn't executed.
  ///
  /// - Parameter store: The store, whose indexes and statistics decide.
  /// - Returns: The plan.
  /// - Throws: ``StoreError`` `.unsupported` if a `#Predicate` can't be translated to SQL, and the errors of any read.
  /// - Complexity: O(1) in the number of rows.
  public func explain(in store: Store) async throws -> QueryPlan {
    try await store.reading { connection in
      var writer = connection.environment.makeWriter()
      try writeSelect(&writer)
      return try connection.plan(of: writer)
    }
  }
}

extension ValueQuery {
  /// Returns the SQL of the query, how SQLite executes it, and what makes it slow. The query isn't executed.
  ///
  /// - Parameter store: The store, whose indexes and statistics decide.
  /// - Returns: The plan.
  /// - Throws: The errors of any read.
  /// - Complexity: O(1) in the number of rows.
  public func explain(in store: Store) async throws -> QueryPlan {
    let statement = _statement
    return try await store.reading { connection in
      var writer = connection.environment.makeWriter()
      try statement.write(&writer)
      return try connection.plan(of: writer)
    }
  }
}

/// How a query is executed: ``Query/explain(in:)``.
public struct QueryPlan: Sendable, Hashable, CustomStringConvertible {
  /// The SQL, with a `?` for each value.
  public let sql: String
  /// What SQLite does, step by step, in its own words. Source: <https://www.sqlite.org/eqp.html>.
  public let steps: [String]
  /// What takes time that grows with the table, and the remedy; empty if there is nothing to mend.
  public let warnings: [String]

  public var description: String {
    ([sql] + steps.map { "  \($0)" } + warnings.map { "Warning: \($0)" }).joined(separator: "\n")
  }
}

extension Connection {
  /// The number of rows from which on it matters how they are found.
  private static let largeTable = 1000
  /// The depth of conditions about related rows up to which warnings know their tables.
  private static let largestDepth = 8

  fileprivate func plan(of writer: SQLWriter) throws -> QueryPlan {
    let rows = try self.rows(writer.explaining, nil)
    let steps = rows.compactMap { $0["detail"]?.text }
    return QueryPlan(sql: writer.sql, steps: steps, warnings: try warnings(of: steps, writer.sql))
  }

  private func warnings(of steps: [String], _ sql: String) throws -> [String] {
    let hasCondition = sql.contains(" WHERE ") || sql.contains(" JOIN ")
    let scanned = try environment.tables.filter { table in
      let names = names(of: table, sql)
      return try hasCondition && steps.contains { isScan($0, names) } && isLarge(table)
    }
    var warnings = scanned.map { table in
      "Each row of \(table.model) is read, because no index leads to those that the condition is about. Add @Attribute(.indexed) to a property that it compares, or an Index of several."
    }
    let automatic = try environment.tables.filter { table in
      let names = names(of: table, sql)
      let isIndexed = steps.contains { step in
        step.contains(" USING AUTOMATIC ") && names.contains { step.hasPrefix("SEARCH \($0) ") }
      }
      return try isIndexed && isLarge(table)
    }
    warnings += automatic.map { table in
      "An index of \(table.model) is made each time, because there is none that the query can use. Add @Attribute(.indexed) to the property that the condition compares, or an Index of several."
    }
    let sorted = try environment.tables.filter { table in
      try steps.contains { $0.hasPrefix("SCAN \(table.name)") } && isLarge(table)
    }
    if let table = sorted.first, steps.contains("USE TEMP B-TREE FOR ORDER BY") {
      warnings.append(
        "The rows of \(table.model) are sorted each time, because no index has their order. Add @Attribute(.indexed) to the property that they are sorted by."
      )
    }
    return warnings
  }

  /// Returns the names by which the SQL calls a table.
  private func names(of table: TableDefinition, _ sql: String) -> [String] {
    let aliases = (1...Self.largestDepth).map(SQLWriter.alias(ofRows:))
    let table = table.name
    return [table] + aliases.filter { "\(sql) ".contains("\(Quoting.name(table)) AS \($0) ") }
  }

  /// Whether all rows are read, in the table or in an index that has all that is needed.
  private func isScan(_ step: String, _ names: [String]) -> Bool {
    names.contains { name in
      step == "SCAN \(name)" || step == "SCAN \(name) LEFT-JOIN" || step.hasPrefix("SCAN \(name) USING COVERING INDEX")
    }
  }

  private func isLarge(_ table: TableDefinition) throws -> Bool {
    let sql = "SELECT count(*) AS count FROM (SELECT 1 FROM \(Quoting.name(table.name)) LIMIT \(Self.largeTable))"
    return try query(sql).first?["count"] == .integer(Int64(Self.largeTable))
  }
}

extension SQLWriter {
  /// The statement that describes how this one is executed.
  fileprivate var explaining: SQLWriter {
    var writer = self
    writer.begin(with: "EXPLAIN QUERY PLAN ")
    return writer
  }
}
