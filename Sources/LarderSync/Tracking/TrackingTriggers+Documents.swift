import Larder

extension TrackingTriggers {
  /// Gives the properties of a document that have changed, come or gone their own stamps.
  var documentStamping: [String] {
    let both = "instr(old.json || new.json, '\\u0000') > 0"
    func properties(_ row: String) -> String {
      "SELECT key, type, value, fullkey FROM json_each(CASE WHEN json_valid(\(row).json) THEN \(row).json ELSE '{}' END)"
    }
    let zeros = "instr(old.json || new.json, '-0.0') > 0"
    // SQLite ends a text at its first NUL, and doesn't tell -0.0 from 0.0, so such texts and zeros count as changed.
    func difference(_ row: String, _ other: String) -> String {
      "SELECT * FROM (\(properties(row)) EXCEPT \(properties(other)) WHERE CASE type WHEN 'text' THEN NOT (\(both)) WHEN 'real' THEN value <> 0 OR NOT (\(zeros)) ELSE 1 END)"
    }
    let changed = """
      SELECT DISTINCT '.' || CASE WHEN instr(fullkey, '\\u0000') > 0 THEN substr(fullkey, 3) ELSE key END AS name
        FROM (\(difference("new", "old")) UNION ALL \(difference("old", "new"))) WHERE old.json IS NOT new.json
        UNION ALL SELECT '\(ModuleTable.expires)' WHERE old.expires IS NOT new.expires
      """
    return [
      """
      INSERT INTO \(SyncTables.properties) (table_id, name) SELECT \(table.id), name FROM (\(changed)) WHERE true
        ON CONFLICT DO NOTHING
      """,
      """
      INSERT INTO \(SyncTables.cells) (row, property, length, time, replica)
        SELECT row.id, (SELECT id FROM \(SyncTables.properties) WHERE table_id = \(table.id) AND name = changed.name),
        row.length - 1 + row.length % 2, \(Self.now), \(Self.replica)
        FROM \(SyncTables.rows) AS row CROSS JOIN (\(changed)) AS changed WHERE \(isRow("new", alias: "row."))
        ON CONFLICT (row, property) DO UPDATE SET length = excluded.length, time = excluded.time,
        replica = excluded.replica, held = 0, value = NULL
      """,
    ]
  }
}
