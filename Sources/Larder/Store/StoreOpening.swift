import Foundation
internal import GRDB
import GRDBSQLite
import Logging

/// Opens a store's connections, and checks and migrates its file.
struct StoreOpening: Sendable {
  let path: String?
  let models: [any Model.Type]
  let configuration: Store.Configuration
  /// Where a store in memory is, so that several connections of this process reach it. Source: <https://www.sqlite.org/src/file/src/memdb.c>.
  private let memory = sqlite3_compileoption_used("USE_URI") == 0 ? ":memory:" : "file:/larder-\(UUID().uuidString)?vfs=memdb"

  private let clock: ExpiryClock
  private let attachments: AttachmentStorage

  init(path: String?, models: [any Model.Type], configuration: Store.Configuration) {
    self.path = path
    self.models = models
    self.configuration = configuration
    clock = ExpiryClock(configuration.now)
    attachments = AttachmentStorage(storePath: path, isManaged: configuration.schema == .managed)
  }

  /// STRICT tables came with 3.37: <https://www.sqlite.org/stricttables.html>.
  private static let oldestSQLite: Int32 = 3_037_000

  /// The tables of the models and of all models that they are related to. Throws `.schemaMismatch` for a relationship that cannot be kept.
  private func makeTables() throws -> [TableDefinition] {
    try RelatedModels(models).all.map { model in
      func definition<M: Model>(_ model: M.Type) throws -> TableDefinition { try TableDefinition(model) }
      return try definition(model)
    }
  }

  // MARK: Opening

  /// The connection that writes, ready for use, and what all connections share.
  func open() throws -> (Connection, StoreEnvironment) {
    try checkVersion()
    let tables = try makeTables()
    try check(tables)
    try checkFile()
    return try mapping {
      switch configuration.schema {
      case .managed: try openManaged(tables)
      case .existing: try openExisting(tables)
      }
    }
  }

  private func openManaged(_ tables: [TableDefinition]) throws -> (Connection, StoreEnvironment) {
    let environment = StoreEnvironment(tables: tables, clock: clock, attachments: attachments)
    let connection = try makeConnection(environment)
    let migrator = SchemaMigrator(connection, tables, configuration.migrations, log: configuration.log)
    if path != nil {
      try retrying {
        // A file that cannot be brought in step stays as it is, so nothing is switched on before it was looked at.
        if try connection.query("PRAGMA journal_mode").first?.first?.value == "wal" {
          _ = try migrator.pendingMigrations()
        } else {
          _ = try migrator.plan()
        }
      }
    }
    try prepareToCommit(connection)
    if try !migrator.isUpToDate() {
      let backup = BackupOnce(opening: self, environment: environment)
      do {
        try migrator.migrate { try backup.make() }
      } catch {
        // Everything is as it was: a copy at each attempt would only fill the disk.
        backup.remove()
        throw error
      }
    }
    try prepareToWrite(connection)
    return (connection, environment)
  }

  private func openExisting(_ tables: [TableDefinition]) throws -> (Connection, StoreEnvironment) {
    let probe = try makeConnection(StoreEnvironment())
    let existing = ExistingSchema(probe, tables)
    try existing.check()
    let environment = StoreEnvironment(
      tables: tables, textColumns: try existing.textColumns(), lowercaseColumns: try existing.lowercaseColumns(), clock: clock,
      attachments: attachments)
    return (try openWriter(environment), environment)
  }

  /// A connection that writes to the file as it is: one that takes the place of another needs no more. It has no wal hook.
  func openWriter(_ environment: StoreEnvironment) throws -> Connection {
    try mapping {
      let connection = try makeConnection(environment)
      try prepareToCommit(connection)
      try prepareToWrite(connection)
      return connection
    }
  }

  /// What a connection needs before its first commit.
  private func prepareToCommit(_ connection: Connection) throws {
    if path != nil, configuration.schema == .managed { try switchToWAL(connection) }
    try connection.change("PRAGMA synchronous = \(configuration.durability == .full ? "FULL" : "NORMAL")")
  }

  /// What a connection needs once the tables are in step with the models.
  private func prepareToWrite(_ connection: Connection) throws {
    // INSERT OR REPLACE in SQL then tells the full-text index of the row that it removes: https://www.sqlite.org/lang_conflict.html.
    if configuration.schema == .managed { try connection.change("PRAGMA recursive_triggers = ON") }
    try connection.installExpiryViews()
  }

