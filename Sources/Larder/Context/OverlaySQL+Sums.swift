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

  /// For each sum that its property may not be able to hold, a query for the key of such a row, and the error.
  var unstorableSums: [(refusal: DerivedRefusal, query: String)] {
    return table.limitedSums.compactMap { derived in
      guard let (reason, condition) = pendingColumn(derived).unstorable else { return nil }
      let key = "\(shadow).\(Quoting.name(derived.column.key))"
      return (
        DerivedRefusal(model: derived.column.model, property: derived.column.property, reason: reason),
        "SELECT \(list(keys, of: shadow)) FROM \(rows) AS \(shadow) WHERE \(key) IN (SELECT key FROM \(touched())) AND \(condition) LIMIT 1"
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
          let unchanged = isSame.map { " AND NOT (\($0(reference)) AND \($0(value)))" } ?? ""
          statements.append(
            """
            INSERT INTO \(touched(of: owner.name)) (key, sum, growth) \
            SELECT \(row).\(reference), \(Quoting.literal(.text(sum.column.column))), coalesce(abs(CAST(\(row).\(value) AS REAL)), 0) \
            \(source) AND \(row).\(reference) IS NOT NULL\(unchanged)
            """)
        case .pairs(let pairs, let own, let other, let key):
          let touched = "INSERT INTO \(touched(of: owner.name)) (key, sum) SELECT"
          let name = Quoting.literal(.text(sum.column.column))
          if pairs == table.name { statements.append("\(touched) \(row).\(own), \(name) \(source)") }
          if isOwn, let value = sum.column.value.map(Quoting.name) {
            let rows = tables.contains { $0.name == pairs } ? self.name("rows", of: pairs) : Quoting.name(pairs)
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
    return statements
  }
}

extension OverlayTable {
  /// The derived columns that are sums of integers or of real numbers; others always have a value.
  var limitedSums: [Derived] { derived.filter(\.isLimited) }
}
