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
    let statement = try connection.compile(
      "SELECT name FROM main.sqlite_master WHERE type = 'table' ORDER BY name", isPersistent: false)
    // A name that isn't UTF-8 is left out: no SQL can have it.
    let tables = try connection.using(statement, [], nil) { statement in
      var names: [String] = []
      while try connection.step(statement, nil) {
        if let name = StoredColumn(statement.pointer, 0).text { names.append(name) }
      }
      return names
    }
    return try tables.flatMap { try declared(in: $0, connection) }
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
