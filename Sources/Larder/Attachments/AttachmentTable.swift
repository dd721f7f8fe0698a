import Foundation
import GRDBSQLite

/// The tables for attachments: the registered data, the number of references from rows, and the leases of data that no
/// row refers to yet.
///
/// The tables and triggers are created with the first attachment, so that files without attachments have no overhead.
struct AttachmentTable {
  static let name = "\(ReservedNames.prefix)attachments"
  static let leases = "\(ReservedNames.prefix)attachment_leases"
  /// The versions of files that have the data of their digests (`CheckedFiles`). Versions of Larder that don't know the
  /// table leave it alone.
  static let files = "\(ReservedNames.prefix)attachment_files"
  /// The beginning of SQLite's message if a row refers to unregistered data. The table and the column follow.
  static let refusal = "larder has no bytes for "

  private let connection: Connection
  private var storage: AttachmentStorage { connection.environment.attachments }

  init(_ connection: Connection) { self.connection = connection }

  private static let create = [
    """
    CREATE TABLE main.\(Self.name) (digest TEXT PRIMARY KEY NOT NULL, size INTEGER NOT NULL, uses INTEGER NOT NULL DEFAULT 0, \
    version INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX main.\(Self.name)_unused ON \(Self.name) (digest) WHERE uses <= 0",
    "CREATE TABLE main.\(Self.leases) (digest TEXT NOT NULL, holder TEXT NOT NULL, PRIMARY KEY (digest, holder)) STRICT, WITHOUT ROWID",
    createFiles,
  ]
  private static let createFiles =
    "CREATE TABLE IF NOT EXISTS main.\(Self.files) (digest TEXT PRIMARY KEY NOT NULL, inode INTEGER NOT NULL, size INTEGER NOT NULL, changed INTEGER NOT NULL, modified INTEGER NOT NULL) STRICT, WITHOUT ROWID"

  func exists() throws -> Bool {
    if connection.attachmentCounting.isKnown { return true }
    return try connection.finds("SELECT 1 FROM main.sqlite_master WHERE name = ?1 AND type = 'table'", .text(Self.name))
  }

  // MARK: Schema

  /// Creates the tables and triggers if the file has none. The connection is in a write transaction.
  func install() throws {
    guard try !exists() else { return }
    for statement in Self.create { try connection.change(statement) }
    // While tables are changed there are no triggers: resume makes them for the tables that are there in the end.
    guard !connection.attachmentCounting.isSuspended else { return }
    try createTriggers(of: try AttachmentColumn.all(connection))
    try recount()
  }

  /// Counts references in a new table, if the file has attachments.
  func watch(_ column: AttachmentColumn) throws {
    if try exists() { try createTriggers(of: [column]) }
  }

  private func createTriggers(of columns: [AttachmentColumn]) throws {
    for trigger in columns.flatMap(\.triggers) { try connection.change(trigger.creation) }
  }

  /// Removes the triggers while tables are changed.
  func suspend() throws {
    guard try exists() else { return }
    let triggers = try connection.query(
      "SELECT name FROM main.sqlite_master WHERE type = 'trigger' AND substr(name, 1, length(?1)) = ?1",
      [.text(AttachmentColumn.prefix)])
    for case let trigger? in triggers.map({ $0["name"]?.text }) {
      try connection.change("DROP TRIGGER main.\(Quoting.name(trigger))")
    }
  }

  /// Creates the triggers again, for the current tables and columns, and recounts the references.
  func resume() throws {
    guard try exists() else { return }
    try createTriggers(of: try AttachmentColumn.all(connection))
    try recount()
  }

  /// Counts all references anew.
  func recount() throws {
    var uses: [String: Int64] = [:]
    for column in try AttachmentColumn.all(connection) {
      if let registration = column.registration { try connection.change(registration) }
      for row in try connection.query("\(column.rows("j.atom AS digest, count(*) AS uses")) GROUP BY 1") {
        uses[row["digest"]?.text ?? "", default: 0] += row["uses"]?.integer ?? 0
      }
    }
    for row in try connection.query("SELECT digest, uses FROM main.\(Self.name)") {
      guard let digest = row["digest"]?.text, row["uses"]?.integer != uses[digest] ?? 0 else { continue }
      try connection.change(
        "UPDATE main.\(Self.name) SET uses = ?2, version = version + 1 WHERE digest = ?1",
        [.text(digest), .integer(uses[digest] ?? 0)])
    }
  }

  // MARK: Rows

  /// Returns whether data is registered, and was there.
  func isRegistered(_ digest: String) throws -> Bool {
    guard try exists() else { return false }
    return try connection.finds("SELECT 1 FROM main.\(Self.name) WHERE digest = ?1 AND size >= 0", .text(digest))
  }

  /// Registers data and its lease, in a write transaction.
  ///
  /// - Parameter isPlaced: Whether the caller has just placed the file.
  /// - Returns: False if the file doesn't exist (any longer). Place it, and register it again.
  func register(_ digest: String, size: Int, isPlaced: Bool) throws -> Bool {
    try install()
    guard storage.folder.content(of: digest) == .file(size: size) else { return false }
    let isKnown = try connection.finds(
      "SELECT 1 FROM main.\(Self.name) WHERE digest = ?1 AND size = ?2", .text(digest), .integer(Int64(size)))
    if !isKnown {
      // The caller that placed it may not have synced it.
      guard isPlaced else { return false }
      try connection.run(
        "INSERT INTO main.\(Self.name) (digest, size) VALUES (?1, ?2) ON CONFLICT (digest) DO UPDATE SET size = excluded.size",
        .text(digest), .integer(Int64(size)))
    }
    try keep(digest)
    return true
  }
}

extension AttachmentTable {
  /// Data without references and leases, as it was when it was found.
  struct Unused: Sendable {
    let digest: String
    let version: Int64
  }

  private static let isUnused = "uses <= 0 AND digest NOT IN (SELECT digest FROM main.\(Self.leases))"

  /// Returns data that has neither references nor leases, in the order of the digests.
  ///
  /// - Parameter last: The digest to begin after.
  func unused(after last: String, limit: Int) throws -> [Unused] {
    try unheld {
      let sql =
        "SELECT digest, version FROM main.\(Self.name) WHERE \(Self.isUnused) AND digest > ?1 ORDER BY digest LIMIT ?2"
      return try connection.query(sql, [.text(last), .integer(Int64(limit))]).compactMap { row in
        row["digest"]?.text.map { Unused(digest: $0, version: row["version"]?.integer ?? 0) }
      }
    }
  }

  /// Returns whether data is unused and unchanged since it was found.
  func isUnused(_ unused: Unused) throws -> Bool {
    let sql = "SELECT 1 FROM main.\(Self.name) WHERE digest = ?1 AND version = ?2 AND \(Self.isUnused)"
    return try connection.finds(sql, .text(unused.digest), .integer(unused.version))
  }

  /// Repeats a search until it finds nothing that a context leases: what its unsaved rows refer to is leased in the
  /// file first.
  private func unheld(_ search: () throws -> [Unused]) throws -> [Unused] {
    while true {
      let unused = try search()
      let held = unused.filter { storage.leases.isHeld($0.digest) }
      if held.isEmpty { return unused }
      try connection.transaction { for bytes in held { try keep(bytes.digest) } }
    }
  }

  /// Registers data that isn't there yet, so that rows may refer to it, in a write transaction. Its size is negative
  /// until it comes.
  func expect(_ digest: String) throws {
    try install()
    try connection.run(
      "INSERT INTO main.\(Self.name) (digest, size) VALUES (?1, -1) ON CONFLICT (digest) DO NOTHING", .text(digest))
  }

  /// Counts references in columns that a module keeps, if that isn't done yet.
  func watch(_ columns: [AttachmentColumn]) throws {
    guard try exists() else { return }
    let missing = try columns.flatMap(\.triggers).filter { trigger in
      try !connection.finds(
        "SELECT 1 FROM main.sqlite_master WHERE type = 'trigger' AND name = ?1", .text(trigger.name))
    }
    if missing.isEmpty { return }
    func create() throws {
      for trigger in missing { try connection.change(trigger.creation) }
      try recount()
    }
    try connection.isAutocommitting ? connection.transaction(create) : create()
  }

  /// Records the store's lease of registered data. The connection is in a write transaction.
  func keep(_ digest: String) throws {
    guard try isRegistered(digest) else { return }
    try connection.run(
      "INSERT INTO main.\(Self.leases) (digest, holder) VALUES (?1, ?2) ON CONFLICT DO NOTHING", .text(digest),
      .text(try storage.holder()))
  }

  /// The number of leases to remove at a time.
  private static let leaseBatch = 1000

  /// Removes some of the leases that have ended. Returns whether there may be more.
  func removeLeases() throws -> Bool {
    guard try exists() else { return false }
    let ended = storage.leases.takeEnded(limit: Self.leaseBatch)
    do {
      try removeLeases(ended)
    } catch {
      storage.leases.putBack(ended)
      throw error
    }
    return ended.count == Self.leaseBatch
  }

  private func removeLeases(_ ended: [String]) throws {
    let dead = try connection.query("SELECT DISTINCT holder FROM main.\(Self.leases)").compactMap { $0["holder"]?.text }
      .filter { !storage.isOpen($0) }
    guard !ended.isEmpty || !dead.isEmpty else { return }
    let holder = storage.knownHolder.map(Value.text) ?? .null
    try connection.transaction {
      for digest in ended where !storage.leases.isHeld(digest) {
        try connection.run("DELETE FROM main.\(Self.leases) WHERE digest = ?1 AND holder = ?2", .text(digest), holder)
      }
      for holder in dead { try connection.run("DELETE FROM main.\(Self.leases) WHERE holder = ?1", .text(holder)) }
    }
  }

  /// Deletes data that is unchanged since it was found. Returns false if it has a reference or lease by now. The
  /// connection is in a transaction.
  func delete(_ unused: Unused) throws -> Bool {
    guard !storage.leases.isHeld(unused.digest), try isUnused(unused) else { return false }
    try delete(unused.digest)
    return true
  }

  /// Deletes data that could not be synced, unless a row refers to it or did, or another value than the caller's does. The
  /// connection is in a write transaction.
  ///
  /// The system may say the next time that it is on the disk. What isn't deleted, because others copy data at this moment,
  /// is left to the collector.
  func withdraw(_ digest: String) throws {
    let lock = try storage.folder.lockFile(.reading)
    guard lock.tryLock(isExclusive: true), storage.leases.count(digest) <= 1 else { return }
    defer { withExtendedLifetime(lock) {} }
    guard try exists() else { return try storage.folder.remove(digest) }
    let holder = storage.knownHolder.map(Value.text) ?? .null
    let isShared = try connection.finds(
      """
      SELECT 1 FROM main.\(Self.name) WHERE digest = ?1 AND (uses > 0 OR version > 0) \
      UNION ALL SELECT 1 FROM main.\(Self.leases) WHERE digest = ?1 AND holder IS NOT ?2
      """, .text(digest), holder)
    guard !isShared else { return }
    try connection.run("DELETE FROM main.\(Self.leases) WHERE digest = ?1", .text(digest))
    try delete(digest)
  }

  private func delete(_ digest: String) throws {
    // A caller that attaches the same data looks for the file in its own transaction, after this one.
    try storage.folder.remove(digest)
    FaultPoint.unlinked.reach()
    if try hasFiles() { try connection.run("DELETE FROM main.\(Self.files) WHERE digest = ?1", .text(digest)) }
    try connection.run("DELETE FROM main.\(Self.name) WHERE digest = ?1", .text(digest))
    FaultPoint.rowForgotten.reach()
  }
}

extension AttachmentTable {
  /// Whether the file keeps versions of files. Those of earlier versions of Larder don't.
  func hasFiles() throws -> Bool {
    if connection.attachmentCounting.hasFiles { return true }
    let sql = "SELECT 1 FROM main.sqlite_master WHERE name = ?1 AND type = 'table'"
    guard try connection.finds(sql, .text(Self.files)) else { return false }
    connection.attachmentCounting.hasFiles = true
    return true
  }

  /// Returns the version of a digest's file that had its data.
  func savedVersion(_ digest: String) throws -> FileVersion.Saved? {
    guard try hasFiles() else { return nil }
    let sql = "SELECT inode, size, changed, modified FROM main.\(Self.files) WHERE digest = ?1"
    return try connection.using(try connection.statement(sql), [.value(.text(digest))], nil) { statement in
      guard try connection.step(statement, nil) else { return nil }
      let values = (0..<4).map { sqlite3_column_int64(statement.pointer, $0) }
      return FileVersion.Saved(inode: values[0], size: values[1], changed: values[2], modified: values[3])
    }
  }

  /// Saves the versions that the store has come to know, except of data that is about to be registered. They are saved
  /// later if that fails.
  ///
  /// - Returns: Whether all are saved.
  @discardableResult
  func saveVersions() throws -> Bool {
    let unsaved = storage.checked.takeUnsaved()
    guard !unsaved.isEmpty else { return true }
    do {
      let early = try exists() ? try connection.transaction { try save(unsaved) } : unsaved
      // What no lease keeps won't be registered.
      let waiting = early.filter { storage.leases.isHeld($0.key) }
      storage.checked.putBack(waiting)
      return waiting.isEmpty
    } catch {
      storage.checked.putBack(unsaved)
      throw error
    }
  }

  /// Saves versions of the files of registered data, in a write transaction, and returns those of other data.
  @discardableResult
  func save(_ versions: [String: FileVersion]) throws -> [String: FileVersion] {
    if try !hasFiles() { try connection.change(Self.createFiles) }
    let sql = """
      INSERT INTO main.\(Self.files) (digest, inode, size, changed, modified) SELECT ?1, ?2, ?3, ?4, ?5 \
      WHERE EXISTS (SELECT 1 FROM main.\(Self.name) WHERE digest = ?1 AND size = ?3) ON CONFLICT (digest) DO UPDATE SET \
      inode = excluded.inode, size = excluded.size, changed = excluded.changed, modified = excluded.modified
      """
    return try versions.filter { digest, version in
      let saved = version.saved
      try connection.run(
        sql, .text(digest), .integer(saved.inode), .integer(saved.size), .integer(saved.changed),
        .integer(saved.modified))
      return connection.changeCount == 0
    }
  }
}

extension Connection {
  /// Starts the write-ahead log over. Returns false if a reader still uses it.
  func restartLog() -> Bool {
    setBusyTimeout(0)
    guard sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_RESTART, nil, nil) == SQLITE_OK else { return false }
    walPages = 0
    return true
  }

  /// Executes a cached statement of Larder.
  fileprivate func run(_ sql: String, _ arguments: Value...) throws {
    try using(try statement(sql), arguments.map { .value($0) }, nil) { try run($0) }
  }

  /// Returns whether a cached statement of Larder finds a row.
  fileprivate func finds(_ sql: String, _ arguments: Value...) throws -> Bool {
    try using(try statement(sql), arguments.map { .value($0) }, nil) { try step($0, nil) }
  }

  /// Makes sure that references to attachments are counted, before the first such row can be written.
  ///
  /// In a process that never used an attachment, this only reads a flag.
  ///
  /// - Parameter isNeeded: Returns whether what is about to be written may refer to an attachment. Only called while
  ///   nothing is counted yet.
  func prepareAttachments(_ isNeeded: @autoclosure () -> Bool) throws {
    guard Attachment.areUsed, environment.isManaged, overlay == nil else { return }
    let counting = attachmentCounting
    guard !counting.isKnown, !counting.isSuspended, isNeeded() else { return }
    if try !AttachmentTable(self).exists() {
      if isAutocommitting {
        try transaction { try AttachmentTable(self).install() }
      } else {
        try AttachmentTable(self).install()
      }
    }
    counting.isKnown = true
    environment.attachments.activate()
  }
}

extension AttachmentTable {
  /// Returns the error for a row that refers to unregistered data.
  static func refused(_ message: String, _ context: ErrorContext?) -> StoreError {
    let place = message.dropFirst(refusal.count)
    let column = context.map { place.dropFirst($0.table.utf8.count + 1) }.map(String.init)
    let property = column.map { context?.property($0) ?? $0 }
    let name = [context?.model, property].compactMap { $0 }.joined(separator: ".")
    return StoreError(
      .referenced, model: context?.model, property: property,
      "\(name.isEmpty ? String(place) : name) names an attachment whose bytes this store does not have. Attach the bytes with store.attach(…) first, and save the value that it returns."
    )
  }
}

extension SQLWriter.Argument {
  /// Returns whether the bound value is a text that may refer to an attachment.
  var mayNameAttachment: Bool {
    if case .value(let value) = self { Attachment.isNamed(in: value) } else { false }
  }
}
