extension DerivedColumn {
  /// Computes the column in every row.
  func fill(_ dialect: Dialect) -> String {
    "UPDATE \(dialect.quote(table)) SET \(dialect.quote(column)) = \(recomputed(dialect))"
  }

  /// The rows in which the column is not what it should be: the key, what is stored, what it should be.
  ///
  /// A sum of real numbers may differ in its last digits by the order in which they were added.
  func mismatches(_ dialect: Dialect) -> String {
    let (stored, name) = (dialect.quote(column), dialect.quote(table))
    let differs =
      aggregate == .sum && arithmetic == .real
      ? "NOT (stored IS computed OR abs(stored - computed) <= 1e-9 * max(abs(stored), abs(computed)))" : "stored IS NOT computed"
    return
      "SELECT * FROM (SELECT \(dialect.quote(key)) AS key, \(stored) AS stored, \(recomputed(dialect)) AS computed FROM \(name)) WHERE \(differs)"
  }

  /// What the column should be, in a statement about its own table.
  func recomputed(_ dialect: Dialect) -> String {
    computed(aggregated(dialect), dialect)
  }

  /// The condition, in a statement about its own table, that the column would be no value of its property, and why; nil where there is always one.
  func unstorable(_ dialect: Dialect) -> (reason: DerivedRefusal.Reason, condition: String)? {
    guard aggregate == .sum, let value else { return nil }
    let rows = "larder_rows.\(dialect.quote(value))"
    switch arithmetic {
    case .integer:
      // SQLite's own sum of integers ends the statement on overflow.
      let bounds = range ?? Int64.min...Int64.max
      let sum = computed("larder_decimal_sum(\(rows))", dialect)
      return (.range, "\(sum) COLLATE larder_decimal NOT BETWEEN '\(bounds.lowerBound)' AND '\(bounds.upperBound)'")
    case .real: return (.notANumber, "\(recomputed(dialect)) IS NULL")
    case .decimal, .none: return nil
    }
  }

  /// How much the sum may grow, in a statement about its own table, before it could be no value of its property: a lower bound.
  func room(_ dialect: Dialect) -> String? {
    guard aggregate == .sum, let value else { return nil }
    let rows = "larder_rows.\(dialect.quote(value))"
    switch arithmetic {
    case .integer:
      let bounds = range ?? Int64.min...Int64.max
      let (lowest, highest) = (Double(bounds.lowerBound), Double(bounds.upperBound))
      let sum = "CAST(coalesce(\(computed("larder_decimal_sum(\(rows))", dialect)), '0') AS REAL)"
      // The margin is wider than what is lost in counting with real numbers.
      return "min(\(highest) - \(sum), \(sum) - (\(lowest))) - \(highest * 1e-9)"
    // As long as no sum of absolute values overflows, no order of adding makes an infinity, or of two of them what is no number.
    case .real: return "1e308 - \(computed("total(abs(\(rows)))", dialect))"
    case .decimal, .none: return nil
    }
  }

  /// An aggregate of the rows that belong to a row of the table.
  private func computed(_ aggregate: String, _ dialect: Dialect) -> String {
    let owner = "\(dialect.quote(table)).\(dialect.quote(key))"
    let rowsName = dialect.quote(rowsTable)
    switch rows {
    case .reference(let column):
      return "(SELECT \(aggregate) FROM \(rowsName) AS larder_rows WHERE larder_rows.\(dialect.quote(column)) = \(owner))"
    case .pairs(let pairs, let own, _, _) where self.aggregate == .count:
      return "(SELECT count(*) FROM \(dialect.quote(pairs)) AS larder_pairs WHERE larder_pairs.\(own) = \(owner))"
    case .pairs(let pairs, let own, let other, let key):
      return
        "(SELECT \(aggregate) FROM \(dialect.quote(pairs)) AS larder_pairs JOIN \(rowsName) AS larder_rows ON larder_rows.\(dialect.quote(key)) = larder_pairs.\(other) WHERE larder_pairs.\(own) = \(owner))"
    }
  }

  private func aggregated(_ dialect: Dialect) -> String {
    guard let value else { return "count(*)" }
    let name = "larder_rows.\(dialect.quote(value))"
    let compared = name + (collation.map { " COLLATE \($0)" } ?? "")
    return switch (aggregate, arithmetic) {
    case (.count, _): "count(*)"
    case (.sum, .decimal): "coalesce(larder_decimal_sum(\(name)), '0')"
    case (.sum, .real): "total(\(name))"
    case (.sum, _): "coalesce(sum(\(name)), 0)"
    case (.min, _): "min(\(compared))"
    case (.max, _): "max(\(compared))"
    }
  }
}

