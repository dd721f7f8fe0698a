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

  // MARK: Saving

  /// For each reference by which rows of the file go with rows of this table: the table that has it, a query for the
  /// numbers of the unsaved deletions that it links, first of the row that is referred to, then of the one that refers to
  /// it, and SQL that clears it in the row of the unsaved deletion whose number is the parameter, if it is optional.
  var cascadingDeletions: [(child: String, query: String, release: String)] {
    rules("CASCADE").map { reference in
      let child = Quoting.name(reference.child)
      let refers = zip(reference.childColumns, referredColumns(reference)).map {
        "f.\($1) = c.\(Quoting.name($0))"
      }.joined(separator: " AND ")
      let childKeys = tables.first { $0.name.isSameColumn(as: reference.child) }?.keys.map(Quoting.name) ?? []
      let isPendingChild = childKeys.map { "q.\($0) = c.\($0)" }.joined(separator: " AND ")
      return (
        reference.child,
        """
        SELECT p.\(Self.number) AS parent, q.\(Self.number) AS child FROM \(pending) AS p \
        CROSS JOIN main.\(shadow) AS f ON \(sameKey("f", "p")) CROSS JOIN main.\(child) AS c ON \(refers) \
        CROSS JOIN \(name("pending", of: reference.child)) AS q ON \(isPendingChild) \
        WHERE p.\(Self.state) = 1 AND q.\(Self.state) = 1
        """,
        """
        UPDATE OR IGNORE main.\(child) SET \(reference.childColumns.map { "\(Quoting.name($0)) = NULL" }.joined(separator: ", ")) \
        WHERE (\(list(childKeys))) IN (SELECT \(list(childKeys)) FROM \(name("pending", of: reference.child)) WHERE \(Self.number) = ?1)
        """
      )
    }
  }

  /// Returns SQL that deletes the row of an unsaved deletion, whose number is the parameter.
  var writeDeletion: String {
    "DELETE FROM main.\(shadow) WHERE (\(list(keys))) IN (SELECT \(list(keys)) FROM \(pending) WHERE \(Self.number) = ?1)"
  }
}
