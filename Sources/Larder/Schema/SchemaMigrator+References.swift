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
      let known = try before.map { try danglingReferences(of: table, try $0()) } ?? []
      guard !dangling.subtracting(known).isEmpty else { continue }
      let model = tables.first { $0.name.isSameColumn(as: table) }?.model
      throw StoreError(
        .referenced, model: model,
        "A row of \(table) refers to one that is not there. Correct the rows in a migration; the file is as it was.")
    }
  }

  /// Returns those tables with foreign keys, and the tables that refer to one of them.
  private func tablesReferring(to changed: Set<String>) throws -> [String] {
    guard !changed.isEmpty else { return [] }
    let references = try connection.query(
      """
      SELECT m.name AS child, f."table" AS parent FROM main.sqlite_master AS m, pragma_foreign_key_list(m.name) AS f \
      WHERE m.type = 'table' ORDER BY m.name
      """)
    var names: [String] = []
    for row in references {
      guard let child = row["child"]?.text, let parent = row["parent"]?.text, names.last != child else { continue }
      if changed.contains(child.asciiLowercased) || changed.contains(parent.asciiLowercased) { names.append(child) }
    }
    return names
  }

  /// Returns the dangling references of a table; none if there is no such table.
  private func danglingReferences(of table: String, _ connection: Connection) throws -> Set<Row> {
    guard
      try !connection.query("SELECT 1 FROM main.sqlite_master WHERE type = 'table' AND name = ?1", [.text(table)])
        .isEmpty
    else { return [] }
    return Set(try connection.query("PRAGMA main.foreign_key_check(\(Quoting.name(table)))"))
  }
}
