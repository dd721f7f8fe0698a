/// Checks that sums stay within the range of their properties while rows are unsaved, as triggers of the file do for
/// stored rows.
extension OverlaySQL {
  /// The table of the sums that the current change may have affected: the owner's key, the column, and by how much the
  /// sum may have grown. A missing column stands for all sums of the row, and a missing number for an unknown one.
  func touched(of owner: String? = nil) -> String { name("touched", of: owner) }

  var createTouched: String { "CREATE TEMP TABLE \(touched()) (key, sum TEXT, growth REAL)" }

  /// A query for the first of the affected sums, each once.
  var touchedSums: String {
    """
    SELECT key, sum, total(growth), sum IS NOT NULL AND count(growth) = count(*) FROM \(touched()) GROUP BY key, sum \
    LIMIT \(SumRooms.limitOfVerb + 1)
    """
  }

  /// For each sum that its property may not be able to hold, a query for the key of such a row, and the error. Of rows whose
  /// sum in the file is out of range already, the file decides when they are saved.
  var unstorableSums: [(refusal: DerivedRefusal, query: String)] {
    return table.limitedSums.compactMap { derived in
      guard let (reason, condition) = pendingColumn(derived).unstorable(),
        let former = derived.column.unstorable(in: .file)?.condition
      else { return nil }
      let ownKey = Quoting.name(derived.column.key)
      let key = "\(shadow).\(ownKey)"
      let isTouched = "IN (SELECT key FROM \(touched()))"
      let known =
        "SELECT \(ownKey) FROM main.\(Quoting.name(derived.column.table)) WHERE \(ownKey) \(isTouched) AND \(former)"
      return (
        DerivedRefusal(model: derived.column.model, property: derived.column.property, reason: reason),
        "SELECT \(list(keys, of: shadow)) FROM \(rows) AS \(shadow) WHERE \(key) \(isTouched) AND CASE WHEN \(condition) THEN \(key) NOT IN (\(known)) END LIMIT 1"
      )
    }
  }

  /// Returns a query for how much a sum of the row with the key, the first parameter, may grow.
  func room(of column: String) -> String? {
    guard let derived = table.limitedSums.first(where: { $0.column.column == column }) else { return nil }
    let key = "\(shadow).\(Quoting.name(derived.column.key))"
    return pendingColumn(derived).room.map { "SELECT \($0) FROM \(rows) AS \(shadow) WHERE \(key) = ?1" }
  }

  // MARK: Recording sums

  /// Returns SQL for a trigger that records the sums that include a row of this table.
  ///
  /// - Parameters:
  ///   - row: `OLD` or `NEW`.
  ///   - isNew: Whether the row didn't exist; others may have referred to it before.
  func touch(_ row: String, isNew: Bool = false) -> String {
    touches(row, isNew: isNew).map { "\($0); " }.joined()
  }

  /// Notes, in a trigger, the sums that an update of the row changes.
  var touchUpdate: String {
    touch("OLD", unless: { "OLD.\($0) IS NEW.\($0)" }) + touch("NEW", unless: { "OLD.\($0) IS NEW.\($0)" })
  }

  private func touch(_ row: String, unless isSame: @escaping (String) -> String) -> String {
    touches(row, isNew: false, isSame: isSame).map { "\($0); " }.joined()
  }

  /// Notes the sums that the rows belong to which the images replace, and those that the images belong to.
  func touch(_ images: RowImages) -> [String] {
    let (source, condition) = ("FROM \(images.table) AS i", "WHERE \(images.condition)")
    return touches("v", from: "\(source) CROSS JOIN \(rows) AS v ON \(sameKey("v", "i")) \(condition)", isNew: false)
      + touches("i", from: "\(source) \(condition) AND \(images.isThere)", isNew: true)
  }