  /// A further connection, for a context: it writes to temporary tables, and to the file when the context is saved.
  func openContext(_ environment: StoreEnvironment) throws -> Connection {
    guard path != nil || memory != ":memory:" else {
      throw StoreError(.unsupported, "This SQLite was built without URIs, which a context of a store in memory needs. Open the store at a path.")
    }
    return try mapping {
      let connection = try makeConnection(environment)
      try connection.change("PRAGMA synchronous = \(configuration.durability == .full ? "FULL" : "NORMAL")")
      try connection.change("PRAGMA recursive_triggers = ON")
      try connection.change("PRAGMA temp_store = MEMORY")
      try connection.installExpiryViews()
      return connection
    }
  }

  /// A further connection that only reads.
  func openReader(_ environment: StoreEnvironment) throws -> Connection {
    try mapping {
      var configuration = GRDB.Configuration()
      configuration.readonly = true
      configuration.busyMode = .timeout(Double(self.configuration.busyTimeout.milliseconds) / 1000)
      let connection = try Connection(path: path ?? ":memory:", configuration: configuration, environment: environment)
      try connection.installExpiryViews()
      return connection
    }
  }

  private func makeConnection(_ environment: StoreEnvironment) throws -> Connection {
    var configuration = GRDB.Configuration()
    configuration.label = "larder"
    configuration.busyMode = .timeout(Double(self.configuration.busyTimeout.milliseconds) / 1000)
    let connection = try Connection(path: path ?? memory, configuration: configuration, environment: environment)
    if path == nil { Self.removeSizeLimit(of: connection) }
    return connection
  }

  /// SQLite stops a database in memory that connections share at a gigabyte.
  private static func removeSizeLimit(of connection: Connection) {
    var limit = Int64.max
    sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_SIZE_LIMIT, &limit)
  }

  /// WAL lets readers and the writer work side by side. SQLite does not wait for another process in the middle of the same switch.
  private func switchToWAL(_ connection: Connection) throws {
    try retrying {
      let mode = try connection.query("PRAGMA journal_mode = WAL").first?.first?.value
      guard mode == "wal" else {
        throw StoreError(.unsupported, "The file system does not support SQLite's write-ahead log. Keep the store on a local disk.")
      }
    }
  }

  /// Tries again for as long as another process is in the way.
  private func retrying(_ body: () throws -> Void) throws {
    let deadline = ContinuousClock.now + configuration.busyTimeout
    while true {
      do {
        return try body()
      } catch let error as StoreError where error.code == .busy && ContinuousClock.now < deadline {
        // Opening blocks its caller by contract, and SQLite has no busy handler for a change of the journal mode.
        Thread.sleep(forTimeInterval: 0.005)
      }
    }
  }

  // MARK: Planning

  func plan() throws -> MigrationPlan {
    try checkVersion()
    let tables = try makeTables()
    try check(tables)
    try checkFile()
    return try mapping {
      let connection = try makePlanningConnection()
      switch configuration.schema {
      case .managed: return try SchemaMigrator(connection, tables, configuration.migrations, log: nil).plan()
      case .existing:
        try ExistingSchema(connection, tables).check()
        return MigrationPlan(steps: [])
      }
    }
  }

  /// A connection that changes nothing and leaves no file behind.
  private func makePlanningConnection() throws -> Connection {
    guard let path, FileManager.default.fileExists(atPath: path) else {
      return try Connection(path: ":memory:", configuration: GRDB.Configuration(), environment: StoreEnvironment())
    }
    // Only a connection that may write clears away the log's files when it is closed; where there is a log already, it must not be emptied.
    if FileManager.default.fileExists(atPath: path + "-wal") { return try openReader(StoreEnvironment()) }
    let connection = try makeConnection(StoreEnvironment())
    try connection.change("PRAGMA query_only = ON")
    return connection
  }

  // MARK: Checks

  private func checkVersion() throws {
    guard sqlite3_libversion_number() >= Self.oldestSQLite else {
      throw StoreError(
        .unsupported, "Larder needs SQLite 3.37 or newer, and this system has \(String(cString: sqlite3_libversion())). Update libsqlite3.")
    }
  }

  /// An existing file is adopted, never created.
  private func checkFile() throws {
    guard configuration.schema == .existing, let path, !FileManager.default.fileExists(atPath: path) else { return }
    throw StoreError(
      .notFound, "There is no file \(URL(fileURLWithPath: path).lastPathComponent) to adopt. Check the path, or open it without schema: .existing.")
  }

  private func check(_ tables: [TableDefinition]) throws {
    var seen: [String: TableDefinition] = [:]
    for table in tables {
      guard !["_larder_", "sqlite_"].contains(where: table.name.asciiLowercased.hasPrefix) else {
        throw StoreError(
          .schemaMismatch, model: table.model,
          "The name \(table.name) is reserved for the database itself. Name the table of \(table.model) with @Model(\"…\").")
      }
      if let other = seen.updateValue(table, forKey: table.name.asciiLowercased) {
        throw StoreError(
          .schemaMismatch, model: table.model,
          "\(other.model) and \(table.model) are both kept in a table called \(table.name). Name one of them with @Model(\"…\").")
      }
      guard !table.keyColumns.isEmpty else {
        throw StoreError(
          .schemaMismatch, model: table.model,
          "\(table.model) has no key. Add `var id: UUID = .v7()`, or mark a property with @Attribute(.primaryKey).")
      }
      // The name of the column that numbers the rows.
      var columns = Set(
        table.positions.map(\.asciiLowercased) + (table.expires ? [Expiry.column] : []) + (table.isKeyRowID ? [] : [ModelStatements.hiddenRowID]))
      for column in table.columns where !columns.insert(column.name.asciiLowercased).inserted {
        throw StoreError(
          .schemaMismatch, model: table.model, property: column.property,
          "The column name \(column.name) of \(table.model).\(column.property) is taken already; upper and lower case are the same to SQLite. Name the column with @Attribute(name:)."
        )
      }
    }
    for table in tables {
      for pairs in table.pairs where seen.updateValue(table, forKey: pairs.name.asciiLowercased) != nil {
        throw StoreError(
          .schemaMismatch, model: table.model, property: pairs.source.property,
          "The pairs of \(table.model).\(pairs.source.property) are kept in a table called \(pairs.name), and a model's table is called so too. Rename one of them."
        )
      }
    }
  }

  private func mapping<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as DatabaseError {
      throw refined(StoreError(error))
    } catch let error as StoreError {
      throw refined(error)
    }
  }

  /// "Cannot open" has several causes, which only the file system tells apart.
  private func refined(_ error: StoreError) -> StoreError {
    guard error.code == .readOnly, let path else { return error }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    var isFolder: ObjCBool = false
    if !FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder) {
      return StoreError(.notFound, "The folder \(folder.lastPathComponent) for the store does not exist. Create it before the store is opened.")
    }
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
      return StoreError(.notAStore, "The store's path is a folder. Give the path of a file in it.")
    }
    return error
  }
}

