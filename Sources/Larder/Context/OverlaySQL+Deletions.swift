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
  private func referredColumns(_ reference: ForeignKey) -> [String] {
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

  /// Records the row with a key as deleted if it has expired. The parameters are the key.
  var recordExpired: String {
    let parameters = keys.indices.map { Quoting.parameter($0 + 1) }
    return "INSERT INTO \(leaving) (\(list(keys))) SELECT \(list(parameters)) WHERE \(isExpired)"
  }

  /// The condition that the row with a key, the parameters, has expired in this layer or below.
  private var isExpired: String {
    func isRow(_ row: String) -> String {
      keys.enumerated().map { "\(row).\($1) = \(Quoting.parameter($0 + 1))" }.joined(separator: " AND ")
    }
    let file = "EXISTS (SELECT 1 FROM main.\(shadow) AS m WHERE \(isRow("m")) AND NOT \(Expiry.isThere("m")))"
    return layers.reduce(file) { below, layer in
      let row = "SELECT 1 FROM \(name("pending", in: layer)) AS p WHERE \(isRow("p"))"
      let isOver = "EXISTS (\(row) AND p.\(Self.state) = 0 AND NOT \(Expiry.isThere("p")))"
      return "(\(isOver) OR (NOT EXISTS (\(row)) AND \(below)))"
    }
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
