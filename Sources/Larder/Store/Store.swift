import Foundation
internal import GRDB
import GRDBSQLite

/// A file that keeps values of `@Model` structs.
///
/// ```swift
/// let store = try Store(at: "notes.larder", for: Note.self)
/// try await store.save(Note(title: "Milk"))
/// let notes = try await store.fetch(Note.where { $0.title.contains("Mi") })
/// ```
///
/// A store may be used from any task and thread. Reads run side by side and never wait for a write; writes happen one after another.
/// Several processes may have the same file open. The file is an ordinary SQLite database in WAL mode.
public final class Store: Sendable {
  let writer: Writer
  let readers: ReaderPool?
  let live: LiveRegistry
  let configuration: Configuration
  /// The file's path, or nil for a store in memory.
  public let path: String?
  let opening: StoreOpening
  let environment: StoreEnvironment
  let sweeper: Sweeper
  let attachmentCollector: AttachmentCollector
  private let openReader: @Sendable () throws -> Connection
  let lifetime = StoreLifetime()

  /// Opens the file, creates it where there is none, and brings its tables in step with the models.
  ///
  /// - Parameters:
  ///   - location: The file's path, as `String`, `URL` or `FilePath`. Its folder must exist.
  ///   - models: The models that the file keeps.
  ///   - configuration: How the store is opened.
  /// - Throws: ``StoreError`` `.schemaMismatch` where a model and its table cannot be brought together, `.newerFile`, `.notAStore`, `.corrupt`,
  ///   `.readOnly`, `.busy`, `.migrationFailed`. The file is then as it was before.
  public convenience init(
    at location: some StoreLocation, for models: any Model.Type..., configuration: Configuration = Configuration()
  ) throws {
    try self.init(path: location.storePath, models: models, configuration: configuration)
  }

  /// Opens the file with the tables that it has or is to have.
  ///
  /// - Parameters:
  ///   - location: The file's path, as `String`, `URL` or `FilePath`.
  ///   - models: The models whose tables the program uses.
  ///   - schema: `.existing` adopts any SQLite file and creates and alters nothing.
  /// - Throws: ``StoreError`` `.notFound` where `.existing` finds no file, `.schemaMismatch` where a table or column of a model is missing;
  ///   otherwise as ``init(at:for:configuration:)-(StoreLocation,Model.Type...,Configuration)``.
  public convenience init(at location: some StoreLocation, for models: any Model.Type..., schema: Configuration.SchemaMode) throws {
    try self.init(path: location.storePath, models: models, configuration: Configuration(schema: schema))
  }

  /// Opens the file for a list of models that is known only when the program runs.
  ///
  /// - Throws: ``StoreError``, as the initialiser with the models one by one.
  public convenience init(at location: some StoreLocation, for models: [any Model.Type], configuration: Configuration = Configuration()) throws {
    try self.init(path: location.storePath, models: models, configuration: configuration)
  }

  /// Makes a store that lives as long as the value, for tests and previews. Its verbs run one after another on one connection.
  ///
  /// - Throws: ``StoreError`` `.schemaMismatch` where two models share a table or one has no key, `.migrationFailed`.
  public convenience init(inMemoryFor models: any Model.Type..., configuration: Configuration = Configuration()) throws {
    try self.init(path: nil, models: models, configuration: configuration)
  }

  init(path: String?, models: [any Model.Type], configuration: Configuration) throws {
    let opening = StoreOpening(path: path, models: models, configuration: configuration)
    let (connection, environment) = try opening.open()
    let isReadOnly = configuration.access == .readOnly
    let hasDocuments = try !connection.documents.names(connection).isEmpty
    let hasAttachments = try AttachmentTable.exists(connection)
    // From here on the connection is the writer's: the sweeper and the collector may be at work before this has returned.
    let live = LiveRegistry()
    self.path = path
    self.live = live
    self.configuration = configuration
    self.opening = opening
    self.environment = environment
    let hasLog = try connection.hasWriteAheadLog()
    writer = Writer(
      connection: connection,
      settings: Writer.Settings(
        busyTimeout: configuration.busyTimeout, waitLimit: configuration.waitLimit,
        // With a rollback journal each commit waits for the disk, and so it does where it is to survive a power cut.
        runsInline: configuration.durability == .normal && (hasLog || path == nil), hasLog: hasLog && !isReadOnly, log: configuration.log),
      observers: live, reopen: { try opening.openWriter(environment) })
    openReader = { try opening.openReader(environment) }
    readers = path == nil ? nil : ReaderPool(limit: configuration.readers, waitLimit: configuration.waitLimit, open: openReader)
    sweeper = Sweeper(writer, environment.clock, live, isNeeded: !isReadOnly && (hasDocuments || environment.tables.contains(where: \.expires)))
    let attachments = environment.attachments
    attachmentCollector = AttachmentCollector(
      writer, attachments, isInMemory: path == nil, isNeeded: !isReadOnly && attachments.isManaged && (hasAttachments || attachments.folder.exists))
    if isReadOnly {
      sweeper.stop()
      attachmentCollector.stop()
    }
    live.attach(writer: writer, isShared: path != nil)
  }

  deinit {
    // SQLite clears the write-ahead log away only if the last connection that it closes is one that may write.
    readers?.closeIdle()
  }

  /// The same verbs without `await`, for synchronous code.
  public var blocking: BlockingStore { BlockingStore(store: self) }

  // MARK: Connections

  func withReader<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    guard let readers else { return try writer.withReadingConnection(body) }
    return try readers.withConnection(body)
  }

  func withWriter<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try writer.withConnection(body)
  }

  /// A connection that nobody else waits for: long reads of unknown duration must not hold one of the pool's.
  func withBackupConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    if path == nil { return try writer.withConnection(body) }
    return try lifetime.working {
      let connection = try openReader()
      defer { connection.close() }
      return try body(connection)
    }
  }

  /// A connection of its own, for a stream or a backup, which belong to ``lifetime``.
  func makeReader() throws -> Connection {
    try openReader()
  }

  func reading<Result: Sendable>(_ body: @escaping @Sendable (Connection) throws -> Result) async throws -> Result {
    do {
      guard let readers else { return try await writer.perform(body) }
      return try await readers.perform(body)
    } catch is WriteNeeded {
      return try await writer.perform(body)
    }
  }
}
