extension DerivedColumn {
  /// Returns SQL that computes the column in every row of the file, from all rows of the file: those that have expired
  /// and are only hidden count until they are deleted, as for the triggers.
  var fill: String {
    "UPDATE main.\(Quoting.name(table)) SET \(Quoting.name(column)) = \(recomputed(in: .file))"
  }

  /// Which rows the names of tables mean.
  enum Scope {
    /// Those that a statement on the connection sees: without expired rows, and in a context with what is unsaved.
    case visible
    /// Those in the file. Triggers see them by the name alone.
    case file
  }

  /// Returns SQL for the rows whose column is wrong: the key, the stored value, and the computed value.
  ///
  /// A sum of real numbers may differ in its last digits, depending on the order of addition.
  func mismatches(in scope: Scope) -> String {
    let (stored, name) = (Quoting.name(column), scope.name(table))
    let differs =
      aggregate == .sum && arithmetic == .real
      ? "NOT (stored IS computed OR abs(stored - computed) <= \(isSingle == true ? "1e-6" : "1e-9") * max(abs(stored), abs(computed)))"
      : "stored IS NOT computed"
    return
      "SELECT * FROM (SELECT \(Quoting.name(key)) AS key, \(stored) AS stored, \(recomputed(in: scope)) AS computed FROM \(name)) WHERE \(differs)"
  }

  /// Returns the computed value, in a statement on the column's own table. Of a sum that its property can't hold it is
  /// the nearest value that the property can.
  func recomputed(in scope: Scope = .visible) -> String {
    nearestSum(in: scope) ?? computed(aggregated(), in: scope)
  }

  /// Returns the condition, in a statement on the column's own table, that its property couldn't hold the value, and
  /// why; nil if it always can.
  func unstorable(in scope: Scope = .visible) -> (reason: DerivedRefusal.Reason, condition: String)? {
    guard aggregate == .sum, let value else { return nil }
    switch arithmetic {
    case .integer:
      // SQLite's own sum of integers throws on overflow.
      let bounds = range ?? Int64.min...Int64.max
      let sum = computed("larder_decimal_sum(larder_rows.\(Quoting.name(value)))", in: scope)
      return (.range, "\(sum) COLLATE larder_decimal NOT BETWEEN '\(bounds.lowerBound)' AND '\(bounds.upperBound)'")
    case .real where isSingle == true:
      let sum = computed(aggregated(), in: scope)
      return (.single, "(\(sum) IS NULL OR \(Self.isOutsideFloat(sum)))")
    case .real: return (.notANumber, "\(computed(aggregated(), in: scope)) IS NULL")
    case .decimal, .none: return nil
    }
  }

  /// Returns a lower bound of how much the sum may grow, in a statement about its own table, before its property can't
  /// hold it.
  var room: String? {
    guard aggregate == .sum, let value else { return nil }
    let rows = "larder_rows.\(Quoting.name(value))"
    switch arithmetic {
    case .integer:
      let bounds = range ?? Int64.min...Int64.max
      let (lowest, highest) = (Double(bounds.lowerBound), Double(bounds.upperBound))
      let sum = "CAST(coalesce(\(computed("larder_decimal_sum(\(rows))", in: .visible)), '0') AS REAL)"
      // The margin is wider than what is lost in counting with real numbers.
      return "min(\(highest) - \(sum), \(sum) - (\(lowest))) - \(highest * 1e-9)"
    // As long as no sum of absolute values overflows, no order of adding makes an infinity, or of two of them what is
    // no number.
    case .real: return "\(isSingle == true ? "3.4e38" : "1e308") - \(computed("total(abs(\(rows)))", in: .visible))"
    case .decimal, .none: return nil
    }
  }

  /// Returns the condition that a number is finite and too large for a `Float`.
  static func isOutsideFloat(_ number: String) -> String {
    "abs(\(number)) > \(Double(Float.greatestFiniteMagnitude)) AND abs(\(number)) < 9e999"
  }

  /// Returns an aggregate of the rows that belong to a row of the table.
  func computed(_ aggregate: String, in scope: Scope) -> String {
    let owner = "\(Quoting.name(table)).\(Quoting.name(key))"
    let rowsName = scope.name(rowsTable)
    switch rows {
    case .reference(let column):
      return
        "(SELECT \(aggregate) FROM \(rowsName) AS larder_rows WHERE larder_rows.\(Quoting.name(column)) = \(owner))"
    case .pairs(let pairs, let own, _, _) where self.aggregate == .count:
      return "(SELECT count(*) FROM \(scope.name(pairs)) AS larder_pairs WHERE larder_pairs.\(own) = \(owner))"
    case .pairs(let pairs, let own, let other, let key):
      return
        "(SELECT \(aggregate) FROM \(scope.name(pairs)) AS larder_pairs JOIN \(rowsName) AS larder_rows ON larder_rows.\(Quoting.name(key)) = larder_pairs.\(other) WHERE larder_pairs.\(own) = \(owner))"
    }
  }

  func aggregated() -> String {
    guard let value else { return "count(*)" }
    let name = "larder_rows.\(Quoting.name(value))"
    let compared = name + (collation.map { " COLLATE \($0)" } ?? "")
    return switch (aggregate, arithmetic) {
    case (.count, _): "count(*)"
    case (.sum, .decimal): "coalesce(larder_decimal_sum(\(name)), '0')"
    case (.sum, .real): isSingle == true ? "larder_float(total(\(name)))" : "total(\(name))"
    case (.sum, _): "coalesce(sum(\(name)), 0)"
    case (.min, _): "min(\(compared))"
    case (.max, _): "max(\(compared))"
    }
  }
}

extension DerivedColumn.Scope {
  fileprivate func name(_ table: String) -> String {
    switch self {
    case .visible: Quoting.name(table)
    case .file: "main." + Quoting.name(table)
    }
  }
}
