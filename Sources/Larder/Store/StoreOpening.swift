import Foundation
internal import GRDB
import GRDBSQLite
import Logging

/// Opens a store's connections, and checks and migrates its file.
struct StoreOpening: Sendable {
  let path: String?
  let models: [any Model.Type]
  let configuration: Store.Configuration
  /// The name under which the connections of this process find a store in memory. Source:
  /// <https://www.sqlite.org/src/file/src/memdb.c>.
  private let memory =
    sqlite3_compileoption_used("USE_URI") == 0 ? ":memory:" : "file:/larder-\(UUID().uuidString)?vfs=memdb"

  private let features: StoreFeatures
  private let gate: WriteGate
  /// Whether the file is Larder's own, which it also is if a program without models opens it with `.existing`.
  private let isStore: Bool
  /// Why it couldn't be found out whose file it is.
  private let failure: (any Error)?

  init(path: String?, models: [any Model.Type], configuration: Store.Configuration) {
    // A relative path, or a link, may lead elsewhere later; files beside the store belong to the store itself.
    let path = path.map { StorePath.refusal(of: $0) == nil ? RealPath.of($0) : $0 }
    self.path = path
    self.models = models
    self.configuration = configuration
    var isStore = configuration.schema == .managed
    var failure: (any Error)?
    if models.isEmpty, !isStore, let path {
      do { isStore = try Self.isStore(path, configuration) } catch { failure = error }
    }
    self.isStore = isStore
    self.failure = failure
    features = StoreFeatures(path: path, isManaged: isStore, configuration)
    gate = WriteGate(isReadOnly: configuration.access == .readOnly)
  }

  /// STRICT tables came with 3.37: <https://www.sqlite.org/stricttables.html>.
  private static let oldestSQLite: Int32 = 3_037_000

  /// Returns the tables of the models and of all models related to them. Throws `.schemaMismatch` for an invalid
  /// relationship.
  private func makeTables() throws -> [TableDefinition] {
    try RelatedModels(models).all.map { model in
      func definition<M: Model>(_ model: M.Type) throws -> TableDefinition { try TableDefinition(model) }
      return try definition(model)
    }
  }

  // MARK: Opening

  /// Returns the writing connection, ready for use, and what all connections share.
  func open() throws -> (Connection, StoreEnvironment) {
    try checkVersion()
    try configuration.check()
    let tables = try makeTables()
    try check(tables)
    try checkFile()
    return try mapping {
      if let failure { throw failure }
      return switch (configuration.access, configuration.schema) {
      case (.readOnly, _): try openReadOnly(tables)
      case (.readWrite, .managed): try openManaged(tables)
      case (.readWrite, .existing): try openExisting(tables)
      }
    }
  }

  private func makeEnvironment(
    _ tables: [TableDefinition] = [], adopted: AdoptedColumns = AdoptedColumns(), isImmutable: Bool = false
  ) -> StoreEnvironment {
    StoreEnvironment(
      tables: tables, adopted: adopted, features: features, isManaged: isStore, gate: gate,
      isImmutable: isImmutable)
  }

  private func openManaged(_ tables: [TableDefinition]) throws -> (Connection, StoreEnvironment) {
    let environment = makeEnvironment(models.isEmpty ? try describedTables() : tables)
    let connection = try makeConnection(environment, .writer)
    let migrator = SchemaMigrator(connection, tables, configuration.migrations, log: configuration.log)
    var areValuesChecked = false
    if path != nil {
      try retrying {
        // A file that can't be migrated stays unchanged, so check it before enabling anything.
        if try connection.query("PRAGMA journal_mode").first?.first?.value == "wal" {
          _ = try migrator.pendingMigrations()
        } else {
          _ = try migrator.plan()
          areValuesChecked = try migrator.pendingMigrations().isEmpty
        }
      }
    }
    try prepareToCommit(connection)
    if try !migrator.isUpToDate() {
      let backup = BackupOnce(opening: self, environment: environment)
      do {
        try migrator.migrate(
          backUp: { try backup.make() }, before: path == nil ? nil : { try openReader(environment) },
          areValuesChecked: areValuesChecked)
      } catch {
        // The file is unchanged, and a copy for each attempt would only fill the disk.
        backup.remove()
        throw error
      }
    } else if !areValuesChecked {
      try StoredValueSample(connection, tables).check()
    }
    try migrator.warnOfUnclaimedTables()
    try prepareToWrite(connection)
    try features.forEach { try $0.upgrade(connection) }
    return (connection, environment)
  }

