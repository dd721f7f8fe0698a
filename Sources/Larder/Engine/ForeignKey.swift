/// A reference from one table to another, as declared in the file.
struct ForeignKey {
  let child: String
  let parent: String
  let childColumns: [String]
  /// The referenced columns; empty if the reference names none and means the parent's key.
  let parentColumns: [String]
  let deleteRule: String
  let updateRule: String

  /// Whether a change of the referenced row changes the one that refers to it.
  var reachesChildren: Bool { [deleteRule, updateRule].contains { ["CASCADE", "SET NULL"].contains($0) } }

  /// Returns all references in the file.
  static func all(in connection: Connection) throws -> [ForeignKey] {
    let rows = try connection.query(
      """
      SELECT m.name AS child, f.id AS id, f."table" AS parent, f."from" AS source, f."to" AS target, f.on_delete AS rule,
        f.on_update AS update_rule
      FROM main.sqlite_master AS m JOIN pragma_foreign_key_list(m.name, 'main') AS f
      WHERE m.type = 'table' ORDER BY m.name, f.id, f.seq
      """)
    let groups = Dictionary(grouping: rows) { "\($0["child"]?.text ?? "")\u{0}\($0["id"]?.integer ?? 0)" }
    return try groups.sorted { $0.key < $1.key }.map { _, rows in
      ForeignKey(
        child: try rows[0].get("child"), parent: try rows[0].get("parent"),
        childColumns: try rows.map { try $0.get("source") },
        parentColumns: rows.compactMap { $0["target"]?.text }, deleteRule: try rows[0].get("rule"),
        updateRule: try rows[0].get("update_rule"))
    }
  }
}
