import Larder

/// A row that the program has changed since this window did.
struct Conflict: Encodable, Sendable {
  let table: String
  let title: String
  let key: RowKey
  let label: String
  /// Whether the row is gone on one of the sides.
  let isDeletedHere: Bool
  let isDeletedThere: Bool
  /// The values that differ: before is the store's, after is this window's.
  let differences: [UnsavedChange.Difference]
}

extension Session {
  /// Writes all unsaved changes in one transaction.
  ///
  /// - Throws: `Refusal` with the conflicts, if the program has changed the same rows.
  func save() throws {
    do {
      // What the user has decided holds for the versions of the rows that the decision was about.
      let isDecided =
        try !kept.isEmpty
        && conflicts.allSatisfy { kept[$0.row] == $0.theirs }
      try noting { try context.save(mergePolicy: isDecided ? .preferContext : .error) }
    } catch let error as StoreError where error.code == .conflict {
      var refusal = Refusal(error)
      let conflicts = try conflicts
      refusal.body.conflicts = conflicts.map(\.conflict)
      for seen in conflicts { shown[seen.row] = seen.theirs }
      throw refusal
    }
    try renewAll()
  }

  /// Decides a conflict: the row's changes are written all the same, or the store's row takes their place.
  func resolve(_ key: RowKey, in name: String, keepsMine: Bool) throws {
    let row = TouchedRow(table: try context.table(name).name, key: key)
    if keepsMine {
      kept[row] = try shown[row] ?? stored(row)
      return
    }
    let theirs = try stored(row)
    try noting { try adopt(theirs, of: row) }
    touched[row] = theirs
  }

  /// The rows that were changed on both sides, without those that are the same on both, and what the store has of them.
  private var conflicts: [(row: TouchedRow, theirs: StoredVersion, conflict: Conflict)] {
    get throws {
      try order.compactMap { row in
        let (mine, theirs) = (try StoredVersion(row, from: context), try stored(row))
        guard let before = touched[row], before != mine, before != theirs, mine != theirs,
          let shown = mine.row ?? theirs.row
        else { return nil }
        let table = try context.table(row.table)
        let conflict = Conflict(
          table: table.name, title: table.title, key: row.key, label: table.label(of: shown),
          isDeletedHere: mine.row == nil, isDeletedThere: theirs.row == nil,
          differences: table.differences(from: theirs, to: mine))
        return (row, theirs, conflict)
      }
    }
  }

  /// Gives a row of the context the values that the store has.
  private func adopt(_ version: StoredVersion, of row: TouchedRow) throws {
    let table = try context.table(row.table)
    guard let stored = version.row else {
      try context.deleteRow(with: row.key.values, from: table.name)
      return
    }
    let properties = table.properties.filter { !$0.isDerived }
    let isThere = try context.row(with: row.key.values, in: table.name) != nil
    let values = properties.filter { !isThere || !$0.isKey }.map { ($0.name, stored[$0.name] ?? .null) }
    let named = Dictionary(uniqueKeysWithValues: values)
    try context.step {
      if isThere {
        try context.update(named, ofRowWith: row.key.values, in: table.name)
        if table.expires { try context.setExpiry(ofRowWith: row.key.values, in: table.name, to: version.expires) }
      } else {
        try context.insert(named, into: table.name, expires: version.expires)
      }
    }
  }
}
