/// The SQL of a model's statements that is the same for every call.
struct ModelStatements: Sendable {
  let columns: String
  let qualifiedColumns: String
  let table: String
  /// The table's name in statements that write, which bypass the view without expired rows.
  let target: String
  /// The name of the existing row in `insert` with `ON CONFLICT`.
  let row: String
  /// The condition that a row has the key, whose parameters come first.
  let isKey: String
  let find: String
  let insert: String
  let upsert: String
  let update: String
  let delete: String

  /// - Parameters:
  ///   - writtenIndexes: The positions of the columns that a row writes; by default all.
  ///   - expires: Whether rows expire, so that the table is read through a view.
  ///   - forms: How to compare and write the columns that store values in other formats than Larder's.
  init(
    table name: String, columns names: [String], keyIndexes: [Int], writtenIndexes: [Int]? = nil, expires: Bool = false,
    forms: AdoptedStatements = AdoptedStatements([])
  ) {
    let table = Quoting.name(name)
    let quoted = names.map(Quoting.name)
    let keys = keyIndexes.map { quoted[$0] }
    self.table = table
    columns = quoted.joined(separator: ", ")
    qualifiedColumns = quoted.map { "\(table).\($0)" }.joined(separator: ", ")
    let byKey = keyIndexes.enumerated().map { forms.isEqual(quoted[$1], Quoting.parameter($0 + 1), at: $1) }.joined(
      separator: " AND ")
    find = "SELECT \(columns) FROM \(table) WHERE \(byKey)"
    self.isKey = byKey
    let target = expires ? "main.\(table)" : table
    self.target = target
    // The name of the row that isn't inserted hides a table of that name.
    let hidesRow = name.isSameColumn(as: "excluded")
    row = hidesRow ? "_larder_row" : table
    let isThere = expires ? " AND \(Expiry.isThere())" : ""
    delete = "DELETE FROM \(target) WHERE \(byKey)\(isThere)"
    let written = writtenIndexes ?? Array(names.indices)
    var parameters: [Int: String] = [:]
    for (number, position) in written.enumerated() { parameters[position] = Quoting.parameter(number + 1) }
    func parameter(_ position: Int) -> String { parameters[position] ?? "NULL" }
    let whole = keyIndexes.map { forms.isEqual(quoted[$0], parameter($0), at: $0) }.joined(separator: " AND ")
    let values = written.map { position in
      // The row with the key is the one that is saved, in whatever format the file stores its key.
      let standing = keyIndexes.contains(position) ? "SELECT \(quoted[position]) FROM \(table) WHERE \(whole)" : nil
      return forms.inserted(parameter(position), at: position, standing: standing)
    }
    let list = written.map { quoted[$0] }.joined(separator: ", ")
    insert =
      "INSERT INTO \(target)\(hidesRow ? " AS _larder_row" : "") (\(list)) VALUES (\(values.joined(separator: ", ")))"
    let others = written.filter { !keyIndexes.contains($0) }
    let assigned = (others.isEmpty ? written : others).map {
      "\(quoted[$0]) = \(forms.updated(quoted[$0], to: parameter($0), at: $0))"
    }
    update = "UPDATE \(target) SET \(assigned.joined(separator: ", ")) WHERE \(whole)\(isThere)"
    // A row that is saved without an expiry date no longer expires.
    let replaced =
      others.map { "\(quoted[$0]) = \(forms.updated(quoted[$0], to: "excluded.\(quoted[$0])", at: $0))" }
      + (expires ? ["\(Expiry.column) = NULL"] : [])
    let isSame = keyIndexes.compactMap { forms.isSameKey(quoted[$0], at: $0) }
    var conflict = replaced.isEmpty ? "NOTHING" : "UPDATE SET " + replaced.joined(separator: ", ")
    if !isSame.isEmpty {
      if replaced.isEmpty { conflict = "UPDATE SET \(keys[0]) = \(keys[0])" }
      conflict += " WHERE \(isSame.joined(separator: " AND "))"
    }
    upsert = "\(insert) ON CONFLICT (\(keys.joined(separator: ", "))) DO \(conflict)"
  }
}

/// How the statements of a model compare and write columns that store values in other formats than Larder's, or that
/// the file compares otherwise.
struct AdoptedStatements: Sendable {
  /// For each column of the model, nil if SQL compares its values as Swift does; empty if it does so in all columns.
  private let columns: [AdoptedColumns.Column?]

  init(_ columns: [AdoptedColumns.Column?]) {
    self.columns = columns
  }

  private func column(_ position: Int) -> AdoptedColumns.Column? {
    columns.indices.contains(position) ? columns[position] : nil
  }

  private func mixed(_ position: Int) -> AdoptedColumns.Column? {
    column(position).flatMap { $0.kind == .mixed ? $0 : nil }
  }

  func isEqual(_ name: String, _ parameter: String, at position: Int) -> String {
    guard let column = column(position) else { return "\(name) = \(parameter)" }
    if column.kind == .mixed { return "\(column.read(name)) = \(parameter)" }
    let isExact = "\(column.exact(name)) = \(parameter)"
    return column.collation?.findsEqualTexts == true ? "\(name) = \(parameter) AND \(isExact)" : isExact
  }

  /// Returns the condition that a row with an equal key to the file has the same key to Swift; nil if that is the same.
  /// Evaluating it throws if it doesn't hold.
  func isSameKey(_ name: String, at position: Int) -> String? {
    guard let column = column(position), column.collation != nil else { return nil }
    return column.isSameKey(name, "excluded.\(name)")
  }

  /// - Parameter standing: The SQL of the existing value that the new one replaces.
  func inserted(_ parameter: String, at position: Int, standing: String?) -> String {
    guard let column = mixed(position) else { return parameter }
    let value = column.written(parameter)
    return standing.map { "coalesce((\($0) LIMIT 1), \(value))" } ?? value
  }

  func updated(_ name: String, to value: String, at position: Int) -> String {
    mixed(position)?.written(value, over: name) ?? value
  }
}
