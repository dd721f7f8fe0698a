import GRDBSQLite

/// The collections of documents that a connection knows in its file.
///
/// The file records the properties seen in each collection, in order, and never removes one. So comparing the
/// collection's identifier and its number of properties is enough to know whether this information is current, even if
/// another process has written.
final class DocumentCatalogue {
  /// A collection as the file describes it.
  struct Collection {
    let id: Int64
    /// The name as stored in the file. Callers may write it in another case.
    let name: String
    /// The names of all properties seen, oldest first.
    var properties: [String] = []
    var known: Set<ExactText> = []
    /// Whether documents record when they were added and updated.
    var keepsTimes = false
  }

  static let collectionsTable = "\(ReservedNames.prefix)collections"
  static let propertiesTable = "\(ReservedNames.prefix)properties"

  private static let createTables = [
    """
    CREATE TABLE IF NOT EXISTS main.\(collectionsTable) (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE COLLATE NOCASE, properties INTEGER NOT NULL DEFAULT 0,
    dates INTEGER NOT NULL DEFAULT 0, times INTEGER NOT NULL DEFAULT 0) STRICT
    """,
    """
    CREATE TABLE IF NOT EXISTS main.\(propertiesTable) (
    collection INTEGER NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL,
    PRIMARY KEY (collection, position)) WITHOUT ROWID, STRICT
    """,
  ]

  /// The connection owns this catalogue, which is therefore never used after it.
  private unowned let connection: Connection
  /// By the folded name of the table.
  private var collections: [String: Collection] = [:]
  /// The transaction in which the collection was last compared with the file. Until the transaction ends, no other
  /// connection changes it.
  private var compared: [String: Int] = [:]
  /// Whether the file has the tables of this catalogue.
  private var knowsTables = false
  /// Whether a rollback would invalidate some of this information.
  private var isProvisional = false
  /// The temporary views of this connection, with the collection's identifier and the number of properties that they
  /// show.
  var views: [String: ViewVersion] = [:]
  /// Whether the dates of all documents are known to be in the current format.
  private var hasUpdatedDates = false
  /// Paths of several steps that documents have had, by the collection's identifier.
  private var seenPaths: [Int64: Set<DocumentPath>] = [:]
  /// Tables that aren't collections, in a version of the schema.
  private var plain: (version: Int64, tables: Set<String>) = (-1, [])

  init(_ connection: Connection) {
    self.connection = connection
  }

  struct ViewVersion: Equatable {
    let id: Int64
    let count: Int
  }

  /// Discards what a rollback may have undone.
  ///
  /// - Parameter isOver: Whether the whole transaction has ended, and not only a savepoint in it.
  func didRollBack(isOver: Bool) {
    guard isProvisional else { return }
    collections.removeAll()
    compared.removeAll()
    views.removeAll()
    seenPaths.removeAll()
    knowsTables = false
    hasUpdatedDates = false
    isProvisional = !isOver
  }

  func noteChange() {
    isProvisional = true
  }

  // MARK: Plain tables

  /// Returns the tables that may be collections.
  ///
  /// A table that another connection has dropped may have become a collection.
  func withoutPlainTables(_ tables: Set<String>) throws -> Set<String> {
    let version = try connection.schemaVersionOfFile
    if version != plain.version { plain = (version, []) }
    return tables.subtracting(plain.tables)
  }

  func notePlain(_ table: String) { plain.tables.insert(table) }

  // MARK: Reading

  /// Returns the collection as it is in the file now; nil if there is none.
  func collection(_ name: String) throws -> Collection? {
    connection.noteRead(of: name)
    guard try hasTables() else { return nil }
    let found = try connection.query("SELECT * FROM main.\(Self.collectionsTable) WHERE name = ?1", [.text(name)])
    guard let row = found.first, let id = row["id"]?.integer, let table = row["name"]?.text,
      let count = row["properties"]?.integer
    else {
      collections[name.foldedTableName] = nil
      return nil
    }
    connection.noteRead(of: table)
    var collection = collections[name.foldedTableName] ?? Collection(id: id, name: table)
    if collection.id != id || collection.properties.count > count { collection = Collection(id: id, name: table) }
    // Files of earlier versions don't have this column.
    collection.keepsTimes = row["times"]?.integer == 1
    if collection.properties.count < count {
      let added = try connection.query(
        "SELECT name FROM main.\(Self.propertiesTable) WHERE collection = ?1 AND position >= ?2 ORDER BY position",
        [.integer(id), .integer(Int64(collection.properties.count))])
      for row in added {
        guard let property = row["name"]?.text else { continue }
        collection.properties.append(property)
        collection.known.insert(ExactText(property))
      }
    }
    collections[name.foldedTableName] = collection
    return collection
  }

