/// The kinds of conflict between a changed row and the row in the layer below.
enum ConflictKind: CaseIterable {
  /// Changed or deleted in this layer, changed below.
  case changed
  /// Changed in this layer, deleted below.
  case gone
  /// Inserted in both.
  case taken
}

extension OverlaySQL {
  /// Removes rows that were written without a change.
  ///
  /// Rows that refer to a deleted row stay: they are written again after the file's delete rules have run, and the
  /// commit refuses them.
  var dropUnchanged: [String] {
    let rows = """
      FROM \(base) AS b CROSS JOIN \(pending) AS p ON \(sameKey("p", "b")) WHERE p.\(Self.state) = 0 AND \(sameValues("p", "b")) \
      AND NOT \(refersToDeleted("p"))
      """
    return ["DELETE FROM \(pending) WHERE \(Self.number) IN (SELECT p.\(Self.number) \(rows))", dropBase]
  }

  /// Removes rows that were inserted in both with the same values. What they have counted would be added.
  var dropEqual: String {
    let counts = table.counters.isEmpty ? "" : " AND \(hasNoCount("p"))"
    return """
      DELETE FROM \(pending) WHERE \(Self.number) IN (SELECT p.\(Self.number) FROM \(pending) AS p CROSS JOIN \(lower) AS m ON \(sameKey("m", "p")) \
      WHERE p.\(Self.state) = 0 AND NOT EXISTS (SELECT 1 FROM \(base) AS b WHERE \(sameKey("b", "p"))) AND \(sameRegisters("p", "m"))\(counts) \
      AND NOT \(refersToDeleted("p")))
      """
  }

  /// The condition that a reference of the row is to one that is deleted in this layer.
  func refersToDeleted(_ row: String) -> String {
    let conditions = table.references.compactMap { reference -> String? in
      guard let parent = tables.first(where: { $0.name.isSameColumn(as: reference.parent) }) else { return nil }
      let columns = (reference.parentColumns.isEmpty ? parent.keys : reference.parentColumns).map(Quoting.name)
      let refers = zip(columns, reference.childColumns).map { "d.\($0) = \(row).\(Quoting.name($1))" }.joined(
        separator: " AND ")
      let isSame = parent.keys.map(Quoting.name).map { "g.\($0) = d.\($0)" }.joined(separator: " AND ")
      return """
        EXISTS (SELECT 1 FROM \(name("base", of: parent.name)) AS d CROSS JOIN \(name("pending", of: parent.name)) AS g ON \(isSame) \
        WHERE \(refers) AND g.\(Self.state) = 1)
        """
    }
    return conditions.isEmpty ? "FALSE" : "(\(conditions.joined(separator: " OR ")))"
  }

  /// Removes the versions of rows without unsaved changes.
  var dropBase: String {
    "DELETE FROM \(base) WHERE NOT EXISTS (SELECT 1 FROM \(pending) AS p WHERE \(sameKey("p", base)))"
  }

  /// Removes expired rows: those without a saved version, and those whose saved version has expired, too.
  ///
  /// A row that got a later date in this layer is there although its saved version has expired, and nobody else has
  /// deleted it: it has no version any more with which somebody's could be in conflict. What others have added to its
  /// counters until then is added up first.
  var dropExpired: [String] {
    let below = "SELECT 1 FROM \(base) AS b WHERE \(sameKey("b", pending)) AND \(Expiry.isThere("b"))"
    return [
      "DELETE FROM \(pending) WHERE \(Self.state) = 0 AND \(Expiry.isOver) AND NOT EXISTS (\(below))", dropBase,
    ] + (table.counters.isEmpty ? [] : [noteCounted, addExpired]) + [
      """
      DELETE FROM \(base) WHERE \(Expiry.isOver) \
      AND EXISTS (SELECT 1 FROM \(pending) AS p WHERE \(sameKey("p", base)) AND p.\(Self.state) = 0) \
      AND NOT EXISTS (SELECT 1 FROM \(lower) AS m WHERE \(sameKey("m", base)))
      """
    ]
  }

