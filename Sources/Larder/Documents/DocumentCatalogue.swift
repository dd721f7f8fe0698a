import GRDBSQLite

/// What a connection knows of the collections of documents in its file.
///
/// The file says which properties were seen in each collection, in the order in which they came; they only ever become more. So a look at the
/// collection's number and count tells whether what is known is still so, whoever has written meanwhile.
final class DocumentCatalogue {
  /// A collection as the file describes it.
  struct Collection {
    let id: Int64
    /// The names of the properties that were seen, oldest first.
    var properties: [String]
    var known: Set<String>
  }

  static let collectionsTable = "_larder_collections"
  static let propertiesTable = "_larder_properties"

  private static let createTables = [
    """
    CREATE TABLE IF NOT EXISTS main.\(collectionsTable) (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE COLLATE NOCASE, properties INTEGER NOT NULL DEFAULT 0) STRICT
    """,
    """
    CREATE TABLE IF NOT EXISTS main.\(propertiesTable) (
    collection INTEGER NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL,
    PRIMARY KEY (collection, position)) WITHOUT ROWID, STRICT
    """,
  ]

  private var collections: [String: Collection] = [:]
  /// The transaction in which the collection was last compared with the file: until it ends, nobody else changes it.
  private var compared: [String: Int] = [:]
  /// Whether the file has the tables of this catalogue.
  private var hasTables = false
  /// Whether something was remembered that a rollback makes untrue.
  private var isProvisional = false
  /// The temporary views of this connection, by the number and the count of properties that they show.
  var views: [String: ViewVersion] = [:]
  /// Tables that are no collections.
  var plainTables: Set<String> = []

  struct ViewVersion: Equatable {
    let id: Int64
    let count: Int
  }

  /// Forgets what a rollback may have undone.
  ///
  /// - Parameter isOver: Whether the transaction has ended, and not only a savepoint in it.
  func didRollBack(isOver: Bool) {
    guard isProvisional else { return }
    collections.removeAll()
    compared.removeAll()
    views.removeAll()
    hasTables = false
    isProvisional = !isOver
  }

  func noteChange() {
    isProvisional = true
  }

  // MARK: Reading

  /// The collection as it is in the file now; nil where there is none.
  func collection(_ name: String, _ connection: Connection) throws -> Collection? {
    connection.noteRead(of: name)
    guard try hasTables(connection) else { return nil }
    let found = try connection.query("SELECT id, properties FROM main.\(Self.collectionsTable) WHERE name = ?1", [.text(name)])
    guard let row = found.first, let id = row["id"]?.integer, let count = row["properties"]?.integer else {
      collections[name] = nil
      return nil
    }
    var collection = collections[name] ?? Collection(id: id, properties: [], known: [])
    if collection.id != id || collection.properties.count > count { collection = Collection(id: id, properties: [], known: []) }
    if collection.properties.count < count {
      let added = try connection.query(
        "SELECT name FROM main.\(Self.propertiesTable) WHERE collection = ?1 AND position >= ?2 ORDER BY position",
        [.integer(id), .integer(Int64(collection.properties.count))])
      for row in added {
        guard let property = row["name"]?.text else { continue }
        collection.properties.append(property)
        collection.known.insert(property)
      }
    }
    collections[name] = collection
    return collection
  }

  /// The collection, where this connection has met it before; it may have changed since.
  func isKnown(_ name: String) -> Bool { collections[name] != nil }

  /// The names of all collections.
  func names(_ connection: Connection) throws -> [String] {
    guard try hasTables(connection) else { return [] }
    return try connection.query("SELECT name FROM main.\(Self.collectionsTable) ORDER BY id").compactMap { $0["name"]?.text }
  }

  private func hasTables(_ connection: Connection) throws -> Bool {
    if hasTables { return true }
    // Inside of a transaction that is rolled back they may be gone again.
    let isThere = try !connection.query("SELECT 1 FROM main.sqlite_master WHERE name = ?1", [.text(Self.propertiesTable)]).isEmpty
    if isThere, connection.isAutocommitting { hasTables = true }
    return isThere
  }

