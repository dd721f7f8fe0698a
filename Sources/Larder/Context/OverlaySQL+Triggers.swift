extension OverlaySQL {
  private func trigger(_ kind: String) -> String { Quoting.name("\(ReservedNames.prefix)\(kind)_\(table.name)") }

  /// Checks that the key is available and the row satisfies the rules, and writes the history and the row.
  var insertTrigger: String {
    let values = table.columns.map { column -> String in
      let value = "NEW.\(Quoting.name(column.name))"
      if let place = table.places.first(where: { $0.column == column.name }) {
        return "coalesce(\(value), \(lastPlace(place)))"
      }
      return column.fallback.map { "coalesce(\(value), \($0))" } ?? value
    }
    return """
      CREATE TEMP TRIGGER \(trigger("insert")) INSTEAD OF INSERT ON \(shadow)\(number.map { " WHEN NEW.\($0) IS NOT NULL" } ?? "") BEGIN \
      \(requiredRules(hasFallback: true))\
      SELECT RAISE(ABORT, \(message("UNIQUE", table.keys))) FROM \(rows) AS v WHERE \(sameKey("v", "NEW")); \
      \(table.uniqueRules.map { uniqueRule($0) }.joined())\
      INSERT INTO \(history) (\(Self.stepNumber), \(Self.isThere), \(list(keys))) SELECT \(step), 0, \(list(keys, of: "NEW")) \
      WHERE NOT EXISTS (SELECT 1 FROM \(history) AS h WHERE h.\(Self.stepNumber) = \(step) AND \(sameKey("h", "NEW"))); \
      DELETE FROM \(pending) WHERE \(sameKey(pending, "NEW")); \(forgetExpired)\
      INSERT INTO \(pending) (\(Self.row), \(Self.state), \(list(columns))) \
      VALUES ((SELECT b.\(Self.row) FROM \(base) AS b WHERE \(sameKey("b", "NEW"))), 0, \(values.joined(separator: ", "))); \
      \(touch("NEW", isNew: true))END
      """
  }

  /// The integer key that SQLite generates if a statement gives none.
  private var number: String? { table.hiddenRowID == nil ? table.rowIDColumn.map(Quoting.name) : nil }

  var numberTrigger: String? {
    guard let number else { return nil }
    // What refers to an expired row must not refer to a new one.
    let numbers = ([rows] + (table.expires ? [expired] : [])).map { "SELECT max(\(number)) AS n FROM \($0)" }
    let next = "coalesce((SELECT max(n) FROM (\(numbers.joined(separator: " UNION ALL ")))), 0) + 1"
    let values = columns.map { $0 == number ? next : "NEW.\($0)" }
    return """
      CREATE TEMP TRIGGER \(trigger("number")) INSTEAD OF INSERT ON \(shadow) WHEN NEW.\(number) IS NULL BEGIN \
      INSERT INTO \(shadow) (\(list(columns))) VALUES (\(values.joined(separator: ", "))); \
      END
      """
  }

  var updateTrigger: String {
    let values = table.columns.map { column -> String in
      let value = "NEW.\(Quoting.name(column.name))"
      guard let place = table.places.first(where: { $0.column == column.name }) else { return value }
      let owner = Quoting.name(place.owner)
      return "CASE WHEN NEW.\(owner) IS OLD.\(owner) OR NEW.\(owner) IS NULL THEN \(value) ELSE \(lastPlace(place)) END"
    }
    let assignments = zip(columns, values).map { "\($0) = \($1)" }.joined(separator: ", ")
    return """
      CREATE TEMP TRIGGER \(trigger("update")) INSTEAD OF UPDATE ON \(shadow) WHEN \(sameKey("NEW", "OLD")) BEGIN \
      \(requiredRules(hasFallback: false))\
      \(table.uniqueRules.map { uniqueRule($0) }.joined())\
      \(remember)\
      UPDATE \(pending) SET \(Self.state) = 0, \(assignments) WHERE \(sameKey(pending, "OLD")); \
      INSERT INTO \(pending) (\(Self.row), \(Self.state), \(list(columns))) SELECT \(lowerRow("OLD")), 0, \(values.joined(separator: ", ")) \
      WHERE NOT EXISTS (SELECT 1 FROM \(pending) AS p WHERE \(sameKey("p", "OLD"))); \
      \(touchUpdate)END
      """
  }

  /// A row whose key changes is deleted and inserted.
  var moveTrigger: String {
    """
    CREATE TEMP TRIGGER \(trigger("move")) INSTEAD OF UPDATE ON \(shadow) WHEN NOT (\(sameKey("NEW", "OLD"))) BEGIN \
    \(rememberReferences)\(remember)\(remove)\(touch("OLD"))\
    INSERT INTO \(shadow) (\(list(columns))) VALUES (\(list(columns, of: "NEW"))); \
    END
    """
  }

  var deleteTrigger: String {
    """
    CREATE TEMP TRIGGER \(trigger("delete")) INSTEAD OF DELETE ON \(shadow) \
    WHEN EXISTS (SELECT 1 FROM \(rows) AS v WHERE \(sameKey("v", "OLD"))) BEGIN \
    \(remember)\(remove)\(leave)\(touch("OLD"))\
    END
    """
  }

  /// A row that has expired is deleted as if it were there.
  var expiredTrigger: String {
    """
    CREATE TEMP TRIGGER \(trigger("expired")) INSTEAD OF DELETE ON \(expired) BEGIN \
    \(remember)\(remove)\(leave)END
    """
  }

  var upsertTrigger: String {
    // Columns that the model doesn't declare keep their values. A row that is saved without an expiry date no longer
    // expires.
    let named = table.columns.filter { !$0.isForeign || $0.name == Expiry.column }.map { Quoting.name($0.name) }
    let others = named.filter { !keys.contains($0) }
    let assignments = (others.isEmpty ? keys : others).map { "\($0) = NEW.\($0)" }.joined(separator: ", ")
    return """
      CREATE TEMP TRIGGER \(trigger("save")) INSTEAD OF INSERT ON \(upsert) BEGIN \
      UPDATE \(shadow) SET \(assignments) WHERE \(exactKey(shadow, "NEW")); \
      INSERT INTO \(shadow) (\(list(columns))) SELECT \(list(columns, of: "NEW")) \
      WHERE NOT EXISTS (SELECT 1 FROM \(rows) AS v WHERE \(exactKey("v", "NEW"))); \
      END
      """
  }

  // MARK: Parts

  /// Returns the position after the last row with the same owner, as the triggers of the file do.
  private func lastPlace(_ place: OverlayTable.Place) -> String {
    let (column, owner) = (Quoting.name(place.column), Quoting.name(place.owner))
    return
      "CASE WHEN NEW.\(owner) IS NOT NULL THEN (SELECT \(SchemaTrigger.next(after: "v.\(column)")) FROM \(rows) AS v WHERE v.\(owner) = NEW.\(owner)) END"
  }

  /// Records the version of the row in the layer below, the first time, and the row as it was before the step.
  private var remember: String {
    """
    INSERT INTO \(base) (\(Self.row), \(Self.clock), \(list(columns))) SELECT \(lowerRow("OLD")), \(step), \(list(columns, of: "OLD")) \
    WHERE NOT EXISTS (SELECT 1 FROM \(pending) AS p WHERE \(sameKey("p", "OLD"))); \
    INSERT INTO \(history) (\(Self.stepNumber), \(Self.isThere), \(list(columns))) SELECT \(step), 1, \(list(columns, of: "OLD")) \
    WHERE NOT EXISTS (SELECT 1 FROM \(history) AS h WHERE h.\(Self.stepNumber) = \(step) AND \(sameKey("h", "OLD")));
    """ + " "
  }

  /// A row that was never saved leaves no trace; for another row, its deletion is recorded.
  private var remove: String {
    """
    DELETE FROM \(pending) WHERE \(sameKey(pending, "OLD")) AND NOT EXISTS (SELECT 1 FROM \(base) AS b WHERE \(sameKey("b", "OLD"))); \
    UPDATE \(pending) SET \(Self.state) = 1 WHERE \(sameKey(pending, "OLD")); \
    INSERT INTO \(pending) (\(Self.row), \(Self.state), \(list(keys))) SELECT \(lowerRow("OLD")), 1, \(list(keys, of: "OLD")) \
    WHERE EXISTS (SELECT 1 FROM \(base) AS b WHERE \(sameKey("b", "OLD"))) \
    AND NOT EXISTS (SELECT 1 FROM \(pending) AS p WHERE \(sameKey("p", "OLD")));
    """ + " "
  }

  /// Records the row as deleted if a delete rule applies to it.
  private var leave: String {
    hasDeleteRules ? "INSERT INTO \(leaving) (\(list(columns))) VALUES (\(list(columns, of: "OLD"))); " : ""
  }

  /// A row that takes the place of one whose time has come is a new one.
  private var forgetExpired: String {
    table.expires ? "DELETE FROM \(base) WHERE \(sameKey(base, "NEW")) AND \(Expiry.isOver); " : ""
  }

  /// Writes the rows that refer to a moved one again: unchanged, or as the update rule of an adopted file says. The
  /// delete rules of the file, which sees a deletion, don't reach rows that are written themselves, and the commit
  /// refuses those that refer to no row by then.
  private var rememberReferences: String {
    deleteRules.filter(\.reachesChildren).map { reference in
      let columns = zip(reference.childColumns.map(Quoting.name), referredColumns(reference))
      let values = columns.map { child, parent in
        switch reference.updateRule {
        case "CASCADE": "\(child) = NEW.\(parent)"
        case "SET NULL": "\(child) = NULL"
        default: "\(child) = \(child)"
        }
      }
      let refers = columns.map { "\($0) = OLD.\($1)" }.joined(separator: " AND ")
      return "UPDATE \(Quoting.name(reference.child)) SET \(values.joined(separator: ", ")) WHERE \(refers); "
    }.joined()
  }

  private func message(_ rule: String, _ columns: [String]) -> String {
    Quoting.literal("\(rule) constraint failed: " + columns.map { "\(table.name).\($0)" }.joined(separator: ", "))
  }

  private func requiredRules(hasFallback: Bool) -> String {
    table.columns.filter { $0.isRequired && !(hasFallback && $0.fallback != nil) }.map { column in
      "SELECT RAISE(ABORT, \(message("NOT NULL", [column.name]))) WHERE NEW.\(Quoting.name(column.name)) IS NULL; "
    }.joined()
  }

  /// Refuses a row with the unique value of another one that is there, and deletes another one with it that has expired.
  private func uniqueRule(_ rule: OverlayTable.UniqueRule) -> String {
    func isTaken(_ row: String) -> String {
      let matches = rule.parts.map { part -> String in
        let column = Quoting.name(part.column)
        return "\(row).\(column) = NEW.\(column) COLLATE \(Quoting.name(part.collation)) AND "
      }
      return "\(matches.joined())NOT (\(sameKey(row, "NEW")))"
    }
    let failure = message("UNIQUE", rule.parts.map(\.column))
    let refuse = "SELECT RAISE(ABORT, \(failure)) FROM \(rows) AS v WHERE \(isTaken("v")); "
    return refuse + (table.expires ? "DELETE FROM \(expired) WHERE \(isTaken(expired)); " : "")
  }
}