  /// Makes an unsaved row an update if the file still has an expired row with its key. Delete rules have been applied
  /// to what referred to a row that was replaced; what refers to one that got a later date must stay.
  var updateExpired: String {
    """
    INSERT INTO \(base) (\(Self.row), \(Self.clock), \(list(columns))) \
    SELECT \(lowerRow("m")), 0, \(list(columns, of: "m")) FROM \(pending) AS p CROSS JOIN main.\(shadow) AS m ON \(sameKey("m", "p")) \
    WHERE p.\(Self.state) = 0 AND NOT EXISTS (SELECT 1 FROM \(base) AS b WHERE \(sameKey("b", "p"))) \
    AND NOT \(Expiry.isThere("m"))
    """
  }

  /// What the delete rules do to the expired rows that refer to an expired row which an unsaved one replaces. The
  /// context doesn't see them.
  var followHidden: [String] {
    tables.filter(\.expires).flatMap { child in
      child.references.filter { $0.parent.isSameColumn(as: table.name) }.compactMap { reference in
        let columns = reference.childColumns.map(Quoting.name)
        let refers = zip(columns, referredColumns(reference)).map { "c.\($0) = m.\($1)" }.joined(separator: " AND ")
        let isReplaced = """
          EXISTS (SELECT 1 FROM \(pending) AS p CROSS JOIN main.\(shadow) AS m ON \(sameKey("m", "p")) \
          WHERE p.\(Self.state) = 0 AND NOT \(Expiry.isThere("m")) AND \(refers) \
          AND NOT EXISTS (SELECT 1 FROM \(base) AS b WHERE \(sameKey("b", "p"))))
          """
        let name = "main.\(Quoting.name(child.name)) AS c"
        switch reference.deleteRule {
        case "CASCADE": return "DELETE FROM \(name) WHERE \(Expiry.isOver) AND \(isReplaced)"
        case "SET NULL":
          let assignments = columns.map { "\($0) = NULL" }.joined(separator: ", ")
          return "UPDATE \(name) SET \(assignments) WHERE \(Expiry.isOver) AND \(isReplaced)"
        default: return nil
        }
      }
    }
  }

  /// Removes expired rows of the file with a unique value of an unsaved row, unless they are written themselves.
  var removeTaken: [String] {
    table.uniqueRules.map { rule in
      let isSame = rule.parts.map { part in
        let column = Quoting.name(part.column)
        return "p.\(column) = t.\(column) COLLATE \(Quoting.name(part.collation))"
      }
      return """
        DELETE FROM main.\(shadow) AS t WHERE \(Expiry.isOver) AND EXISTS \
        (SELECT 1 FROM \(pending) AS p WHERE p.\(Self.state) = 0 AND \(isSame.joined(separator: " AND "))) \
        AND NOT EXISTS (SELECT 1 FROM \(pending) AS q WHERE \(sameKey("q", "t")))
        """
    }
  }

  /// Returns `FROM` and `WHERE` of the unsaved rows `p` that are in conflict with the rows `m` below. Counters never are.
  func conflicts(_ kind: ConflictKind) -> String {
    let here = "FROM \(base) AS b CROSS JOIN \(pending) AS p ON \(sameKey("p", "b"))"
    switch kind {
    case .changed:
      return """
        \(here) CROSS JOIN \(lower) AS m ON \(sameKey("m", "b")) \
        WHERE NOT (\(sameRegisters("m", "b"))) AND NOT (p.\(Self.state) = 0 AND \(sameRegisters("p", "m")))
        """
    case .gone:
      return "\(here) WHERE p.\(Self.state) = 0 AND NOT EXISTS (SELECT 1 FROM \(lower) AS m WHERE \(sameKey("m", "b")))"
    case .taken:
      return """
        FROM \(pending) AS p CROSS JOIN \(lower) AS m ON \(sameKey("m", "p")) \
        WHERE p.\(Self.state) = 0 AND NOT EXISTS (SELECT 1 FROM \(base) AS b WHERE \(sameKey("b", "p"))) AND NOT (\(sameRegisters("p", "m")))
        """
    }
  }

