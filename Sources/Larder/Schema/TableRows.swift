/// Queries on the rows of a table for a migration. Messages identify rows by their row IDs, never by their values.
struct TableRows {
  private let connection: Connection
  private let name: String
  private let number: String

  init(_ connection: Connection, _ table: TableDefinition, _ state: TableState) {
    self.connection = connection
    name = Quoting.name(state.name)
    // A table without row IDs is rejected or rebuilt; until then its rows can't be identified.
    number = state.rowNumber ?? "NULL"
  }

  func exist(where condition: String) throws -> Bool {
    try !connection.query("SELECT 1 FROM \(name) WHERE \(condition) LIMIT 1").isEmpty
  }

  /// Returns the first rows that satisfy the condition; nil if there are none.
  func numbers(where condition: String) throws -> RowNumbers? {
    let rows = try connection.query("SELECT \(number) AS number FROM \(name) WHERE \(condition) LIMIT 4")
    return rows.isEmpty ? nil : RowNumbers(numbers: rows.compactMap { $0["number"]?.integer })
  }

  /// Returns the first rows that are equal in all of the columns, as text: "1 and 2; 5 and 7"; nil if there are none.
  /// NULLs aren't equal.
  ///
  /// - Parameter columns: Quoted names with their collations; without any, all rows are equal.
  func sharing(_ columns: [(name: String, collation: String?)]) throws -> String? {
    let filled = columns.isEmpty ? "1" : columns.map { "\($0.name) IS NOT NULL" }.joined(separator: " AND ")
    let keys =
      columns.isEmpty
      ? "NULL" : columns.map { $0.name + ($0.collation.map { " COLLATE \($0)" } ?? "") }.joined(separator: ", ")
    let groups = try connection.query(
      "SELECT min(\(number)) AS first, max(\(number)) AS last FROM \(name) WHERE \(filled) GROUP BY \(keys) HAVING count(*) > 1 LIMIT 3"
    )
    guard !groups.isEmpty else { return nil }
    return groups.map { "\($0["first"]?.integer ?? 0) and \($0["last"]?.integer ?? 0)" }.joined(separator: "; ")
  }

  /// Returns the first row whose value the property's type can't read, and why.
  func firstFailure(
    of stored: String, as column: TableDefinition.Column
  ) throws -> (number: Int64, cause: ValueFailure)? {
    let quoted = Quoting.name(stored)
    let statement = try connection.compile(
      "SELECT \(number), CAST(\(quoted) AS \(column.type.storageClass.rawValue)) FROM \(name) WHERE \(quoted) IS NOT NULL",
      isPersistent: false)
    defer { statement.reset() }
    while try connection.step(statement, nil) {
      do {
        try column.check(try StoredColumn(statement.pointer, 1).exactValue)
      } catch let cause as ValueFailure {
        return (StoredColumn(statement.pointer, 0).integer ?? 0, cause)
      }
    }
    return nil
  }
}

/// Returns a few row IDs as text.
struct RowNumbers: CustomStringConvertible {
  let numbers: [Int64]

  var description: String {
    let shown = numbers.prefix(3).map(String.init).joined(separator: ", ")
    return numbers.count == 1 ? "row \(shown)" : "rows \(shown)\(numbers.count > 3 ? " and more" : "")"
  }

  var verb: String { numbers.count == 1 ? "holds" : "hold" }
}
