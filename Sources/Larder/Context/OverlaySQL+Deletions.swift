/// The delete rules of a table's rows.
extension OverlaySQL {
  /// Whether deleted rows are recorded, because a delete rule applies to them.
  var hasDeleteRules: Bool { deleteRules.contains { ["CASCADE", "SET NULL", "RESTRICT"].contains($0.deleteRule) } }

  /// Statements that delete the rows that refer to deleted ones: those in ``leaving`` whose numbers are greater than the
  /// first parameter, and not greater than the second.
  var cascades: [String] {
    rules("CASCADE").map { "DELETE FROM \(Quoting.name($0.child)) WHERE \(refersToLeaving($0))" }
  }

  /// Statements that clear the references to rows in ``leaving``, with the same parameters.
  var nullifications: [String] {
    rules("SET NULL").map { reference in
      let assignments = reference.childColumns.map { "\(Quoting.name($0)) = NULL" }.joined(separator: ", ")
      return "UPDATE \(Quoting.name(reference.child)) SET \(assignments) WHERE \(refersToLeaving(reference))"
    }
  }

  /// Statements that empty ``leaving`` when its rules have been applied. Denials are checked when all rows of the
  /// change have been deleted.
  var finishLeaving: [String] {
    let keep = "INSERT INTO \(gone) (\(list(columns))) SELECT \(list(columns)) FROM \(leaving)"
    return (isDeniable ? [keep] : []) + ["DELETE FROM \(leaving)"]
  }

  private func rules(_ kind: String) -> [ForeignKey] { deleteRules.filter { $0.deleteRule == kind } }

  /// The columns of this table to which a reference refers.
  func referredColumns(_ reference: ForeignKey) -> [String] {
    (reference.parentColumns.isEmpty ? table.keys : reference.parentColumns).map(Quoting.name)
  }

  private func refersToLeaving(_ reference: ForeignKey) -> String {
    let columns = reference.childColumns.map(Quoting.name).joined(separator: ", ")
    let row = reference.childColumns.count == 1 ? columns : "(\(columns))"
    return
      "\(row) IN (SELECT \(list(referredColumns(reference))) FROM \(leaving) WHERE \(Self.number) > ?1 AND \(Self.number) <= ?2)"
  }

  // MARK: Denials

  /// The references whose rows deny the deletion of a row in the table.
  private var denials: [ForeignKey] { rules("RESTRICT") }

  var isDeniable: Bool { !denials.isEmpty }

  /// For each reference that denies deletions, a query for a row that refers to one that the current change has
  /// deleted.
  var deniedRows: [(reference: ForeignKey, query: String)] {
    denials.map { reference in
      let parents = referredColumns(reference)
      let refers = zip(reference.childColumns, parents).map { "c.\(Quoting.name($0)) = g.\($1)" }.joined(
        separator: " AND ")
      let isThere = parents.map { "p.\($0) = g.\($0)" }.joined(separator: " AND ")
      return (
        reference,
        """
        SELECT 1 FROM \(gone) AS g CROSS JOIN \(Quoting.name(reference.child)) AS c ON \(refers) \
        WHERE NOT EXISTS (SELECT 1 FROM \(shadow) AS p WHERE \(isThere)) LIMIT 1
        """
      )
    }
  }

  // MARK: Expired rows

  /// The view of the rows that have expired in this layer or below. A row that takes the unique value of one of them
  /// deletes it from this view.
  var expired: String { name("expired") }

  var createExpired: String {
    let row = table.hiddenRowID.map(Quoting.name)
    func rows(_ source: String, _ number: String, _ condition: String, hiddenBy layers: ArraySlice<Int>) -> String {
      let first = row.map { ["\(number) AS \($0)"] } ?? []
      let values = first + columns.map { "\(shadow).\($0) AS \($0)" }
      let isShown = layers.map {
        " AND NOT EXISTS (SELECT 1 FROM \(name("pending", in: $0)) AS \(Self.own) WHERE \(sameKey(Self.own, shadow)))"
      }
      return """
        SELECT \(values.joined(separator: ", ")) FROM \(source) AS \(shadow) \
        WHERE \(condition)NOT \(Expiry.isThere(shadow))\(isShown.joined())
        """
    }
    let file = rows("main.\(shadow)", "\(shadow).\(row ?? "")", "", hiddenBy: layers[...])
    let unsaved = layers.enumerated().map { position, layer in
      rows(
        name("pending", in: layer), pendingRow(shadow, in: layer), "\(shadow).\(Self.state) = 0 AND ",
        hiddenBy: layers[(position + 1)...])
    }
    return """
      CREATE TEMP VIEW \(expired) AS \(ReservedNames.viewMark) \(([file] + unsaved).joined(separator: " UNION ALL "))
      """
  }

  /// Records the row with a key as deleted if it has expired. The parameters are the key.
  var recordExpired: String {
    let isKey = keys.enumerated().map { "\($1) = \(Quoting.parameter($0 + 1))" }.joined(separator: " AND ")
    return "INSERT INTO \(leaving) (\(list(keys))) SELECT \(list(keys)) FROM \(expired) WHERE \(isKey)"
  }

  /// For each reference that denies deletions, a query for a row that refers to a key, the parameters.
  var rowsThatDeny: [(reference: ForeignKey, query: String)] {
    denials.compactMap { reference in
      let numbers = referredColumns(reference).compactMap { keys.firstIndex(of: $0) }
      guard numbers.count == reference.childColumns.count else { return nil }
      let refers = zip(reference.childColumns, numbers).map {
        "\(Quoting.name($0)) = \(Quoting.parameter($1 + 1))"
      }
      return (
        reference,
        "SELECT 1 FROM \(Quoting.name(reference.child)) WHERE \(refers.joined(separator: " AND ")) LIMIT 1"
      )
    }
  }
}