  /// Returns SQL for the number of rows in conflict and, for each column, the number of rows in which both sides
  /// changed it, and in which the other side did.
  func countConflicts(_ kind: ConflictKind) -> String {
    guard kind != .gone else { return "SELECT count(*) AS count \(conflicts(kind))" }
    let counts = table.columns.enumerated().map { position, column in
      let there = "NOT (\(same(column, "m", kind == .changed ? "b" : "p")))"
      let both = kind == .changed ? "\(there) AND (p.\(Self.state) = 1 OR NOT (\(same(column, "p", "b"))))" : there
      return ", sum(\(both)) AS both\(position), sum(\(there)) AS there\(position)"
    }
    return "SELECT count(*) AS count\(counts.joined()) \(conflicts(kind))"
  }

  /// Returns SQL that resolves the conflicts in the unsaved rows by the policy.
  func resolve(_ kind: ConflictKind, _ policy: MergePolicy) -> [String] {
    let drop = [
      "DELETE FROM \(pending) WHERE \(Self.number) IN (SELECT p.\(Self.number) \(conflicts(kind)))", dropBase,
    ]
    switch (kind, policy) {
    case (_, .error): return []
    case (.changed, .overwrite): return []
    case (.changed, .preferContext): return [merge("p", "b") { "CASE WHEN \($1) THEN m.\($0) ELSE p.\($0) END" }]
    case (.changed, .preferStore):
      let deletions =
        "DELETE FROM \(pending) WHERE \(Self.number) IN (SELECT p.\(Self.number) \(conflicts(kind)) AND p.\(Self.state) = 1)"
      return [deletions, dropBase, merge("m", "b") { "CASE WHEN \($1) THEN p.\($0) ELSE m.\($0) END" }]
    case (.changed, .rollback) where !table.counters.isEmpty: return keepOnlyAdditions
    // The row is inserted again.
    case (.gone, .preferContext), (.gone, .overwrite):
      return ["DELETE FROM \(base) WHERE \(Self.number) IN (SELECT b.\(Self.number) \(conflicts(kind)))"]
    // The existing row is updated.
    case (.taken, .preferContext), (.taken, .overwrite):
      return [
        """
        INSERT INTO \(base) (\(Self.row), \(Self.clock), \(list(columns))) \
        SELECT \(lowerRow("m")), 0, \(list(columns, of: "m")) FROM \(pending) AS p CROSS JOIN \(lower) AS m ON \(sameKey("m", "p")) \
        WHERE p.\(Self.state) = 0 AND NOT EXISTS (SELECT 1 FROM \(base) AS b WHERE \(sameKey("b", "p")))
        """
      ]
    case (_, .rollback), (.gone, .preferStore), (.taken, .preferStore): return drop
    }
  }

  /// - Parameter value: Returns the new value of a column, given its name, and the condition that two rows have the
  ///   same value in it.
  private func merge(_ left: String, _ right: String, _ value: (String, String) -> String) -> String {
    let others = table.columns.filter { !table.keys.contains($0.name) && $0.counterRange == nil }.map {
      (name: Quoting.name($0.name), column: $0)
    }
    guard !others.isEmpty else { return "SELECT 1 WHERE FALSE" }
    let assignments = others.map { "\($0.name) = x.\($0.name)" }.joined(separator: ", ")
    let values = others.map { "\(value($0.name, same($0.column, left, right))) AS \($0.name)" }.joined(separator: ", ")
    return """
      UPDATE \(pending) SET \(assignments) FROM (SELECT p.\(Self.number) AS \(Self.number), \(values) \(conflicts(.changed)) AND p.\(Self.state) = 0) AS x \
      WHERE \(pending).\(Self.number) = x.\(Self.number)
      """
  }
}
