extension SchemaMigrator {
  /// Checks references at the end, because migrations run without foreign keys.
  ///
  /// Only changed tables, and those that refer to them, are checked: others may be large, and the file is locked.
  ///
  /// - Parameters:
  ///   - changed: The names of the changed tables, in lowercase.
  ///   - before: Opens a connection that sees the file before the migration, to ignore references that were already
  ///     dangling.
  func checkReferences(of changed: Set<String>, before: (() throws -> Connection)?) throws {
    for table in try tablesReferring(to: changed) {
      let dangling = try danglingReferences(of: table, connection)
      guard !dangling.isEmpty else { continue }
      let known = Set(try before.map { try danglingReferences(of: table, try $0()) } ?? [])
      guard let row = dangling.first(where: { !known.contains($0) }) else { continue }
      throw try danglingError(row, of: table)
    }
  }

  /// Returns the error for a row of `PRAGMA foreign_key_check`. Source:
  /// <https://www.sqlite.org/pragma.html#pragma_foreign_key_check>.
  private func danglingError(_ row: Row, of table: String) throws -> StoreError {
    let definition = tables.first { $0.name.isSameColumn(as: table) }
    let column = try connection.query("PRAGMA main.foreign_key_list(\(Quoting.name(table)))")
      .first { $0["id"] == row["fkid"] }?["from"]?.text
    let place = ["\(table)", column].compactMap(\.self).joined(separator: ".")
    let number = row["rowid"]?.integer.map { "row \($0) of \(table)" } ?? "a row of \(table)"
    return StoreError(
      .referenced, model: definition?.model, property: column.flatMap { definition?.reference(of: $0)?.property },
      "\(place): \(number) refers to a row of \(row["parent"]?.text ?? "another table") that is not there. Correct the rows in a migration; the file is as it was."
    )
  }

  /// Returns those tables with foreign keys, and the tables that refer to one of them.
  private func tablesReferring(to changed: Set<String>) throws -> [String] {
    guard !changed.isEmpty else { return [] }
    var names: [String] = []
    for reference in try ForeignKey.all(in: connection) where names.last != reference.child {
      let (child, parent) = (reference.child, reference.parent)
      if changed.contains(child.asciiLowercased) || changed.contains(parent.asciiLowercased) { names.append(child) }
    }
    return names
  }

  /// Returns the dangling references of a table; none if there is no such table.
  private func danglingReferences(of table: String, _ connection: Connection) throws -> [Row] {
    guard
      try !connection.query("SELECT 1 FROM main.sqlite_master WHERE type = 'table' AND name = ?1", [.text(table)])
        .isEmpty
    else { return [] }
    return try connection.query("PRAGMA main.foreign_key_check(\(Quoting.name(table)))")
  }
}
