import Larder

extension Session {
  /// Writes all unsaved changes in one transaction.
  ///
  /// What the program has changed in other properties of the same rows stays.
  ///
  /// - Throws: `Refusal` with the conflicts about which the user hasn't decided.
  func save() throws {
    try adoptLater()
    do {
      try noting { try context.save() }
    } catch let error as StoreError where error.code == .conflict {
      try requireDecisions(error)
      try noting { try context.save(mergePolicy: .preferContext) }
    }
    try renewAll()
  }

  /// Throws unless the user knows of everything that the program has changed in the same properties.
  private func requireDecisions(_ error: StoreError) throws {
    try adoptLater()
    let conflicts = try order.compactMap { try conflict(of: $0) }
    // If a deletion has reached rows that nobody has looked at, the program may have changed one of them.
    guard conflicts.isEmpty, isReachComplete || !decided.isEmpty else {
      var refusal = Refusal(error)
      refusal.body.conflicts = conflicts
      throw refusal
    }
  }

  /// Decides a conflict: the row's changes are written all the same, or what the program has changed takes their place.
  ///
  /// - Parameter version: The version of the store's row that the user has seen. If the program has written again, nothing
  ///   is decided.
  func resolve(_ key: RowKey, in name: String, version: String, keepsMine: Bool) throws {
    let row = TouchedRow(table: try context.table(name).name, key: key)
    let theirs = try stored(row)
    guard touched[row] != nil, theirs.name == version else { return }
    try adopt(theirs, of: row, keepsMine: keepsMine)
    decided.insert(row)
    // The row is the store's again, and so is what its deletion had reached.
    if !keepsMine, try unsaved.changes.isEmpty { try discard() }
  }

  /// Adopts what the program has written since the user has decided about a row, unless it is another conflict.
  func adoptLater() throws {
    for row in decided {
      let theirs = try stored(row)
      guard theirs != touched[row], try conflict(of: row) == nil else { continue }
      try adopt(theirs, of: row, keepsMine: true)
    }
  }

  /// Gives a row of the context what the program has changed in it. From then on, the store's row is what changes are
  /// compared with.
  private func adopt(_ theirs: StoredVersion, of row: TouchedRow, keepsMine: Bool) throws {
    guard let before = touched[row] else { return }
    let table = try context.table(row.table)
    let mine = try StoredVersion(row, from: context)
    if mine.row != nil, theirs.row != nil {
      let changed = table.changes(from: before.row == nil ? mine : before, to: theirs)
      let kept = !keepsMine ? [] : before.row == nil ? changed : table.changes(from: before, to: mine)
      try noting { try write(changed.subtracting(kept), of: theirs, to: row, in: table) }
    } else if !keepsMine || mine == before {
      try noting { try replace(row, in: table, by: theirs) }
    }
    touched[row] = theirs
  }

  private func write(
    _ names: Set<String>, of theirs: StoredVersion, to row: TouchedRow, in table: TableDescription
  ) throws {
    let properties = table.properties.filter { names.contains($0.name) && !$0.isKey }
    let values = properties.map { ($0.name, theirs.row?[$0.name] ?? .null) }
    try context.step {
      if !values.isEmpty {
        try context.update(Dictionary(uniqueKeysWithValues: values), ofRowWith: row.key.values, in: table.name)
      }
      if names.contains(UnsavedChange.expires), table.expires {
        try context.setExpiry(ofRowWith: row.key.values, in: table.name, to: theirs.expires)
      }
    }
  }

  /// Deletes a row that the store has no longer, or inserts the store's.
  private func replace(_ row: TouchedRow, in table: TableDescription, by theirs: StoredVersion) throws {
    guard let stored = theirs.row else {
      try context.deleteRow(with: row.key.values, from: table.name)
      return
    }
    let values = table.properties.filter { !$0.isDerived }.map { ($0.name, stored[$0.name] ?? .null) }
    try context.insert(Dictionary(uniqueKeysWithValues: values), into: table.name, expires: theirs.expires)
  }
}
