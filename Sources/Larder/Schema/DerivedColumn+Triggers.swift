extension DerivedColumn {
  /// Returns the triggers that maintain the column.
  var triggers: [SchemaTrigger] {
    let ownKey = Quoting.name(key)
    let recompute = recompute("\(ownKey) = new.\(ownKey)")
    // Until the transaction ends, rows may exist before the row that they belong to.
    let own = [
      trigger("own_insert", "AFTER INSERT", on: table, when: hasRows(), recompute),
      trigger("own_key", "AFTER UPDATE OF \(ownKey)", on: table, when: "old.\(ownKey) IS NOT new.\(ownKey)", recompute),
    ]
    switch rows {
    case .reference(let reference): return own + referenceTriggers(Quoting.name(reference))
    case .pairs(let pairs, let own_, let other, let key):
      return own + pairsTriggers(pairs, own_, other, Quoting.name(key))
    }
  }

  private func trigger(
    _ kind: String, _ event: String, on table: String, when condition: String?, _ statements: [String]
  ) -> SchemaTrigger {
    SchemaTrigger(
      SchemaTrigger.prefix("derived", self.table, column) + kind, event, on: table, when: condition, statements)
  }

  private func hasRows() -> String {
    let key = "new.\(Quoting.name(key))"
    return switch rows {
    case .reference(let column):
      "EXISTS (SELECT 1 FROM \(Quoting.name(rowsTable)) WHERE \(Quoting.name(column)) = \(key))"
    case .pairs(let pairs, let own, _, _): "EXISTS (SELECT 1 FROM \(Quoting.name(pairs)) WHERE \(own) = \(key))"
    }
  }

  private func referenceTriggers(_ reference: String) -> [SchemaTrigger] {
    let moved = "old.\(reference) IS NOT new.\(reference)"
    // A row that belongs to itself is counted when its owner is new.
    let isOther = rowsTable == table ? " AND new.\(reference) IS NOT new.\(Quoting.name(key))" : ""
    guard let value = value.map(Quoting.name) else {
      return [
        trigger(
          "insert", "AFTER INSERT", on: rowsTable, when: "new.\(reference) IS NOT NULL\(isOther)", add("new", reference)
        ),
        trigger(
          "delete", "AFTER DELETE", on: rowsTable, when: "old.\(reference) IS NOT NULL", remove("old", reference)),
        trigger(
          "update", "AFTER UPDATE OF \(reference)", on: rowsTable, when: moved,
          remove("old", reference) + add("new", reference)),
      ]
    }
    func matters(_ row: String) -> String { "\(row).\(reference) IS NOT NULL AND \(row).\(value) IS NOT NULL" }
    let insert = trigger("insert", "AFTER INSERT", on: rowsTable, when: matters("new") + isOther, add("new", reference))
    if aggregate == .sum, arithmetic == .decimal {
      // Where the sum that is kept has not all digits, it is computed anew from the rows as they are after the change:
      // once, for both values.
      let change = update(decimal(exchanged("old.\(value)", for: "new.\(value)")), "new", reference)
      return [
        insert,
        trigger("delete", "AFTER DELETE", on: rowsTable, when: matters("old"), remove("old", reference)),
        trigger(
          "update", "AFTER UPDATE OF \(value)", on: rowsTable,
          when: "NOT (\(moved)) AND old.\(value) IS NOT new.\(value)", change),
        trigger(
          "move", "AFTER UPDATE OF \(reference)", on: rowsTable, when: moved,
          remove("old", reference) + add("new", reference)),
      ]
    }
    return [
      insert,
      trigger("delete", "AFTER DELETE", on: rowsTable, when: matters("old"), remove("old", reference)),
      trigger(
        "update", "AFTER UPDATE OF \(reference), \(value)", on: rowsTable,
        when: "\(moved) OR old.\(value) IS NOT new.\(value)",
        remove("old", reference) + add("new", reference)),
    ]
  }

  /// Returns SQL that adds a new row to the value.
  private func add(_ row: String, _ reference: String) -> [String] {
    let name = Quoting.name(column)
    guard let value = value.map({ "\(row).\(Quoting.name($0))" }) else { return update("\(name) + 1", row, reference) }
    let compared = collation.map { " COLLATE \($0)" } ?? ""
    return switch (aggregate, arithmetic) {
    case (.sum, .decimal):
      update(decimal("larder_decimal_sum_add(\(name), \(value))"), row, reference, and: "\(value) IS NOT NULL")
    case (.sum, .integer): update(integer("\(name) + \(value)"), row, reference, and: "\(value) IS NOT NULL")
    // The row's own value may have been recomputed since it was inserted.
    case (.min, _) where isOfDerived == true, (.max, _) where isOfDerived == true: update(computed(), row, reference)
    case (.min, _):
      update(value, row, reference, and: "\(value) IS NOT NULL AND (\(name) IS NULL OR \(value)\(compared) < \(name))")
    case (.max, _):
      update(value, row, reference, and: "\(value) IS NOT NULL AND (\(name) IS NULL OR \(value)\(compared) > \(name))")
    default: update(computed(), row, reference)
    }
  }

  /// Returns SQL that removes a deleted row from the value.
  private func remove(_ row: String, _ reference: String) -> [String] {
    let name = Quoting.name(column)
    guard let value = value.map({ "\(row).\(Quoting.name($0))" }) else { return update("\(name) - 1", row, reference) }
    return switch (aggregate, arithmetic) {
    case (.sum, .decimal):
      update(decimal("larder_decimal_sum_subtract(\(name), \(value))"), row, reference, and: "\(value) IS NOT NULL")
    case (.sum, .integer): update(integer("\(name) - \(value)"), row, reference, and: "\(value) IS NOT NULL")
    // The value only has to be recomputed if the deleted row was the least or greatest.
    case (.min, _), (.max, _): update(computed(), row, reference, and: "\(name) IS \(value)")
    default: update(computed(), row, reference)
    }
  }

  /// The sum of decimals without one value and with another, either of which may be NULL; NULL where digits are
  /// missing.
  private func exchanged(_ old: String, for new: String) -> String {
    let name = Quoting.name(column)
    let rest = "CASE WHEN \(old) IS NULL THEN \(name) ELSE larder_decimal_sum_subtract(\(name), \(old)) END"
    return "CASE WHEN \(new) IS NULL THEN \(rest) ELSE larder_decimal_sum_add(\(rest), \(new)) END"
  }

  private func update(_ value: String, _ row: String, _ reference: String, and condition: String? = nil) -> [String] {
    let rule = condition.map { " AND \($0)" } ?? ""
    return set(value, "\(Quoting.name(key)) = \(row).\(reference)", rule)
  }

  /// Returns SQL that recomputes the column.
  private func recompute(_ condition: String) -> [String] {
    set(computed(), condition, "")
  }

  /// Returns SQL that sets the column of the rows with the keys, and rejects a value that its property can't hold.
  private func set(_ value: String, _ isRow: String, _ rule: String) -> [String] {
    let (table, column) = (Quoting.name(table), Quoting.name(column))
    let update = "UPDATE \(table) SET \(column) = \(value) WHERE \(isRow)\(rule)"
    if isSingle == true {
      let isOutside = Self.isOutsideFloat(column)
      return [update, "SELECT \(refusal(.single)) FROM \(table) WHERE \(isRow) AND \(isOutside)"]
    }
    guard aggregate == .sum, let range else { return [update] }
    let bounds = "\(range.lowerBound) AND \(range.upperBound)"
    return [update, "SELECT \(refusal(.range)) FROM \(table) WHERE \(isRow) AND \(column) NOT BETWEEN \(bounds)"]
  }

  /// Returns the computed value in a trigger. A sum of real numbers that isn't a number is rejected.
  private func computed() -> String {
    guard aggregate == .sum, arithmetic == .real else { return recomputed() }
    return "coalesce(\(recomputed()), \(refusal(isSingle == true ? .single : .notANumber)))"
  }

  /// Returns the updated sum of decimals, or the recomputed one if a sum with too many digits for `Decimal` has lost
  /// some.
  private func decimal(_ sum: String) -> String { "coalesce(\(sum), \(recomputed()))" }

  /// Returns an integer, or rejects it, because SQLite would continue with real numbers on overflow.
  private func integer(_ sum: String) -> String {
    "CASE typeof(\(sum)) WHEN 'integer' THEN \(sum) ELSE \(refusal(.range)) END"
  }

  private func refusal(_ reason: DerivedRefusal.Reason) -> String {
    "RAISE(ABORT, \(Quoting.literal(DerivedRefusal(model: model, property: property, reason: reason).text)))"
  }

  private func pairsTriggers(_ pairs: String, _ own: String, _ other: String, _ rowsKey: String) -> [SchemaTrigger] {
    let name = Quoting.name(table)
    func recompute(_ condition: String) -> [String] { self.recompute("\(Quoting.name(key)) \(condition)") }
    func step(_ sign: String, _ row: String) -> [String] {
      guard aggregate == .count else { return recompute("= \(row).\(own)") }
      return [
        "UPDATE \(name) SET \(Quoting.name(column)) = \(Quoting.name(column)) \(sign) 1 WHERE \(Quoting.name(key)) = \(row).\(own)"
      ]
    }
    let paired = [
      trigger("insert", "AFTER INSERT", on: pairs, when: nil, step("+", "new")),
      trigger("delete", "AFTER DELETE", on: pairs, when: nil, step("-", "old")),
      trigger(
        "update", "AFTER UPDATE OF \(own), \(other)", on: pairs, when: nil,
        recompute("= old.\(own)") + recompute("= new.\(own)")),
    ]
    guard let value = value.map(Quoting.name) else { return paired }
    let concerned = "IN (SELECT \(own) FROM \(Quoting.name(pairs)) WHERE \(other) = new.\(rowsKey))"
    return paired + [
      trigger("row_insert", "AFTER INSERT", on: rowsTable, when: nil, recompute(concerned)),
      trigger(
        "row_update", "AFTER UPDATE OF \(value)", on: rowsTable, when: "old.\(value) IS NOT new.\(value)",
        recompute(concerned)),
    ]
  }
}
