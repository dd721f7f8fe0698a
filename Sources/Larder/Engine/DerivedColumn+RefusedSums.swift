/// Triggers that find the row whose sum is refused.
///
/// They are temporary, and SQLite calls temporary triggers before those of the file: a sum that is kept by adding and
/// subtracting still has its value from before the row.
extension DerivedColumn {
  /// The function that notes a sum: its number, and the key of its row.
  static let noteRefusal = "\(ReservedNames.prefix)note_refusal"

  /// Returns SQL that creates triggers which call ``noteRefusal`` for each sum that the property can't hold.
  ///
  /// - Parameter number: The first argument of the function.
  func refusalTriggers(_ number: Int) -> [String] {
    guard let value = value.map(Quoting.name), unstorable() != nil else { return [] }
    let ownKey = Quoting.name(key)
    let own = ["INSERT", "UPDATE OF \(ownKey)"].map { ($0, table, note(number, rowsOf: "\(ownKey) = NEW.\(ownKey)")) }
    let others =
      switch rows {
      case .reference(let column) where arithmetic == .integer: additions(number, Quoting.name(column), value)
      case .reference(let column): rowEvents(number, Quoting.name(column), value)
      case .pairs(let pairs, let own, let other, let key):
        pairEvents(number, pairs, own, other, Quoting.name(key), value)
      }
    return (own + others).enumerated().map { position, trigger in
      let (event, table, statements) = trigger
      let name = Quoting.name("\(Self.noteRefusal)_\(number)_\(position)")
      return
        "CREATE TEMP TRIGGER \(name) AFTER \(event) ON main.\(Quoting.name(table)) BEGIN \(statements.map { "\($0); " }.joined())END"
    }
  }

  private typealias RefusalTrigger = (event: String, table: String, statements: [String])

  /// Returns SQL that notes the sums of rows with the condition, computed from the rows that belong to them.
  private func note(_ number: Int, rowsOf condition: String) -> [String] {
    unstorable().map { ["\(select(number)) WHERE \(condition) AND \($0.condition)"] } ?? []
  }

  private func select(_ number: Int) -> String {
    "SELECT \(Self.noteRefusal)(\(number), \(Quoting.name(table)).\(Quoting.name(key))) FROM main.\(Quoting.name(table))"
  }

  /// The triggers for a sum of integers that is kept by adding and subtracting.
  private func additions(_ number: Int, _ reference: String, _ value: String) -> [RefusalTrigger] {
    let sum = Quoting.name(column)
    func note(_ row: String, _ result: String, _ condition: String) -> String {
      """
      \(select(number)) WHERE \(Quoting.name(key)) = \(row).\(reference) AND \(condition) \
      AND (typeof(\(result)) <> 'integer' OR \(result) NOT BETWEEN \(bounds.lowerBound) AND \(bounds.upperBound))
      """
    }
    // A row that belongs to itself is counted when its owner is new.
    let isOther = rowsTable == table ? " AND NEW.\(reference) IS NOT NEW.\(Quoting.name(key))" : ""
    let isMoved = "OLD.\(reference) IS NOT NEW.\(reference)"
    let growth = "coalesce(NEW.\(value), 0) - coalesce(OLD.\(value), 0)"
    return [
      ("INSERT", rowsTable, [note("NEW", "(\(sum) + NEW.\(value))", "NEW.\(value) IS NOT NULL\(isOther)")]),
      ("DELETE", rowsTable, [note("OLD", "(\(sum) - OLD.\(value))", "OLD.\(value) IS NOT NULL")]),
      (
        "UPDATE OF \(reference), \(value)", rowsTable,
        [
          note("OLD", "(\(sum) - OLD.\(value))", "OLD.\(value) IS NOT NULL AND \(isMoved)"),
          note("NEW", "(\(sum) + NEW.\(value))", "NEW.\(value) IS NOT NULL AND \(isMoved)"),
          note("NEW", "(\(sum) + (\(growth)))", "OLD.\(value) IS NOT NEW.\(value) AND NOT (\(isMoved))"),
        ]
      ),
    ]
  }

  private func rowEvents(_ number: Int, _ reference: String, _ value: String) -> [RefusalTrigger] {
    func note(_ rows: String...) -> [String] {
      let references = rows.map { "\($0).\(reference)" }.joined(separator: ", ")
      return self.note(number, rowsOf: "\(Quoting.name(key)) IN (\(references))")
    }
    return [
      ("INSERT", rowsTable, note("NEW")), ("DELETE", rowsTable, note("OLD")),
      ("UPDATE OF \(reference), \(value)", rowsTable, note("OLD", "NEW")),
    ]
  }

  private func pairEvents(
    _ number: Int, _ pairs: String, _ own: String, _ other: String, _ rowsKey: String, _ value: String
  ) -> [RefusalTrigger] {
    func note(_ rows: String...) -> [String] {
      let owners = rows.map { "\($0).\(own)" }.joined(separator: ", ")
      return self.note(number, rowsOf: "\(Quoting.name(key)) IN (\(owners))")
    }
    let concerned = self.note(
      number,
      rowsOf: "\(Quoting.name(key)) IN (SELECT \(own) FROM \(Quoting.name(pairs)) WHERE \(other) = NEW.\(rowsKey))")
    return [
      ("INSERT", pairs, note("NEW")), ("DELETE", pairs, note("OLD")),
      ("UPDATE OF \(own), \(other)", pairs, note("OLD", "NEW")), ("INSERT", rowsTable, concerned),
      ("UPDATE OF \(value)", rowsTable, concerned),
    ]
  }
}
