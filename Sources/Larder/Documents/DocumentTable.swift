/// The name of a collection, and the SQL of its statements.
struct DocumentTable: Sendable {
  let name: String
  /// The name of the table in SQL.
  let target: String
  let find: String
  let upsert: String
  let upsertKeepingExpiry: String
  let remove: String

  init(_ name: String) {
    self.name = name
    target = "main.\(Quoting.name(name))"
    find = "SELECT json, expires FROM \(target) WHERE key = ?1 AND \(DocumentSQL.isLive)"
    let insert =
      "INSERT INTO \(target) (key, json, expires) VALUES (?1, ?2, ?3) ON CONFLICT (key) DO UPDATE SET json = excluded.json"
    upsert = "\(insert), expires = excluded.expires"
    // An expired document that isn't deleted yet doesn't count as existing; the one that replaces it is new.
    upsertKeepingExpiry =
      "\(insert), expires = coalesce(excluded.expires, CASE WHEN expires > larder_now() THEN expires END)"
    remove = "DELETE FROM \(target) WHERE key = ?1 AND \(DocumentSQL.isLive)"
  }

  /// Returns the collection's documents on a connection.
  func on(_ connection: Connection) -> DocumentRows { DocumentRows(table: self, connection: connection) }
}
