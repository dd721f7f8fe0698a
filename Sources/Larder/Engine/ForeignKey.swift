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
    // As bytes, because a name that isn't UTF-8 can't be read as a text.
    let tables = try connection.query(
      "SELECT CAST(name AS BLOB) AS name FROM main.sqlite_master WHERE type = 'table' ORDER BY name")
    return try tables.compactMap { $0["name"]?.blob.flatMap { String(validating: $0, as: UTF8.self) } }
      .flatMap { try declared(in: $0, connection) }
  }

  /// Returns the references that a table declares. Pragmas are statements of their own everywhere in Larder: a table of
  /// another program may have the name of SQLite's function for a pragma.
  static func declared(in table: String, _ connection: Connection) throws -> [ForeignKey] {
    let rows = try connection.query("PRAGMA main.foreign_key_list(\(Quoting.name(table)))")
    let groups = Dictionary(grouping: rows) { $0["id"]?.integer ?? 0 }
    return try groups.sorted { $0.key < $1.key }.map { _, rows in
      let rows = rows.sorted { ($0["seq"]?.integer ?? 0) < ($1["seq"]?.integer ?? 0) }
      return ForeignKey(
        child: table, parent: try rows[0].get("table"), childColumns: try rows.map { try $0.get("from") },
        parentColumns: rows.compactMap { $0["to"]?.text }, deleteRule: try rows[0].get("on_delete"),
        updateRule: try rows[0].get("on_update"))
    }
  }
}
