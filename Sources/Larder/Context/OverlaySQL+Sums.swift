/// Checks that sums stay within the range of their properties while rows are unsaved, as triggers of the file do for stored rows.
extension OverlaySQL {
  /// The table with the keys of the rows whose sums the current change may have affected.
  func touched(of owner: String? = nil) -> String { name("touched", of: owner) }

  /// For each sum that its property may not be able to hold, a query for such a row, and the error.
  var unstorableSums: [(refusal: DerivedRefusal, query: String)] {
    let dialect = Dialect.sqlite
    return table.limitedSums.compactMap { derived in
      guard let (reason, condition) = pendingColumn(derived).unstorable(dialect) else { return nil }
      let key = "\(shadow).\(dialect.quote(derived.column.key))"
      return (
        DerivedRefusal(model: derived.column.model, property: derived.column.property, reason: reason),
        "SELECT 1 FROM \(rows) AS \(shadow) WHERE \(key) IN (SELECT key FROM \(touched())) AND \(condition) LIMIT 1"
      )
    }
  }

  /// Returns SQL for a trigger that records the rows whose sums include a row of this table.
  ///
  /// - Parameters:
  ///   - row: `OLD` or `NEW`.
  ///   - isNew: Whether the row didn't exist; others may have referred to it before.
  func touch(_ row: String, isNew: Bool = false) -> String {
    let dialect = Dialect.sqlite
    var statements: [String] = []
    if isNew, !table.limitedSums.isEmpty, let key = keys.first { statements.append("INSERT INTO \(touched()) (key) VALUES (\(row).\(key)); ") }
    for owner in tables {
      for sum in owner.limitedSums {
        let touched = "INSERT INTO \(touched(of: owner.name)) (key) SELECT"
        switch sum.column.rows {
        case .reference(let column):
          guard sum.column.rowsTable == table.name else { continue }
          let reference = "\(row).\(dialect.quote(column))"
          statements.append("\(touched) \(reference) WHERE \(reference) IS NOT NULL; ")
        case .pairs(let pairs, let own, let other, let key):
          if pairs == table.name { statements.append("\(touched) \(row).\(own); ") }
          if sum.column.rowsTable == table.name {
            let rows = tables.contains { $0.name == pairs } ? name("rows", of: pairs) : dialect.quote(pairs)
            statements.append("\(touched) p.\(own) FROM \(rows) AS p WHERE p.\(other) = \(row).\(dialect.quote(key)); ")
          }
        }
      }
    }
    return statements.joined()
  }
}

extension OverlayTable {
  /// The derived columns that are sums of integers or of real numbers; others always have a value.
  var limitedSums: [Derived] {
    derived.filter { $0.column.unstorable(.sqlite) != nil }
  }
}