  // MARK: Writing

  /// Makes sure that the collection is there and has seen the properties. The connection is in a transaction that writes.
  func prepare(_ name: String, _ properties: some Sequence<String>, _ connection: Connection) throws {
    if compared[name] != connection.transactionNumber || collections[name] == nil {
      if try collection(name, connection) == nil { try create(name, connection) }
      compared[name] = connection.transactionNumber
    }
    guard let known = collections[name]?.known else { return }
    var added: [String] = []
    var isAdded: Set<String> = []
    for property in properties where !known.contains(property) && isAdded.insert(property).inserted { added.append(property) }
    if !added.isEmpty { try add(added, to: name, connection) }
  }

  private func add(_ properties: [String], to name: String, _ connection: Connection) throws {
    guard var collection = collections[name] else { return }
    isProvisional = true
    collections[name] = nil
    for property in properties {
      try connection.change(
        "INSERT INTO main.\(Self.propertiesTable) (collection, position, name) VALUES (?1, ?2, ?3)",
        [.integer(collection.id), .integer(Int64(collection.properties.count)), .text(property)])
      collection.properties.append(property)
      collection.known.insert(property)
    }
    try connection.change(
      "UPDATE main.\(Self.collectionsTable) SET properties = ?2 WHERE id = ?1",
      [.integer(collection.id), .integer(Int64(collection.properties.count))])
    collections[name] = collection
  }

  private func create(_ name: String, _ connection: Connection) throws {
    try check(name, connection)
    isProvisional = true
    for statement in Self.createTables { try connection.change(statement) }
    let table = Dialect.sqlite.quote(name)
    try connection.change("CREATE TABLE main.\(table) (key TEXT PRIMARY KEY NOT NULL, json TEXT NOT NULL, expires REAL) STRICT")
    let index = Dialect.sqlite.quote("_larder_expires:\(name)")
    try connection.change("CREATE INDEX main.\(index) ON \(table) (expires) WHERE expires IS NOT NULL")
    try connection.change("INSERT INTO main.\(Self.collectionsTable) (name) VALUES (?1)", [.text(name)])
    try AttachmentTable.watch(AttachmentColumn(table: name, name: "json"), connection)
    plainTables.removeAll()
    _ = try collection(name, connection)
  }

  /// Removes the collection with all of its documents; false where there is none.
  func drop(_ name: String, _ connection: Connection) throws -> Bool {
    guard let collection = try collection(name, connection) else { return false }
    isProvisional = true
    collections.removeAll()
    compared.removeAll()
    // Triggers count what the documents let go.
    if try AttachmentTable.exists(connection) { try connection.change("DELETE FROM main.\(Dialect.sqlite.quote(name))") }
    try connection.change("DROP TABLE main.\(Dialect.sqlite.quote(name))")
    connection.noteWrite(of: name)
    try connection.change("DELETE FROM main.\(Self.propertiesTable) WHERE collection = ?1", [.integer(collection.id)])
    try connection.change("DELETE FROM main.\(Self.collectionsTable) WHERE id = ?1", [.integer(collection.id)])
    return true
  }

  /// The name of a collection is the name of its table, which must be free.
  private func check(_ name: String, _ connection: Connection) throws {
    guard !name.isEmpty, !name.utf8.contains(0), !["_larder_", "sqlite_"].contains(where: name.asciiLowercased.hasPrefix) else {
      throw StoreError(
        .schemaMismatch, model: name, "A collection cannot be called \"\(name)\": the name is empty or the database's own. Choose another.")
    }
    let taken = try connection.query("SELECT type FROM main.sqlite_master WHERE name = ?1 COLLATE NOCASE", [.text(name)])
    guard let type = taken.first?["type"]?.text else { return }
    throw StoreError(
      .schemaMismatch, model: name,
      "The file has a \(type) called \(name) that is no collection of documents. Give the collection another name.")
  }
}