  /// Returns the collection if this connection knows it. It may have changed since.
  func isKnown(_ name: String) -> Bool { collections[name.foldedTableName] != nil }

  /// Whether the collection records times. The open transaction has compared it with the file.
  func keepsTimes(_ name: String) throws -> Bool {
    let id = name.foldedTableName
    if compared[id] == connection.transactionNumber, let collection = collections[id] { return collection.keepsTimes }
    return try collection(name)?.keepsTimes ?? false
  }

  func setKeepsTimes(_ keepsTimes: Bool, _ name: String) throws {
    isProvisional = true
    collections[name.foldedTableName]?.keepsTimes = keepsTimes
    try connection.change(
      "UPDATE main.\(Self.collectionsTable) SET times = ?2 WHERE name = ?1",
      [.text(name), .integer(keepsTimes ? 1 : 0)])
  }

  func hasSeen(_ path: DocumentPath, in collection: Int64) -> Bool { seenPaths[collection]?.contains(path) == true }

  func noteSeen(_ path: DocumentPath, in collection: Int64) { seenPaths[collection, default: []].insert(path) }

  /// The names of all collections.
  func names() throws -> [String] {
    guard try hasTables() else { return [] }
    return try connection.query("SELECT name FROM main.\(Self.collectionsTable) ORDER BY id").compactMap {
      $0["name"]?.text
    }
  }

  private func hasTables() throws -> Bool {
    if knowsTables { return true }
    // If the transaction is rolled back, they may no longer exist.
    let isThere = try !connection.query(
      "SELECT 1 FROM main.sqlite_master WHERE name = ?1", [.text(Self.propertiesTable)]
    ).isEmpty
    if isThere, connection.isAutocommitting { knowsTables = true }
    return isThere
  }

  // MARK: Writing

  /// Creates the collection and records the properties, as necessary. The connection is in a write transaction.
  func prepare(_ name: String, _ properties: some Sequence<String>) throws {
    if !hasUpdatedDates {
      if try hasTables() { try updateDates() }
      isProvisional = true
      hasUpdatedDates = true
    }
    let id = name.foldedTableName
    if compared[id] != connection.transactionNumber || collections[id] == nil {
      if try collection(name) == nil { try create(name) }
      compared[id] = connection.transactionNumber
    }
    guard let known = collections[id]?.known else { return }
    var added: [String] = []
    var isAdded: Set<ExactText> = []
    for property in properties
    where !known.contains(ExactText(property)) && isAdded.insert(ExactText(property)).inserted {
      added.append(property)
    }
    if !added.isEmpty { try add(added, to: name) }
  }

  /// Converts the dates in documents that earlier versions have written to the current format, in the open transaction.
  ///
  /// Each collection records whether its dates are converted. A collection that an earlier version creates in this file
  /// is marked as not converted.
  private func updateDates() throws {
    for column in try ["dates", "times"].filter({ try !hasColumn($0) }) {
      isProvisional = true
      try connection.change("ALTER TABLE main.\(Self.collectionsTable) ADD COLUMN \(column) INTEGER NOT NULL DEFAULT 0")
    }
    let former = try connection.query("SELECT name FROM main.\(Self.collectionsTable) WHERE dates = 0").compactMap {
      $0["name"]?.text
    }
    guard !former.isEmpty else { return }
    for name in former {
      try connection.change(
        """
        UPDATE main.\(Quoting.name(name)) SET json = larder_updated_dates(json)
        WHERE json GLOB '\(Self.formerDate)' AND json_valid(json) AND json <> larder_updated_dates(json)
        """)
    }
    try connection.change("UPDATE main.\(Self.collectionsTable) SET dates = 1 WHERE dates = 0")
  }

  private static let formerDate: String = {
    func digits(_ count: Int) -> String { String(repeating: "[0-9]", count: count) }
    return "*\"\(digits(4))-\(digits(2))-\(digits(2))T\(digits(2)):\(digits(2)):\(digits(2)).\(digits(3))Z\"*"
  }()

  private func hasColumn(_ name: String) throws -> Bool {
    try connection.query("PRAGMA main.table_info(\(Self.collectionsTable))").contains { $0["name"]?.text == name }
  }

