/// The SQL of a model that is the same for every call.
struct ModelStatements: Sendable {
  /// The hidden column that keeps the row identifier stable where the key is not an integer.
  static let hiddenRowID = "_rowid"

  let columns: String
  let qualifiedColumns: String
  let table: String
  /// The table as statements name it that write to it: past the view that leaves out what has expired.
  let target: String
  /// The condition that a row has the key, whose parameters come first.
  let isKey: String
  let find: String
  let insert: String
  let upsert: String
  let update: String
  let delete: String

  /// - Parameters:
  ///   - writtenIndexes: The positions of the columns that a row writes; by default all.
  ///   - expires: Whether rows expire, and the table has a view in its place.
  ///   - parameter: The parameter for a column that is written, by the column's position; by default a plain one.
  ///   - isKey: The condition that a key's column has the parameter's value; by default that they are equal.
  init(
    table name: String, columns names: [String], keyIndexes: [Int], writtenIndexes: [Int]? = nil, expires: Bool = false,
    dialect: Dialect = .sqlite, parameter: ((_ position: Int, _ number: Int) -> String)? = nil, isKey: ((Int, _ parameter: String) -> String)? = nil
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
    self.isKey = byKey
    let target = expires ? "main.\(table)" : table
    self.target = target
    let isThere = expires ? " AND \(Expiry.isThere())" : ""
    delete = "DELETE FROM \(target) WHERE \(byKey)\(isThere)"
    let written = writtenIndexes ?? Array(names.indices)
    var parameters: [Int: String] = [:]
    for (number, position) in written.enumerated() {
      parameters[position] = parameter?(position, number + 1) ?? dialect.parameter(number + 1)
    }
    func value(_ position: Int) -> String { parameters[position] ?? "NULL" }
    let list = written.map { quoted[$0] }.joined(separator: ", ")
    insert = "INSERT INTO \(target) (\(list)) VALUES (\(written.map(value).joined(separator: ", ")))"
    let others = written.filter { !keyIndexes.contains($0) }
    let assigned = (others.isEmpty ? written : others).map { "\(quoted[$0]) = \(value($0))" }.joined(separator: ", ")
    let whole = keyIndexes.map { condition($0, value($0)) }.joined(separator: " AND ")
    update = "UPDATE \(target) SET \(assigned) WHERE \(whole)\(isThere)"
    // A row that is saved without a time does not expire any longer.
    let replaced = others.map { "\(quoted[$0]) = excluded.\(quoted[$0])" } + (expires ? ["\(Expiry.column) = NULL"] : [])
    let conflict = replaced.isEmpty ? "NOTHING" : "UPDATE SET " + replaced.joined(separator: ", ")
    upsert = "\(insert) ON CONFLICT (\(keys.joined(separator: ", "))) DO \(conflict)"
  }
}
