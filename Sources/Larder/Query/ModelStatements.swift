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
  ///   - parameter: The parameter for a column that is written, by the column's position; by default a plain one.
  ///   - isKey: The condition that a key's column has the parameter's value; by default that they are equal.
  init(
    table name: String, columns names: [String], keyIndexes: [Int], dialect: Dialect = .sqlite, parameter: ((Int) -> String)? = nil,
    isKey: ((Int, _ parameter: String) -> String)? = nil
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
    let parameters = names.indices.map { parameter?($0) ?? dialect.parameter($0 + 1) }
    insert = "INSERT INTO \(table) (\(columns)) VALUES (\(parameters.joined(separator: ", ")))"
    let others = names.indices.filter { !keyIndexes.contains($0) }
    let assigned = (others.isEmpty ? Array(names.indices) : others).map { "\(quoted[$0]) = \(parameters[$0])" }.joined(separator: ", ")
    let whole = keyIndexes.map { condition($0, parameters[$0]) }.joined(separator: " AND ")
    update = "UPDATE \(table) SET \(assigned) WHERE \(whole)"
    let conflict = others.isEmpty ? "NOTHING" : "UPDATE SET " + others.map { "\(quoted[$0]) = excluded.\(quoted[$0])" }.joined(separator: ", ")
    upsert = "\(insert) ON CONFLICT (\(keys.joined(separator: ", "))) DO \(conflict)"
  }
}