  private func openExisting(_ tables: [TableDefinition]) throws -> (Connection, StoreEnvironment) {
    if isStore {
      let environment = makeEnvironment(try describedTables())
      return (try openWriter(environment), environment)
    }
    let existing = ExistingSchema(try makeConnection(makeEnvironment(adopted: AdoptedColumns(tables)), .writer), tables)
    try existing.check()
    let environment = makeEnvironment(tables, adopted: try existing.adoptedColumns())
    return (try openWriter(environment), environment)
  }

  /// Opens a writing connection in place of one that can't be rolled back. The file is already migrated.
  func openWriter(_ environment: StoreEnvironment) throws -> Connection {
    if configuration.access == .readOnly { return try openReader(environment) }
    return try mapping {
      let connection = try makeConnection(environment, .writer)
      try prepareToCommit(connection)
      try prepareToWrite(connection)
      return connection
    }
  }

  /// Prepares a connection for its first commit.
  private func prepareToCommit(_ connection: Connection) throws {
    if path != nil, configuration.schema == .managed { try switchToWAL(connection) }
    try connection.change("PRAGMA synchronous = \(configuration.durability == .full ? "FULL" : "NORMAL")")
  }

  /// Prepares a connection to write, once the tables match the models.
  private func prepareToWrite(_ connection: Connection) throws {
    // Then INSERT OR REPLACE also removes the replaced row from the full-text index:
    // https://www.sqlite.org/lang_conflict.html.
    if configuration.schema == .managed {
      try connection.change("PRAGMA recursive_triggers = ON")
      connection.changesBeforeAnalysis = Connection.firstAnalysis
    }
    try features.forEach { try $0.didOpen(connection) }
    try checkWrites(connection)
    if path != nil {
      let mode =
        configuration.schema == .managed ? "wal" : try connection.query("PRAGMA journal_mode").first?.first?.value.text
      gate.watch(connection, readingLocks: mode != "wal")
    }
  }

  /// Checks that SQLite has opened the file for writing.
  ///
  /// If a file, its log or its shared memory can't be opened at some moment, SQLite opens it read-only, and every later
  /// write would fail.
  ///
  /// - Throws: ``StoreError`` `.inputOutput` if the connection is read-only although the file may be written.
  private func checkWrites(_ connection: Connection) throws {
    guard let path, access(path, W_OK) == 0,
      access(URL(fileURLWithPath: path).deletingLastPathComponent().path, W_OK) == 0
    else { return }
    let readsAlone = StoreError(
      .inputOutput,
      "The system let the store's file or its log be opened for reading alone, although they may be written. Open the store again."
    )
    connection.setBusyTimeout(0)
    do {
      try connection.change("BEGIN IMMEDIATE")
      // SQLite begins a read transaction if it can't write.
      guard connection.holdsWriteLock else { throw readsAlone }
    } catch let error as StoreError where error.code == .readOnly {
      throw readsAlone
    } catch let error as StoreError where error.code == .busy {
      // Another connection is writing. SQLite made this check before it tried the lock.
    }
    if !connection.isAutocommitting { try connection.change("ROLLBACK") }
    connection.setBusyTimeout(configuration.busyTimeout.milliseconds)
  }

