import Foundation

extension Connection {
  private static let listLimit = 40

  /// Returns the error of SQL by hand with the names that there are, if the SQL has a name that isn't, and with the way to
  /// write a column where its table can't stand. Other errors stay unchanged.
  func naming(_ error: StoreError, in sql: String) -> StoreError {
    if error.message.contains("near \".\": syntax error") {
      return StoreError(
        error.code, model: error.model, property: error.property,
        "\(error.message) In SET, USING and lists of columns, write \\(name: Model.columns.property).")
    }
    guard error.code == .schemaMismatch else { return error }
    if let wanted = error.message.name(after: "no such table: ") { return missing(table: wanted) }
    if let wanted = error.message.name(after: "no such column: ") { return missing(column: wanted, sql) ?? error }
    return error
  }

  /// The names of the tables and views of the file in alphabetical order, without those that Larder and SQLite keep for
  /// themselves.
  var tableNames: [String] {
    get throws {
      // SQLite calls the tables in which a full-text index keeps its data shadows.
      try query("PRAGMA main.table_list").compactMap { row -> String? in
        guard let name = row["name"]?.text, row["schema"] == "main", row["type"] != "shadow" else { return nil }
        return ReservedNames.isOwn(name) ? nil : name
      }.sorted()
    }
  }

  private func missing(table wanted: String) -> StoreError {
    if environment.tables.isEmpty {
      let names = (try? tableNames) ?? []
      let nearest = NearestName(to: wanted, among: names).name
      return StoreError(
        .schemaMismatch, "The file has no table \(wanted).\(Self.suggestion(nearest)) It has \(Self.list(names)).")
    }
    let tables = environment.tables.map { $0.name == $0.model ? $0.name : "\($0.name) (\($0.model))" }.sorted()
    let nearest = NearestName(to: wanted, among: environment.tables.map(\.name)).name
    return StoreError(
      .schemaMismatch,
      "The file has no table \(wanted).\(Self.suggestion(nearest)) The models of this store have \(Self.list(tables)). Interpolate the model: from \\(Model.self)."
    )
  }

  private func missing(column wanted: String, _ sql: String) -> StoreError? {
    let tables = (try? tables(namedIn: sql)) ?? []
    guard !tables.isEmpty else { return nil }
    let column = wanted.split(separator: ".").last.map(String.init) ?? wanted
    let nearest = NearestName(to: column, among: tables.flatMap(\.columns)).name
    let lists = tables.map { "\($0.name) has \(Self.list($0.columns))" }.joined(separator: "; ")
    return StoreError(
      .schemaMismatch, model: tables.count == 1 ? tables[0].name : nil, property: column,
      "No table of the SQL has a column \(wanted).\(Self.suggestion(nearest)) \(lists).")
  }

  private static func suggestion(_ nearest: String?) -> String { nearest.map { " Did you mean \($0)?" } ?? "" }

  private static func list(_ names: [String]) -> String {
    let rest = names.count - listLimit
    return names.prefix(listLimit).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }

  /// Returns the tables and views whose names are words of the text.
  private func tables(namedIn sql: String) throws -> [(name: String, columns: [String])] {
    let text = sql.asciiLowercased
    let rows = try query(
      """
      SELECT DISTINCT name FROM (SELECT name, type FROM temp.sqlite_master UNION ALL SELECT name, type FROM main.sqlite_master)
      WHERE type IN ('table', 'view') AND instr(?1, lower(name)) > 0 AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      """, [.text(text)])
    return try rows.compactMap { $0["name"]?.text }.filter { isWord($0.asciiLowercased, in: text) }.map { name in
      (
        name,
        try query("PRAGMA table_xinfo(\(Quoting.name(name)))").filter { $0["hidden"] != 1 }
          .compactMap { $0["name"]?.text }
      )
    }
  }

  private func isWord(_ name: String, in text: String) -> Bool {
    func isLetter(_ character: Character) -> Bool { character.isLetter || character.isNumber || character == "_" }
    return text.ranges(of: name).contains { range in
      let isStart = range.lowerBound == text.startIndex || !isLetter(text[text.index(before: range.lowerBound)])
      return isStart && (range.upperBound == text.endIndex || !isLetter(text[range.upperBound]))
    }
  }
}

extension String {
  /// Returns the name after the given text in a message with an error of SQLite in brackets.
  fileprivate func name(after text: String) -> String? {
    guard let range = range(of: text), let end = self.range(of: "). ", range: range.upperBound..<endIndex) else {
      return nil
    }
    return String(self[range.upperBound..<end.lowerBound])
  }
}