// MARK: - Triggers

extension DerivedColumn {
  /// The triggers that keep the column in step.
  func triggers(_ dialect: Dialect) -> [SchemaTrigger] {
    let ownKey = dialect.quote(key)
    let recompute = recompute("\(ownKey) = new.\(ownKey)", dialect)
    // Rows may be there before the row that they belong to, until the transaction ends.
    let own = [
      trigger("own_insert", "AFTER INSERT", on: table, when: hasRows(dialect), recompute, dialect),
      trigger("own_key", "AFTER UPDATE OF \(ownKey)", on: table, when: "old.\(ownKey) IS NOT new.\(ownKey)", recompute, dialect),
    ]
    switch rows {
    case .reference(let reference): return own + referenceTriggers(dialect.quote(reference), dialect)
    case .pairs(let pairs, let own_, let other, let key): return own + pairsTriggers(pairs, own_, other, dialect.quote(key), dialect)
    }
  }

  private func trigger(
    _ kind: String, _ event: String, on table: String, when condition: String?, _ statements: [String], _ dialect: Dialect
  )
    -> SchemaTrigger
  {
    SchemaTrigger(SchemaTrigger.prefix("derived", self.table, column) + kind, event, on: table, when: condition, statements, dialect)
  }

  private func hasRows(_ dialect: Dialect) -> String {
    let key = "new.\(dialect.quote(key))"
    return switch rows {
    case .reference(let column): "EXISTS (SELECT 1 FROM \(dialect.quote(rowsTable)) WHERE \(dialect.quote(column)) = \(key))"
    case .pairs(let pairs, let own, _, _): "EXISTS (SELECT 1 FROM \(dialect.quote(pairs)) WHERE \(own) = \(key))"
    }
  }

  private func referenceTriggers(_ reference: String, _ dialect: Dialect) -> [SchemaTrigger] {
    let moved = "old.\(reference) IS NOT new.\(reference)"
    guard let value = value.map(dialect.quote) else {
      return [
        trigger("insert", "AFTER INSERT", on: rowsTable, when: "new.\(reference) IS NOT NULL", add("new", reference, dialect), dialect),
        trigger("delete", "AFTER DELETE", on: rowsTable, when: "old.\(reference) IS NOT NULL", remove("old", reference, dialect), dialect),
        trigger(
          "update", "AFTER UPDATE OF \(reference)", on: rowsTable, when: moved, remove("old", reference, dialect) + add("new", reference, dialect),
          dialect),
      ]
    }
    func matters(_ row: String) -> String { "\(row).\(reference) IS NOT NULL AND \(row).\(value) IS NOT NULL" }
    return [
      trigger("insert", "AFTER INSERT", on: rowsTable, when: matters("new"), add("new", reference, dialect), dialect),
      trigger("delete", "AFTER DELETE", on: rowsTable, when: matters("old"), remove("old", reference, dialect), dialect),
      trigger(
        "update", "AFTER UPDATE OF \(reference), \(value)", on: rowsTable, when: "\(moved) OR old.\(value) IS NOT new.\(value)",
        remove("old", reference, dialect) + add("new", reference, dialect), dialect),
    ]
  }

  /// Takes a new row into account.
  private func add(_ row: String, _ reference: String, _ dialect: Dialect) -> [String] {
    let name = dialect.quote(column)
    guard let value = value.map({ "\(row).\(dialect.quote($0))" }) else { return update("\(name) + 1", row, reference, dialect) }
    let compared = collation.map { " COLLATE \($0)" } ?? ""
    return switch (aggregate, arithmetic) {
    case (.sum, .decimal):
      update(decimal("larder_decimal_sum_add(\(name), \(value))", dialect), row, reference, dialect, and: "\(value) IS NOT NULL")
    case (.sum, .integer): update(integer("\(name) + \(value)", dialect), row, reference, dialect, and: "\(value) IS NOT NULL")
    case (.min, _): update(value, row, reference, dialect, and: "\(value) IS NOT NULL AND (\(name) IS NULL OR \(value)\(compared) < \(name))")
    case (.max, _): update(value, row, reference, dialect, and: "\(value) IS NOT NULL AND (\(name) IS NULL OR \(value)\(compared) > \(name))")
    default: update(computed(dialect), row, reference, dialect)
    }
  }

