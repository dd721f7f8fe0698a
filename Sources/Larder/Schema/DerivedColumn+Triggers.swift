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
    let rows = [
      trigger("insert", "AFTER INSERT", on: rowsTable, when: matters("new") + isOther, add("new", reference)),
      trigger("delete", "AFTER DELETE", on: rowsTable, when: matters("old"), remove("old", reference)),
    ]
    let both = remove("old", reference) + add("new", reference)
    guard aggregate == .sum else {
      return rows + [
        trigger(
          "update", "AFTER UPDATE OF \(reference), \(value)", on: rowsTable,
          when: "\(moved) OR old.\(value) IS NOT new.\(value)", both)
      ]
    }
    // A sum that has to be computed anew is one of the rows as they are after the change: once, for both values.
    let exchange = update(
      sum(from: "coalesce(old.\(value), \(zero))", to: "coalesce(new.\(value), \(zero))"), "new", reference)
    return rows + [
      trigger(
        "update", "AFTER UPDATE OF \(value)", on: rowsTable,
        when: "NOT (\(moved)) AND old.\(value) IS NOT new.\(value)", exchange),
      trigger("move", "AFTER UPDATE OF \(reference)", on: rowsTable, when: moved, both),
    ]
  }

  /// Returns SQL that adds a new row to the value.
  private func add(_ row: String, _ reference: String) -> [String] {
    let name = Quoting.name(column)
    guard let value = value.map({ "\(row).\(Quoting.name($0))" }) else { return update("\(name) + 1", row, reference) }
    let compared = collation.map { " COLLATE \($0)" } ?? ""
    return switch aggregate {
    case .sum: update(sum(from: zero, to: value), row, reference, and: "\(value) IS NOT NULL")
    // The row's own value may have been recomputed since it was inserted.
    case .min where isOfDerived == true, .max where isOfDerived == true: update(recomputed(), row, reference)
    case .min:
      update(value, row, reference, and: "\(value) IS NOT NULL AND (\(name) IS NULL OR \(value)\(compared) < \(name))")
    case .max:
      update(value, row, reference, and: "\(value) IS NOT NULL AND (\(name) IS NULL OR \(value)\(compared) > \(name))")
    case .count: update(recomputed(), row, reference)
    }
  }

  /// Returns SQL that removes a deleted row from the value.
  private func remove(_ row: String, _ reference: String) -> [String] {
    let name = Quoting.name(column)
    guard let value = value.map({ "\(row).\(Quoting.name($0))" }) else { return update("\(name) - 1", row, reference) }
    return switch aggregate {
    case .sum: update(sum(from: value, to: zero), row, reference, and: "\(value) IS NOT NULL")
    // The value only has to be recomputed if the deleted row was the least or greatest.
    case .min, .max: update(recomputed(), row, reference, and: "\(name) IS \(value)")
    case .count: update(recomputed(), row, reference)
    }
  }

  private func update(_ value: String, _ row: String, _ reference: String, and condition: String? = nil) -> [String] {
    let rule = condition.map { " AND \($0)" } ?? ""
    return set(value, "\(Quoting.name(key)) = \(row).\(reference)", rule)
  }

  /// Returns SQL that recomputes the column.
  ///
  /// - Parameter change: The value of a row before and after the change; nil if it isn't known.
  private func recompute(_ condition: String, _ change: (old: String, new: String)? = nil) -> [String] {
    set(aggregate == .sum ? addedUp(change) : recomputed(), condition, "")
  }

  /// Returns SQL that sets the column of the rows with the keys.
  private func set(_ value: String, _ isRow: String, _ rule: String) -> [String] {
    ["UPDATE \(Quoting.name(table)) SET \(Quoting.name(column)) = \(value) WHERE \(isRow)\(rule)"]
  }

  // MARK: Sums

  /// Returns the sum after a value of a row has changed. It is kept by adding and subtracting as long as that is exact.
  private func sum(from old: String, to new: String) -> String {
    let (name, rest) = (Quoting.name(column), addedUp((old: old, new: new)))
    switch arithmetic {
    case .integer:
      let sum =
        switch (old, new) {
        case (zero, _): "\(name) + \(new)"
        case (_, zero): "\(name) - \(old)"
        default: "\(name) + (\(new) - \(old))"
        }
      // The bounds also stand for what is beyond them. No sum of unsigned integers is.
      let isAbove = bounds.lowerBound < 0 ? " AND \(name) > \(bounds.lowerBound)" : ""
      let isExact = "\(name) < \(bounds.upperBound)\(isAbove)"
      // SQLite continues with real numbers on overflow.
      let isSum = "typeof(\(sum)) = 'integer' AND \(sum) BETWEEN \(bounds.lowerBound) AND \(bounds.upperBound)"
      return "CASE WHEN \(isExact) AND \(isSum) THEN \(sum) ELSE \(rest) END"
    case .decimal:
      // NULL where digits are missing.
      let sum =
        switch (old, new) {
        case (zero, _): "larder_decimal_sum_add(\(name), \(new))"
        case (_, zero): "larder_decimal_sum_subtract(\(name), \(old))"
        default: "larder_decimal_sum_add(larder_decimal_sum_subtract(\(name), \(old)), \(new))"
        }
      return "coalesce(\(sum), \(rest))"
    case .real, .none: return rest
    }
  }

  /// Returns the sum of the rows as they are after a change. What the property can't hold is refused, unless nothing may be
  /// refused, or the change leads towards what it can hold. If the value of the row isn't known, because it went before,
  /// nothing is refused of a sum that was at the bound.
  private func addedUp(_ change: (old: String, new: String)?) -> String {
    if arithmetic == .decimal { return addedUpDecimals(change) }
    let reason: DerivedRefusal.Reason = arithmetic == .integer ? .range : isSingle == true ? .single : .notANumber
    let kept = "\(Quoting.name(table)).\(Quoting.name(column))"
    func replacement(_ value: String, if rule: String?) -> String {
      "CASE WHEN \(rule.map { "\($0) OR " } ?? "")\(Self.isClamping) THEN \(value) ELSE \(refusal(reason)) END"
    }
    let replacements = Replacements(
      above: replacement(
        nearest.above, if: change.map { "coalesce(\($0.new) <= \($0.old), \(kept) = \(nearest.above))" }),
      below: replacement(
        nearest.below, if: change.map { "coalesce(\($0.new) >= \($0.old), \(kept) = \(nearest.below))" }),
      notANumber: replacement(
        nearest.notANumber, if: change.map { "coalesce(abs(\($0.new)), 0) < 9e999 AND \(kept) = 0" }))
    return sum(in: .visible, replacedBy: replacements) ?? recomputed()
  }

  private func addedUpDecimals(_ change: (old: String, new: String)?) -> String {
    guard let value else { return recomputed() }
    let name = "larder_rows.\(Quoting.name(value))"
    // The sum that is kept has the sign of the bound that it is beyond, and more digits than others.
    let kept = Quoting.name(column)
    let isBetter = change.map { change in
      """
      coalesce(CASE WHEN \(kept) LIKE '-%' THEN \(change.new) COLLATE larder_decimal >= \(change.old) \
      ELSE \(change.new) COLLATE larder_decimal <= \(change.old) END, length(\(kept)) > 100) OR
      """ + " "
    }
    return """
      CASE WHEN \(isBetter ?? "")\(Self.isClamping) \
      THEN \(computed("coalesce(larder_decimal_sum_within(\(name), \(Self.isClamping)), '0')", in: .visible)) \
      ELSE \(computed(aggregated(), in: .visible)) END
      """
  }

  private func refusal(_ reason: DerivedRefusal.Reason) -> String {
    "RAISE(ABORT, \(Quoting.literal(DerivedRefusal(model: model, property: property, reason: reason).text)))"
  }

  private func pairsTriggers(_ pairs: String, _ own: String, _ other: String, _ rowsKey: String) -> [SchemaTrigger] {
    let name = Quoting.name(table)
    func recompute(_ condition: String, from old: String, to new: String) -> [String] {
      self.recompute("\(Quoting.name(key)) \(condition)", (old: old, new: new))
    }
    /// The value of the row of a pair; NULL if it isn't there.
    func paired(_ pair: String) -> String {
      guard aggregate == .sum, let value else { return zero }
      return "(SELECT \(Quoting.name(value)) FROM \(Quoting.name(rowsTable)) WHERE \(rowsKey) = \(pair).\(other))"
    }
    func step(_ sign: String, _ row: String) -> [String] {
      guard aggregate == .count else {
        return recompute(
          "= \(row).\(own)", from: sign == "-" ? paired(row) : zero, to: sign == "+" ? paired(row) : zero)
      }
      return [
        "UPDATE \(name) SET \(Quoting.name(column)) = \(Quoting.name(column)) \(sign) 1 WHERE \(Quoting.name(key)) = \(row).\(own)"
      ]
    }
    let changes = [
      trigger("insert", "AFTER INSERT", on: pairs, when: nil, step("+", "new")),
      trigger("delete", "AFTER DELETE", on: pairs, when: nil, step("-", "old")),
      trigger(
        "update", "AFTER UPDATE OF \(own), \(other)", on: pairs, when: nil,
        recompute("= old.\(own)", from: paired("old"), to: zero)
          + recompute("= new.\(own)", from: zero, to: paired("new"))),
    ]
    guard let value = value.map(Quoting.name) else { return changes }
    let concerned = "IN (SELECT \(own) FROM \(Quoting.name(pairs)) WHERE \(other) = new.\(rowsKey))"
    return changes + [
      trigger(
        "row_insert", "AFTER INSERT", on: rowsTable, when: nil,
        recompute(concerned, from: zero, to: "coalesce(new.\(value), \(zero))")),
      trigger(
        "row_update", "AFTER UPDATE OF \(value)", on: rowsTable, when: "old.\(value) IS NOT new.\(value)",
        recompute(concerned, from: "coalesce(old.\(value), \(zero))", to: "coalesce(new.\(value), \(zero))")),
    ]
  }

  /// The value of a row that doesn't count.
  private var zero: String { arithmetic == .decimal ? "'0'" : "0" }
}
