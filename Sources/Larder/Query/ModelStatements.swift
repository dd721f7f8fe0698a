/// The SQL of a model that is the same for every call.
struct ModelStatements: Sendable {
  /// The hidden column that keeps the row identifier stable where the key is not an integer.
  static let hiddenRowID = "_rowid"

  let columns: String
  let qualifiedColumns: String
  let table: String
  let find: String
  let insert: String
  let upsert: String
  let update: String
  let delete: String

  /// - Parameters:
  ///   - writtenIndexes: The positions of the columns that a row writes; by default all.
  ///   - parameter: The parameter for a column that is written, by the column's position; by default a plain one.
  ///   - isKey: The condition that a key's column has the parameter's value; by default that they are equal.
  init(
    table name: String, columns names: [String], keyIndexes: [Int], writtenIndexes: [Int]? = nil, dialect: Dialect = .sqlite,
    parameter: ((_ position: Int, _ number: Int) -> String)? = nil, isKey: ((Int, _ parameter: String) -> String)? = nil
  ) {
    let table = dialect.quote(name)
    let quoted = names.map(dialect.quote)
    let keys = keyIndexes.map { quoted[$0] }
    self.table = table
    columns = quoted.joined(separator: ", ")
    qualifiedColumns = quoted.map { "\(table).\($0)" }.joined(separator: ", ")
    let condition = isKey ?? { "\(quoted[$0]) = \($1)" }
    let byKey = keyIndexes.enumerated().map { condition($1, dialect.parameter($0 + 1)) }.joined(separator: " AND ")
    find = "SELECT \(columns) FROM \(table) WHERE \(byKey)"
    delete = "DELETE FROM \(table) WHERE \(byKey)"
    let written = writtenIndexes ?? Array(names.indices)
    var parameters: [Int: String] = [:]
    for (number, position) in written.enumerated() {
      parameters[position] = parameter?(position, number + 1) ?? dialect.parameter(number + 1)
    }
    func value(_ position: Int) -> String { parameters[position] ?? "NULL" }
    let list = written.map { quoted[$0] }.joined(separator: ", ")
    insert = "INSERT INTO \(table) (\(list)) VALUES (\(written.map(value).joined(separator: ", ")))"
    let others = written.filter { !keyIndexes.contains($0) }
    let assigned = (others.isEmpty ? written : others).map { "\(quoted[$0]) = \(value($0))" }.joined(separator: ", ")
    let whole = keyIndexes.map { condition($0, value($0)) }.joined(separator: " AND ")
    update = "UPDATE \(table) SET \(assigned) WHERE \(whole)"
    let conflict = others.isEmpty ? "NOTHING" : "UPDATE SET " + others.map { "\(quoted[$0]) = excluded.\(quoted[$0])" }.joined(separator: ", ")
    upsert = "\(insert) ON CONFLICT (\(keys.joined(separator: ", "))) DO \(conflict)"
  }
}
