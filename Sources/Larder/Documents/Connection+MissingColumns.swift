import Foundation

extension Connection {
  /// Returns an error that lists the existing columns, for SQL with a column that none of its tables has. Other errors
  /// stay unchanged.
  func naming(columnsOf sql: String, _ error: StoreError) -> StoreError {
    guard error.code == .schemaMismatch, let range = error.message.range(of: "no such column: "),
      let end = error.message.range(of: "). ", range: range.upperBound..<error.message.endIndex)
    else { return error }
    let wanted = String(error.message[range.upperBound..<end.lowerBound])
    let tables = (try? tables(namedIn: sql)) ?? []
    guard !tables.isEmpty else { return error }
    let column = wanted.split(separator: ".").last.map(String.init) ?? wanted
    let nearest = NearestName(to: column, among: tables.flatMap(\.columns)).name
    let lists = tables.map { table in
      let names = table.columns.prefix(40).joined(separator: ", ")
      return "\(table.name) has \(names)\(table.columns.count > 40 ? " and \(table.columns.count - 40) more" : "")"
    }
    return StoreError(
      .schemaMismatch, model: tables.count == 1 ? tables[0].name : nil, property: column,
      "No table of the SQL has a column \(wanted).\(nearest.map { " Did you mean \($0)?" } ?? "") \(lists.joined(separator: "; "))."
    )
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
        try query("SELECT name FROM pragma_table_xinfo(?1) WHERE hidden <> 1", [.text(name)]).compactMap {
          $0["name"]?.text
        }
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