  /// Opens a connection for a context: it writes to temporary tables, and to the file when the context is saved.
  func openContext(_ environment: StoreEnvironment) throws -> Connection {
    guard path != nil || memory != ":memory:" else {
      throw StoreError(
        .unsupported,
        "This SQLite was built without URIs, which a context of a store in memory needs. Open the store at a path.")
    }
    return try mapping {
      let connection = try makeConnection(environment, .context)
      if configuration.access == .readWrite {
        try connection.change("PRAGMA synchronous = \(configuration.durability == .full ? "FULL" : "NORMAL")")
      }
      try connection.change("PRAGMA recursive_triggers = ON")
      try features.forEach { try $0.didOpen(connection) }
      return connection
    }
  }

  /// Opens a read-only connection.
  func openReader(_ environment: StoreEnvironment) throws -> Connection {
    try mapping {
      let connection = try makeConnection(environment, .reader)
      try features.forEach { try $0.didOpen(connection) }
      return connection
    }
  }

  /// Opens a connection with everything that each connection of the store needs.
  ///
  /// - Parameter isReadOnly: Whether SQLite refuses to write; by default for readers, and if the store is opened
  ///   read-only.
  private func makeConnection(
    _ environment: StoreEnvironment, _ role: ConnectionRole, isReadOnly: Bool? = nil
  ) throws -> Connection {
    var settings = GRDB.Configuration()
    settings.label = "larder"
    settings.readonly = isReadOnly ?? (role == .reader || configuration.access == .readOnly)
    settings.busyMode = .timeout(Double(configuration.busyTimeout.milliseconds) / 1000)
    // Schemas of other programs may have texts in double quotes, which SQLite allows unless told otherwise.
    settings.acceptsDoubleQuotedStringLiterals = models.isEmpty && !isStore
    if role == .context {
      // Changing this pragma drops a connection's temporary tables, so set it before any are created.
      settings.prepareDatabase { try $0.execute(sql: "PRAGMA temp_store = MEMORY") }
    }
    if let onOpen = configuration.onOpen {
      // Before the schema is read, because it may name the program's own collations and functions.
      settings.prepareDatabase { database in
        if let handle = database.sqliteConnection { try OpenedConnection(role: role, handle: handle).prepare(onOpen) }
      }
    }
    let connection = try Connection(
      path: location(of: environment, role), configuration: settings, environment: environment)
    if path == nil { Self.removeSizeLimit(of: connection) }
    if let cacheSize = configuration.cacheSize {
      // A negative number is in kibibytes: https://www.sqlite.org/pragma.html#pragma_cache_size.
      try connection.change("PRAGMA main.cache_size = \(-max(1, cacheSize / 1024))")
    }
    if let mmapSize = configuration.mmapSize { try connection.change("PRAGMA main.mmap_size = \(mmapSize)") }
    if let trace = configuration.trace {
      let tracer = StatementTracer(
        role: role, showsValues: configuration.traceOptions.contains(.values),
        showsPlans: configuration.traceOptions.contains(.plans),
        authorizer: connection.authorizer, report: trace)
      connection.tracer = tracer
      tracer.start(on: connection.handle)
    }
    return connection
  }

  /// Returns the path or URI that SQLite opens.
  private func location(of environment: StoreEnvironment, _ role: ConnectionRole) -> String {
    guard let path else { return role == .reader ? ":memory:" : memory }
    return environment.isImmutable ? URL(fileURLWithPath: path).absoluteString + "?immutable=1" : path
  }

