/// Writes the unsaved rows to the table of the file: those with a previous version as updates, the others as inserts.
extension OverlaySQL {
  private var file: String { "main.\(shadow)" }

  /// Writes all columns. A row that moves to another parent is updated before its old parent is deleted, and needs all
  /// of its new values then, because a part of them could collide with another row.
  var writeUpdates: [String] {
    // A key may have changed to one that the file takes for the same.
    let others = table.columns.filter { !table.keys.contains($0.name) || $0.isCollated }.map { Quoting.name($0.name) }
    return others.isEmpty ? [] : [write(others)] + writePlaces
  }

  /// Writes the positions again, because the triggers of the file give a moved row the last one.
  private var writePlaces: [String] {
    let places = table.places.map { Quoting.name($0.column) }
    return places.isEmpty ? [] : [write(places)]
  }

  var writeDeletions: String {
    "DELETE FROM \(file) WHERE (\(list(keys))) IN (SELECT \(list(keys)) FROM \(pending) WHERE \(Self.state) = 1)"
  }

  /// Writes the references again, because deletions may have cleared them in rows that refer to the parent again.
  var writeReferences: [String] {
    let references = Set(table.references.flatMap(\.childColumns).map(Quoting.name)).subtracting(keys).sorted()
    return references.isEmpty ? [] : [write(references)] + writePlaces
  }

  /// - Parameters:
  ///   - hasUpdates: Whether some of the unsaved rows are updates.
  ///   - hasDeletions: Whether rows were deleted, and with them perhaps some that are to be updated. Those are inserted
  ///     again; the end of the transaction finds their dangling references.
  func writeInsertions(hasUpdates: Bool, hasDeletions: Bool) -> String {
    var condition = ""
    if hasUpdates {
      let isGone = hasDeletions ? " OR NOT EXISTS (SELECT 1 FROM \(file) AS f WHERE \(sameKey("f", "p")))" : ""
      condition = " AND (NOT EXISTS (SELECT 1 FROM \(base) AS b WHERE \(sameKey("b", "p")))\(isGone))"
    }
    return
      "INSERT INTO \(file) (\(list(columns))) SELECT \(list(columns, of: "p")) FROM \(pending) AS p WHERE p.\(Self.state) = 0\(condition)"
  }

  private func write(_ columns: [String]) -> String {
    let (own, previous) = (Self.own, Self.previous)
    let assignments = columns.map { "\($0) = \(own).\($0)" }.joined(separator: ", ")
    return """
      UPDATE \(file) SET \(assignments) FROM \(pending) AS \(own) WHERE \(own).\(Self.state) = 0 AND \(sameKey(shadow, own)) \
      AND EXISTS (SELECT 1 FROM \(base) AS \(previous) WHERE \(sameKey(previous, own)))
      """
  }

  // MARK: Unique values

  /// A unique value that rows of the file give up before others take it: a column of the rule temporarily gets an
  /// unused value.
  struct Vacancy {
    /// The column, quoted.
    let column: String
    let type: OverlayTable.Column
    /// `WHERE` of the rows.
    let condition: String
  }

  /// For each unique rule, the rows of the file whose values an updated row takes over, and that are updated or deleted
  /// themselves.
  var vacancies: [Vacancy] {
    table.uniqueRules.compactMap { rule in
      let names = rule.parts.map { Quoting.name($0.column) }
      let parts = rule.parts.compactMap { part in
        table.columns.first { $0.name == part.column && !table.keys.contains($0.name) }
      }
      let references = Set(table.references.flatMap(\.childColumns))
      guard
        let column = parts.first(where: { !$0.isRequired }) ?? parts.first(where: { !references.contains($0.name) })
          ?? parts.first
      else { return nil }
      func same(_ left: String, _ right: String, _ op: String) -> String {
        zip(rule.parts, names).map { "\(left).\($1) \(op) \(right).\($1) COLLATE \(Quoting.name($0.collation))" }
          .joined(separator: " AND ")
      }
      let (own, previous) = (Self.own, Self.previous)
      let isVersioned = "EXISTS (SELECT 1 FROM \(base) AS \(previous) WHERE \(sameKey(previous, own)))"
      let leaves = """
        EXISTS (SELECT 1 FROM \(pending) AS \(own) WHERE \(sameKey(own, shadow)) AND \(isVersioned) \
        AND (\(own).\(Self.state) = 1 OR NOT (\(same(own, shadow, "IS")))))
        """
      let isTaken = """
        EXISTS (SELECT 1 FROM \(pending) AS \(own) WHERE \(own).\(Self.state) = 0 AND NOT (\(sameKey(own, shadow))) \
        AND \(isVersioned) AND \(same(own, shadow, "=")))
        """
      return Vacancy(column: Quoting.name(column.name), type: column, condition: "\(isTaken) AND \(leaves)")
    }
  }

  /// Returns a query for the keys of the rows that give up a value.
  func rows(_ vacancy: Vacancy) -> String {
    "SELECT \(list(keys, of: shadow)) FROM \(file) AS \(shadow) WHERE \(vacancy.condition)"
  }

  /// Returns SQL that gives all of the rows NULL, or random bytes.
  func vacate(_ vacancy: Vacancy) -> String? {
    let value: String
    if !vacancy.type.isRequired {
      value = "NULL"
    } else if vacancy.type.declaration.uppercased().hasPrefix("BLOB") {
      value = "randomblob(16)"
    } else {
      return nil
    }
    return "UPDATE \(file) AS \(shadow) SET \(vacancy.column) = \(value) WHERE \(vacancy.condition)"
  }

  /// Returns SQL that finds whether a value, the first parameter, is in use.
  func isUsed(_ vacancy: Vacancy) -> String {
    "SELECT 1 FROM \(file) WHERE \(vacancy.column) = ?1 UNION ALL SELECT 1 FROM \(pending) WHERE \(vacancy.column) = ?1 LIMIT 1"
  }

  /// Returns SQL that sets the value, the first parameter, in the row with a key, from the second parameter on.
  func vacateRow(_ vacancy: Vacancy) -> String {
    let isKey = keys.enumerated().map { "\($1) = ?\($0 + 2)" }.joined(separator: " AND ")
    return "UPDATE \(file) SET \(vacancy.column) = ?1 WHERE \(isKey)"
  }
}
