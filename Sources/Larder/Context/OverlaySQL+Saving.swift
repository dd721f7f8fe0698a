/// What writes the pending rows to the table of the file: those with a version from before as updates, the others as inserts.
extension OverlaySQL {
  private var file: String { "main.\(shadow)" }

  /// Writes the references first: a row that moved to another parent must not be deleted with its old one.
  var writeReferences: [String] {
    let references = Set(table.references.flatMap(\.childColumns).map(Dialect.sqlite.quote)).subtracting(keys).sorted()
    guard !references.isEmpty else { return [] }
    return [write(references)]
  }

  var writeDeletions: String {
    "DELETE FROM \(file) WHERE (\(list(keys))) IN (SELECT \(list(keys)) FROM \(pending) WHERE \(Self.state) = 1)"
  }

  /// The deletions whose rows no other row of the same table refers to, where the table refers to itself; to be repeated until none is left.
  var writeLeafDeletions: String? {
    let rules = table.references.filter { $0.parent.isSameColumn(as: table.name) && $0.deleteRule == "RESTRICT" }
    guard !rules.isEmpty else { return nil }
    let conditions = rules.map { rule in
      let parents = rule.parentColumns.isEmpty ? table.keys : rule.parentColumns
      let pairs = zip(rule.childColumns, parents).map { "c.\(Dialect.sqlite.quote($0)) = \(shadow).\(Dialect.sqlite.quote($1))" }
      return " AND NOT EXISTS (SELECT 1 FROM \(file) AS c WHERE \(pairs.joined(separator: " AND ")))"
    }
    return writeDeletions + conditions.joined()
  }

  /// Frees the unique values that another pending row takes over from one that is updated as well.
  var vacateUniqueValues: [String] {
    table.uniqueRules.flatMap { rule -> [String] in
      guard let part = rule.parts.first(where: { !table.keys.contains($0.column) }),
        let column = table.columns.first(where: { $0.name == part.column })
      else { return [] }
      let name = Dialect.sqlite.quote(part.column)
      let matches = rule.parts.map { "\(shadow).\(Dialect.sqlite.quote($0.column)) = o.\(Dialect.sqlite.quote($0.column))" }.joined(
        separator: " AND ")
      return [
        """
        UPDATE \(file) SET \(name) = \(freeValue(of: column)) FROM \(pending) AS p WHERE p.\(Self.state) = 0 AND \(sameKey(shadow, "p")) \
        AND p.\(name) IS NOT \(shadow).\(name) \
        AND EXISTS (SELECT 1 FROM \(pending) AS o WHERE o.\(Self.state) = 0 AND NOT (\(sameKey("o", "p"))) AND \(matches))
        """
      ]
    }
  }

  private func freeValue(of column: OverlayTable.Column) -> String {
    guard column.isRequired else { return "NULL" }
    return column.declaration.uppercased().hasPrefix("INT")
      ? "random()"
      : column.declaration.uppercased().hasPrefix("REAL")
        ? "CAST(random() AS REAL)"
        : column.declaration.uppercased().hasPrefix("BLOB") ? "randomblob(16)" : "hex(randomblob(16))"
  }

  var writeUpdates: [String] {
    let others = columns.filter { !keys.contains($0) }
    // The triggers of the file give a row that moved the last place.
    let places = table.places.map { Dialect.sqlite.quote($0.column) }
    return others.isEmpty ? [] : [write(others)] + (places.isEmpty ? [] : [write(places)])
  }

  private func write(_ columns: [String]) -> String {
    let assignments = columns.map { "\($0) = p.\($0)" }.joined(separator: ", ")
    return """
      UPDATE \(file) SET \(assignments) FROM \(pending) AS p WHERE p.\(Self.state) = 0 AND \(sameKey(shadow, "p")) \
      AND EXISTS (SELECT 1 FROM \(base) AS b WHERE \(sameKey("b", "p")))
      """
  }

  /// - Parameter hasUpdates: Whether some of the pending rows are updates.
  func writeInsertions(hasUpdates: Bool) -> String {
    let condition = hasUpdates ? " AND NOT EXISTS (SELECT 1 FROM \(base) AS b WHERE \(sameKey("b", "p")))" : ""
    return "INSERT INTO \(file) (\(list(columns))) SELECT \(list(columns, of: "p")) FROM \(pending) AS p WHERE p.\(Self.state) = 0\(condition)"
  }
}