  private func touches(
    _ row: String, from source: String = "WHERE TRUE", isNew: Bool, isSame: ((String) -> String)? = nil
  ) -> [String] {
    var statements: [String] = []
    if isNew, !table.limitedSums.isEmpty, let key = keys.first {
      statements.append("INSERT INTO \(touched()) (key) SELECT \(row).\(key) \(source)")
    }
    for owner in tables {
      for sum in owner.limitedSums {
        let isOwn = sum.column.rowsTable == table.name
        switch sum.column.rows {
        case .reference(let column):
          guard isOwn, let value = sum.column.value.map(Quoting.name) else { continue }
          let reference = Quoting.name(column)
          // A derived value is none of the row's own, which doesn't say how much the sum grows.
          let isOfDerived = isOfDerived(sum.column)
          let growth = isOfDerived ? "NULL" : "coalesce(abs(CAST(\(row).\(value) AS REAL)), 0)"
          let unchanged = isSame.map { " AND NOT (\($0(reference))\(isOfDerived ? "" : " AND \($0(value))"))" } ?? ""
          statements.append(
            """
            INSERT INTO \(touched(of: owner.name)) (key, sum, growth) \
            SELECT \(row).\(reference), \(Quoting.literal(.text(sum.column.column))), \(growth) \
            \(source) AND \(row).\(reference) IS NOT NULL\(unchanged)
            """)
        case .pairs(let pairs, let own, let other, let key):
          let touched = "INSERT INTO \(touched(of: owner.name)) (key, sum) SELECT"
          let name = Quoting.literal(.text(sum.column.column))
          if pairs == table.name { statements.append("\(touched) \(row).\(own), \(name) \(source)") }
          // An update of a row doesn't change what is derived from others.
          if isOwn, let value = sum.column.value.map(Quoting.name), isSame == nil || !isOfDerived(sum.column) {
            let rows = rows(of: pairs)
            let unchanged = isSame.map { " AND NOT (\($0(value)))" } ?? ""
            statements.append(
              """
              \(touched) p.\(own), \(name) FROM \(rows) AS p \
              WHERE p.\(other) IN (SELECT \(row).\(Quoting.name(key)) \(source)\(unchanged))
              """)
          }
        }
      }
    }
    return statements + distantTouches(row, from: source)
  }

  private func rows(of table: String) -> String {
    tables.contains { $0.name == table } ? name("rows", of: table) : Quoting.name(table)
  }

  // MARK: Sums of derived values

  /// Returns SQL that notes the sums of derived values that a change of a row of this table changes, at any distance.
  private func distantTouches(_ row: String, from source: String) -> [String] {
    let derived = tables.flatMap(\.derived)
    return derived.flatMap { lower -> [String] in
      guard derived.contains(where: { $0.column.isDerived(from: lower.column) }) else { return [] }
      return owners(of: lower.column, row, from: source).flatMap { touches(above: lower.column, $0, [lower.column]) }
    }
  }

  /// Returns queries for the keys of the rows whose derived column a change of a row of this table changes.
  private func owners(of column: DerivedColumn, _ row: String, from source: String) -> [String] {
    let isOwn = column.rowsTable == table.name
    switch column.rows {
    case .reference(let reference): return isOwn ? ["SELECT \(row).\(Quoting.name(reference)) \(source)"] : []
    case .pairs(let pairs, let own, let other, let key):
      let linked =
        "SELECT p.\(own) FROM \(rows(of: pairs)) AS p WHERE p.\(other) IN (SELECT \(row).\(Quoting.name(key)) \(source))"
      return (pairs == table.name ? ["SELECT \(row).\(own) \(source)"] : []) + (isOwn ? [linked] : [])
    }
  }

  /// Returns SQL that notes the sums that are derived from a column in the rows with the keys.
  ///
  /// - Parameter seen: The columns on the way, of which a file that others have described may make a circle.
  private func touches(above lower: DerivedColumn, _ keys: String, _ seen: Set<DerivedColumn>) -> [String] {
    tables.flatMap { owner in
      owner.derived.flatMap { upper -> [String] in
        guard upper.column.isDerived(from: lower), !seen.contains(upper.column) else { return [] }
        let column = Quoting.literal(.text(upper.column.column))
        let note =
          "INSERT INTO \(touched(of: owner.name)) (key, sum) \(owners(of: upper.column, rowsWith: keys, lower.key, and: ", \(column)"))"
        return (upper.isLimited ? [note] : [])
          + touches(
            above: upper.column, owners(of: upper.column, rowsWith: keys, lower.key), seen.union([upper.column]))
      }
    }
  }

  private func owners(of column: DerivedColumn, rowsWith keys: String, _ key: String, and more: String = "") -> String {
    let rows = "\(rows(of: column.rowsTable)) AS r WHERE r.\(Quoting.name(key)) IN (\(keys))"
    switch column.rows {
    case .reference(let reference):
      let name = "r.\(Quoting.name(reference))"
      return "SELECT \(name)\(more) FROM \(rows) AND \(name) IS NOT NULL"
    case .pairs(let pairs, let own, let other, let rowsKey):
      return
        "SELECT p.\(own)\(more) FROM \(self.rows(of: pairs)) AS p WHERE p.\(other) IN (SELECT r.\(Quoting.name(rowsKey)) FROM \(rows))"
    }
  }
}

extension OverlayTable {
  /// The derived columns that are sums of integers or of real numbers; others always have a value.
  var limitedSums: [Derived] { derived.filter(\.isLimited) }
}
