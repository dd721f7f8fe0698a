import Larder

extension TrackingTriggers {
  /// The triggers that notice rows that go because another one gets their unique value, by `INSERT OR REPLACE` or
  /// `UPDATE OR REPLACE`. SQLite fires no trigger for them unless the program has set `recursive_triggers`, and the
  /// `sqlite3` command line doesn't.
  ///
  /// What has the value is written down before, with the row that gets it, and what of it is gone is recorded as deleted
  /// afterwards. If the statement does something else about the conflict, the row is still there.
  var replacing: [String] {
    let rules = table.description.uniqueRules
    guard !rules.isEmpty else { return [] }
    let columns = Set(rules.flatMap { $0 }).sorted().map(\.quotedName).joined(separator: ", ")
    return [
      trigger("insert_before", "INSERT", at: "BEFORE", when: "EXISTS (SELECT 1 \(rivals(["new"])))", noting(["new"])),
      trigger("insert_after", "INSERT", when: isNoted, recording),
      trigger(
        "update_before", "UPDATE OF \(columns)", at: "BEFORE", when: "EXISTS (SELECT 1 \(rivals(["new", "old"])))",
        noting(["new", "old"])),
      trigger("update_after", "UPDATE OF \(columns)", when: isNoted, recording),
    ]
  }

  /// The rows with a unique value of the new one, except for rows with the keys of some.
  private func rivals(_ others: [String]) -> String {
    let keys = table.description.keys.map(\.name.quotedName)
    let rules = table.description.uniqueRules.map { rule in
      rule.map { name in
        let order = table.properties.first { $0.column.name == name }?.column.order
        let collation = order?.collationName.map { " COLLATE \($0)" } ?? ""
        return "rival.\(name.quotedName) = new.\(name.quotedName)\(collation)"
      }.joined(separator: " AND ")
    }
    let isOther = others.map { other in
      "(" + keys.map { "rival.\($0) IS NOT \(other).\($0)" }.joined(separator: " OR ") + ")"
    }
    return
      "FROM \(table.quotedName) AS rival WHERE (\(rules.map { "(\($0))" }.joined(separator: " OR "))) AND \(isOther.joined(separator: " AND "))"
  }

  private func noting(_ others: [String]) -> [String] {
    let keys = table.description.keys.map(\.name.quotedName)
    return [
      "DELETE FROM \(SyncTables.replaced) WHERE \(isNote)",
      // Statements that leave their conflicts alone leave notes, too. Those of statements within others are the last ones.
      "DELETE FROM \(SyncTables.replaced) WHERE id <= (SELECT max(id) - 1000 FROM \(SyncTables.replaced))",
      """
      INSERT INTO \(SyncTables.replaced) (table_id, writer, row) SELECT DISTINCT \(table.id), \(writer), id
        FROM (SELECT (SELECT known.id FROM \(SyncTables.rows) AS known WHERE \(isRow("rival", alias: "known."))) AS id
        FROM (SELECT \(keys.map { "rival.\($0)" }.joined(separator: ", ")) \(rivals(others))) AS rival)
        WHERE id IS NOT NULL
      """,
    ]
  }

  /// The row that is written, by its key.
  private var writer: String { SyncTables.keyText(table.description.keys.map { "new.\($0.name.quotedName)" }) }

  /// The condition of the notes that were written down for the row that is written.
  private var isNote: String { "table_id = \(table.id) AND writer = \(writer)" }

  private var isNoted: String {
    "EXISTS (SELECT 1 FROM \(SyncTables.replaced)) AND EXISTS (SELECT 1 FROM \(SyncTables.replaced) WHERE \(isNote))"
  }

  /// The condition that the table has the row of metadata, with an index of the table.
  private var isShown: String {
    zip(SyncTables.keys(keyCount), table.description.keys).map { "known.\($0) = rival.\($1.name.quotedName)" }
      .joined(separator: " AND ")
  }

  private var recording: [String] {
    [
      """
      DELETE FROM \(SyncTables.replaced) WHERE \(isNote) AND EXISTS (SELECT 1 FROM \(SyncTables.rows) AS known
        CROSS JOIN \(table.quotedName) AS rival ON \(isShown)
        WHERE known.id = \(SyncTables.replaced).row AND known.table_id = \(table.id))
      """,
      SyncTables.tick,
      """
      UPDATE \(SyncTables.rows) SET length = length + length % 2, status = 1, source = NULL,
        deletion_time = \(Self.now), deletion_replica = \(Self.replica),
        position = \(Self.now) + (SELECT count(*) FROM \(SyncTables.replaced) WHERE \(isNote) AND row < \(SyncTables.rows).id)
        WHERE status = 0 AND +table_id = \(table.id) AND id IN (SELECT row FROM \(SyncTables.replaced) WHERE \(isNote))
      """,
      "UPDATE \(SyncTables.clock) SET now = now + (SELECT count(*) FROM \(SyncTables.replaced) WHERE \(isNote))",
      "DELETE FROM \(SyncTables.replaced) WHERE \(isNote)",
    ]
  }
}