/// Copies the file beside itself, once, before a migration destroys anything.
private final class BackupOnce {
  private let opening: StoreOpening
  private let environment: StoreEnvironment
  private var isDone = false
  private var copy: String?

  init(opening: StoreOpening, environment: StoreEnvironment) {
    self.opening = opening
    self.environment = environment
  }

  /// Reads through a connection of its own, which sees the file as it was before the transaction.
  func make() throws {
    guard !isDone, let path = opening.path else { return }
    isDone = true
    let reader = try opening.openReader(environment)
    guard try !reader.query("SELECT 1 FROM sqlite_master LIMIT 1").isEmpty else { return }
    var number = 1
    while FileManager.default.fileExists(atPath: "\(path).backup-\(number)") { number += 1 }
    let target = "\(path).backup-\(number)"
    opening.configuration.log?.info("copying the store before a migration", metadata: ["path": "\(target)"])
    try StoreBackup.write(reader, to: target, skipsMissing: true)
    copy = target
  }

  /// Removes the copy that was made, if one was.
  func remove() {
    guard let copy else { return }
    try? FileManager.default.removeItem(atPath: copy)
    try? FileManager.default.removeItem(atPath: AttachmentFolder.path(ofStore: copy))
  }
}

extension Store {
  /// What opening the file with these models would do, without doing it: `print(try Store.plan(at: url, for: Note.self))`.
  ///
  /// - Throws: What opening would throw before the named migrations run: `.schemaMismatch`, `.newerFile`, `.notAStore`, `.corrupt`.
  public static func plan(
    at location: some StoreLocation, for models: any Model.Type..., configuration: Configuration = Configuration()
  ) throws -> MigrationPlan {
    try StoreOpening(path: location.storePath, models: models, configuration: configuration).plan()
  }
}