  /// Whether there are documents whose dates an earlier version may have written.
  fileprivate func hasFormerDates() throws -> Bool {
    guard try hasTables() else { return false }
    guard try hasColumn("dates"), try hasColumn("times") else { return true }
    return try !connection.query("SELECT 1 FROM main.\(Self.collectionsTable) WHERE dates = 0").isEmpty
  }

  /// Converts dates that earlier versions have written to the current format, if necessary, in a transaction of its
  /// own.
  fileprivate func updateFormerDates() throws {
    // After the first time, this check without the write lock is enough.
    guard try hasFormerDates() else { return }
    try connection.transaction { try updateDates() }
  }

  private func add(_ properties: [String], to name: String) throws {
    guard var collection = collections[name.foldedTableName] else { return }
    isProvisional = true
    collections[name.foldedTableName] = nil
    for property in properties {
      try connection.change(
        "INSERT INTO main.\(Self.propertiesTable) (collection, position, name) VALUES (?1, ?2, ?3)",
        [.integer(collection.id), .integer(Int64(collection.properties.count)), .text(property)])
      collection.properties.append(property)
      collection.known.insert(ExactText(property))
    }
    try connection.change(
      "UPDATE main.\(Self.collectionsTable) SET properties = ?2 WHERE id = ?1",
      [.integer(collection.id), .integer(Int64(collection.properties.count))])
    collections[name.foldedTableName] = collection
  }

  private func create(_ name: String) throws {
    try check(name)
    isProvisional = true
    for statement in Self.createTables { try connection.change(statement) }
    let table = Quoting.name(name)
    try connection.change(
      "CREATE TABLE main.\(table) (key TEXT PRIMARY KEY NOT NULL, json TEXT NOT NULL, expires REAL) STRICT")
    let index = Quoting.name("\(ReservedNames.prefix)expires:\(name)")
    try connection.change("CREATE INDEX main.\(index) ON \(table) (expires) WHERE expires IS NOT NULL")
    try connection.change("INSERT INTO main.\(Self.collectionsTable) (name, dates) VALUES (?1, 1)", [.text(name)])
    try AttachmentTable(connection).watch(AttachmentColumn(table: name, name: "json"))
    plain.tables.removeAll()
    _ = try collection(name)
    try connection.environment.features.forEach { try $0.didCreateCollection(name, connection) }
  }

  /// Removes the collection with all of its documents. Returns false if there is none.
  func drop(_ name: String) throws -> Bool {
    guard let collection = try collection(name) else { return false }
    isProvisional = true
    collections.removeAll()
    compared.removeAll()
    try connection.environment.features.forEach { try $0.willRemoveCollection(collection.name, connection) }
    // Triggers update the counts of attachments that the documents release.
    if try AttachmentTable(connection).exists() { try connection.change("DELETE FROM main.\(Quoting.name(name))") }
    try connection.change("DROP TABLE main.\(Quoting.name(name))")
    connection.noteWrite(of: collection.name)
    try connection.change("DELETE FROM main.\(Self.propertiesTable) WHERE collection = ?1", [.integer(collection.id)])
    try connection.change("DELETE FROM main.\(Self.collectionsTable) WHERE id = ?1", [.integer(collection.id)])
    return true
  }

  /// The name of a collection is the name of its table, which must be available.
  private func check(_ name: String) throws {
    guard !name.isEmpty, !name.utf8.contains(0), !ReservedNames.isReserved(table: name) else {
      throw StoreError(
        .schemaMismatch, model: name,
        "A collection cannot be called \"\(name)\": the name is empty or the database's own. Choose another.")
    }
    let taken = try connection.query(
      "SELECT type FROM main.sqlite_master WHERE name = ?1 COLLATE NOCASE", [.text(name)])
    guard let type = taken.first?["type"]?.text else { return }
    throw StoreError(
      .schemaMismatch, model: name,
      "The file has a \(type) called \(name) that is no collection of documents. Give the collection another name.")
  }
}

extension Connection {
  /// Converts dates in documents of earlier versions to the current format: text of fixed width, whose order is
  /// chronological.
  ///
  /// This happens once for each file, in one transaction. A read-only connection changes nothing.
  func updateDocumentDates() throws {
    guard !isReadOnly, sqlite3_db_readonly(handle, "main") == 0 else { return }
    try documents.updateFormerDates()
  }
}