  /// Takes into account that a row is gone.
  private func remove(_ row: String, _ reference: String, _ dialect: Dialect) -> [String] {
    let name = dialect.quote(column)
    guard let value = value.map({ "\(row).\(dialect.quote($0))" }) else { return update("\(name) - 1", row, reference, dialect) }
    return switch (aggregate, arithmetic) {
    case (.sum, .decimal):
      update(decimal("larder_decimal_sum_subtract(\(name), \(value))", dialect), row, reference, dialect, and: "\(value) IS NOT NULL")
    case (.sum, .integer): update(integer("\(name) - \(value)", dialect), row, reference, dialect, and: "\(value) IS NOT NULL")
    // Only a row that was the least or the greatest leaves the question open who is now.
    case (.min, _), (.max, _): update(computed(dialect), row, reference, dialect, and: "\(name) IS \(value)")
    default: update(computed(dialect), row, reference, dialect)
    }
  }

  private func update(_ value: String, _ row: String, _ reference: String, _ dialect: Dialect, and condition: String? = nil) -> [String] {
    let rule = condition.map { " AND \($0)" } ?? ""
    return set(value, "\(dialect.quote(key)) = \(row).\(reference)", rule, dialect)
  }

  /// Computes the column anew.
  private func recompute(_ condition: String, _ dialect: Dialect) -> [String] {
    set(computed(dialect), condition, "", dialect)
  }

  /// Sets the column of the rows with the keys, and refuses what the property's type does not hold.
  private func set(_ value: String, _ isRow: String, _ rule: String, _ dialect: Dialect) -> [String] {
    let (table, column) = (dialect.quote(table), dialect.quote(column))
    let update = "UPDATE \(table) SET \(column) = \(value) WHERE \(isRow)\(rule)"
    guard aggregate == .sum, let range else { return [update] }
    let bounds = "\(range.lowerBound) AND \(range.upperBound)"
    return [update, "SELECT \(refusal(.range, dialect)) FROM \(table) WHERE \(isRow) AND \(column) NOT BETWEEN \(bounds)"]
  }

  /// What the column should be, in a trigger: a sum of real numbers that is none is refused.
  private func computed(_ dialect: Dialect) -> String {
    guard aggregate == .sum, arithmetic == .real else { return recomputed(dialect) }
    return "coalesce(\(recomputed(dialect)), \(refusal(.notANumber, dialect)))"
  }

  /// A sum of decimals that was kept in step, or the one that is computed anew: of a sum with more digits than `Decimal` holds some are missing.
  private func decimal(_ sum: String, _ dialect: Dialect) -> String { "coalesce(\(sum), \(recomputed(dialect)))" }

  /// An integer, or a refusal: on overflow SQLite goes on with real numbers.
  private func integer(_ sum: String, _ dialect: Dialect) -> String {
    "CASE typeof(\(sum)) WHEN 'integer' THEN \(sum) ELSE \(refusal(.range, dialect)) END"
  }

  private func refusal(_ reason: DerivedRefusal.Reason, _ dialect: Dialect) -> String {
    "RAISE(ABORT, \(dialect.literal(DerivedRefusal(model: model, property: property, reason: reason).text)))"
  }

  private func pairsTriggers(_ pairs: String, _ own: String, _ other: String, _ rowsKey: String, _ dialect: Dialect) -> [SchemaTrigger] {
    let name = dialect.quote(table)
    func recompute(_ condition: String) -> [String] { self.recompute("\(dialect.quote(key)) \(condition)", dialect) }
    func step(_ sign: String, _ row: String) -> [String] {
      guard aggregate == .count else { return recompute("= \(row).\(own)") }
      return ["UPDATE \(name) SET \(dialect.quote(column)) = \(dialect.quote(column)) \(sign) 1 WHERE \(dialect.quote(key)) = \(row).\(own)"]
    }
    let paired = [
      trigger("insert", "AFTER INSERT", on: pairs, when: nil, step("+", "new"), dialect),
      trigger("delete", "AFTER DELETE", on: pairs, when: nil, step("-", "old"), dialect),
      trigger(
        "update", "AFTER UPDATE OF \(own), \(other)", on: pairs, when: nil, recompute("= old.\(own)") + recompute("= new.\(own)"), dialect),
    ]
    guard let value = value.map(dialect.quote) else { return paired }
    let concerned = "IN (SELECT \(own) FROM \(dialect.quote(pairs)) WHERE \(other) = new.\(rowsKey))"
    return paired + [
      trigger("row_insert", "AFTER INSERT", on: rowsTable, when: nil, recompute(concerned), dialect),
      trigger(
        "row_update", "AFTER UPDATE OF \(value)", on: rowsTable, when: "old.\(value) IS NOT new.\(value)", recompute(concerned), dialect),
    ]
  }
}