  /// Removes the limit of one gigabyte that SQLite sets for a shared database in memory.
  private static func removeSizeLimit(of connection: Connection) {
    var limit = Int64.max
    sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_SIZE_LIMIT, &limit)
  }

  /// Switches to WAL mode, in which readers and the writer run in parallel. SQLite doesn't wait for another process
  /// that is switching too.
  private func switchToWAL(_ connection: Connection) throws {
    try retrying {
      let mode = try connection.query("PRAGMA journal_mode = WAL").first?.first?.value
      guard mode == "wal" else {
        throw StoreError(
          .unsupported, "The file system does not support SQLite's write-ahead log. Keep the store on a local disk.")
      }
    }
  }

  /// Retries the closure while another process is in its way.
  private func retrying(_ body: () throws -> Void) throws {
    let deadline = ContinuousClock.now + configuration.busyTimeout
    while true {
      do {
        return try body()
      } catch let error as StoreError where error.code == .busy && ContinuousClock.now < deadline {
        // Opening is documented to block, and SQLite has no busy handler for a change of the journal mode.
        Thread.sleep(forTimeInterval: 0.005)
      }
    }
  }

  // MARK: Without models

  /// The models that the file describes, for a program that declares none.
  private func describedTables() throws -> [TableDefinition] {
    guard let path, FileManager.default.fileExists(atPath: path) else { return [] }
    let probe = try makeConnection(makeEnvironment(), .writer)
    defer { probe.close() }
    _ = try SchemaMigrator(probe, [], configuration.migrations, log: nil).pendingMigrations()
    return try TableDefinition.described(in: probe)
  }

  /// Returns whether Larder has made the file. That it is no database, or can't be opened, is found later.
  private static func isStore(_ path: String, _ configuration: Store.Configuration) throws -> Bool {
    guard FileManager.default.fileExists(atPath: path) else { return false }
    var settings = GRDB.Configuration()
    settings.readonly = true
    settings.busyMode = .timeout(Double(configuration.busyTimeout.milliseconds) / 1000)
    let sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
    _ = StatementJournal.staysInMemory
    do {
      return try DatabaseQueue(path: path, configuration: settings).read { file in
        try Bool.fetchOne(file, sql: sql, arguments: [Catalogue.modelsTable]) == true
      }
    } catch let error as DatabaseError where [.SQLITE_NOTADB, .SQLITE_CANTOPEN].contains(error.resultCode) {
      return false
    }
  }

  // MARK: Reading alone

  /// Opens a reading connection in place of the writing one. Nothing is created, changed or checkpointed.
  private func openReadOnly(_ tables: [TableDefinition]) throws -> (Connection, StoreEnvironment) {
    let place = try ReadOnlyFile(path)
    let adopted = configuration.schema == .existing ? AdoptedColumns(tables) : AdoptedColumns()
    // If the log's index can't be created in the folder, and the log is empty, the file is opened as immutable.
    let (probe, isImmutable) = try place.opening { isImmutable in
      try mapping { try makeConnection(makeEnvironment(adopted: adopted, isImmutable: isImmutable), .reader) }
    }
    let environment: StoreEnvironment
    if isStore {
      try SchemaMigrator(probe, tables, configuration.migrations, log: nil).checkIsReadable()
      environment = makeEnvironment(
        models.isEmpty ? try TableDefinition.described(in: probe) : tables, isImmutable: isImmutable)
    } else {
      let existing = ExistingSchema(probe, tables)
      try existing.check()
      environment = makeEnvironment(tables, adopted: try existing.adoptedColumns(), isImmutable: isImmutable)
    }
    let connection = try openReader(environment)
    let mode = try connection.query("PRAGMA journal_mode").first?.first?.value.text
    gate.watch(connection, readingLocks: mode != "wal" && !isImmutable)
    return (connection, environment)
  }

  // MARK: Planning

  func plan() throws -> MigrationPlan {
    try checkVersion()
    try configuration.check()
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

  /// Opens a connection that changes nothing and leaves no file behind.
  private func makePlanningConnection() throws -> Connection {
    guard let path, FileManager.default.fileExists(atPath: path) else {
      return try Connection(path: ":memory:", configuration: GRDB.Configuration(), environment: makeEnvironment())
    }
    // Only a connection that may write removes the log's files when it closes; an existing log must not be emptied.
    if FileManager.default.fileExists(atPath: path + "-wal") { return try openReader(makeEnvironment()) }
    let connection = try makeConnection(makeEnvironment(), .reader, isReadOnly: configuration.access == .readOnly)
    try connection.change("PRAGMA query_only = ON")
    return connection
  }

  // MARK: Checks

  private func checkVersion() throws {
    guard sqlite3_libversion_number() >= Self.oldestSQLite else {
      throw StoreError(
        .unsupported,
        "Larder needs SQLite 3.37 or newer, and this system has \(String(cString: sqlite3_libversion())). Update libsqlite3."
      )
    }
  }

  /// Checks that the path is that of a file, and that an existing file is adopted, never created.
  private func checkFile() throws {
    if let path, let refusal = StorePath.refusal(of: path) { throw refusal }
    guard configuration.schema == .existing, let path, !FileManager.default.fileExists(atPath: path) else { return }
    throw StoreError(
      .notFound,
      "There is no file \(URL(fileURLWithPath: path).lastPathComponent) to adopt. Check the path, or open it without schema: .existing."
    )
  }

  private func check(_ tables: [TableDefinition]) throws {
    var seen: [String: TableDefinition] = [:]
    for table in tables {
      guard !ReservedNames.isReserved(table: table.name) else {
        throw StoreError(
          .schemaMismatch, model: table.model,
          "The name \(table.name) is reserved for the database itself. Name the table of \(table.model) with @Model(\"…\")."
        )
      }
      if let other = seen.updateValue(table, forKey: table.name.asciiLowercased) {
        throw StoreError(
          .schemaMismatch, model: table.model,
          "\(other.model) and \(table.model) are both kept in a table called \(table.name). Name one of them with @Model(\"…\")."
        )
      }
      guard !table.keyColumns.isEmpty else {
        throw StoreError(
          .schemaMismatch, model: table.model,
          "\(table.model) has no key. Add `var id: UUID = .v7()`, or mark a property with @Attribute(.primaryKey).")
      }
      var columns = Set(table.hiddenColumns.map(\.asciiLowercased))
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

  /// Returns a more exact error for "cannot open", whose cause only the file system knows.
  private func refined(_ error: StoreError) -> StoreError {
    guard error.code == .readOnly, let path else { return error }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    var isFolder: ObjCBool = false
    if !FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder) {
      return StoreError(
        .notFound, "The folder \(folder.path) for the store does not exist. Create it before the store is opened.")
    }
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
      return StoreError(.notAStore, "The store's path is a folder. Give the path of a file in it.")
    }
    return existingRefusal ?? error
  }

  /// The error for `.existing` and a file in WAL mode in a folder that can't be written: reading it needs another file
  /// beside it.
  private var existingRefusal: StoreError? {
    // The header has the format version that a reader must support:
    // https://www.sqlite.org/fileformat2.html#file_format_version_numbers.
    guard configuration.schema == .existing, let path,
      let header = try? FileHandle(forReadingAtPath: path)?.read(upToCount: 20),
      header.count == 20, header[19] == 2
    else { return nil }
    return StoreError(
      .readOnly,
      "The file has a write-ahead log, which SQLite can read only if it may write into the folder. Copy the file, together with its -wal if there is one, to a folder that may be written, or have its owner execute PRAGMA journal_mode = DELETE in it."
    )
  }
}

/// Copies the file beside itself, once, before a migration destroys data.
private final class BackupOnce {
  private let opening: StoreOpening
  private let environment: StoreEnvironment
  private var isDone = false
  private var copy: String?

  init(opening: StoreOpening, environment: StoreEnvironment) {
    self.opening = opening
    self.environment = environment
  }

  /// Makes the copy through its own connection, which sees the file as it was before the transaction.
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

  /// Removes the copy, if one was made.
  func remove() {
    guard let copy else { return }
    try? FileManager.default.removeItem(atPath: copy)
    environment.features.forEach { $0.removeBackup(at: copy) }
  }
}
