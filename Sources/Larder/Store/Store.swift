import Foundation
internal import GRDB
import GRDBSQLite

/// A SQLite file that stores values of `@Model` structs.
///
/// ```swift
/// let store = try Store(at: "notes.larder", for: Note.self)
/// try await store.save(Note(title: "Milk"))
/// let notes = try await store.fetch(Note.where { $0.title.contains("Mi") })
/// ```
///
/// A store can be used from any task and thread. Reads run in parallel and never wait for a write; writes run one after
/// another. Several processes can open the same file. The file is an ordinary SQLite database in WAL mode.
public final class Store: Sendable {
  let writer: Writer
  let readers: ReaderPool?
  let configuration: Configuration
  /// The file's path, or nil for a store in memory.
  public let path: String?
  let opening: StoreOpening
  let environment: StoreEnvironment
  let services: StoreServices
  private let openReader: @Sendable () throws -> Connection
  let lifetime = StoreLifetime()

  /// Opens the file, creates it if there is none, and migrates its tables to the models.
  ///
  /// - Parameters:
  ///   - location: The file's path, as `String`, `URL` or `FilePath`. Its folder must exist.
  ///   - models: The models whose rows the file stores.
  ///   - configuration: The options of the store.
  /// - Throws: ``StoreError`` `.schemaMismatch` if a table can't be migrated to its model; `.unsupported` for a path
  ///   that no file can have, such as `:memory:` or an empty one; `.newerFile`, `.notAStore`, `.corrupt`, `.readOnly`,
  ///   `.busy`, `.migrationFailed`. After an error the file is unchanged.
  public convenience init(
    at location: some StoreLocation, for models: any Model.Type..., configuration: Configuration = Configuration()
  ) throws {
    try self.init(path: location.storePath, models: models, configuration: configuration)
  }

  /// Opens the file with Larder's own tables or with the tables that it already has.
  ///
  /// - Parameters:
  ///   - location: The file's path, as `String`, `URL` or `FilePath`.
  ///   - models: The models whose tables the program uses.
  ///   - schema: With `.existing`, any SQLite file can be opened, and no table is created or altered.
  /// - Throws: ``StoreError`` `.notFound` if `.existing` finds no file, `.schemaMismatch` if a table or column of a
  ///   model is missing; otherwise the errors of
  ///   ``init(at:for:configuration:)-(_,Model....,_)``.
  public convenience init(
    at location: some StoreLocation, for models: any Model.Type..., schema: Configuration.SchemaMode
  ) throws {
    try self.init(path: location.storePath, models: models, configuration: Configuration(schema: schema))
  }

  /// Opens the file for a list of models that is only known at run time.
  ///
  /// - Parameters:
  ///   - location: The file's path, as `String`, `URL` or `FilePath`. Its folder must exist.
  ///   - models: The models whose rows the file stores.
  ///   - configuration: The options of the store.
  /// - Throws: The errors of ``init(at:for:configuration:)-(_,Model....,_)``.
  public convenience init(
    at location: some StoreLocation, for models: [any Model.Type], configuration: Configuration = Configuration()
  ) throws {
    try self.init(path: location.storePath, models: models, configuration: configuration)
  }

  /// Creates a store in memory, for tests and previews. It is discarded when the value is released.
  ///
  /// Its reads and writes run one after another on one connection.
  ///
  /// - Parameters:
  ///   - models: The models whose rows the store holds.
  ///   - configuration: The options of the store.
  /// - Throws: ``StoreError`` `.schemaMismatch` if two models share a table or a model has no key; `.migrationFailed`.
  public convenience init(inMemoryFor models: any Model.Type..., configuration: Configuration = Configuration()) throws
  {
    try self.init(path: nil, models: models, configuration: configuration)
  }

  init(path: String?, models: [any Model.Type], configuration: Configuration) throws {
    let opening = StoreOpening(path: path, models: models, configuration: configuration)
    let (connection, environment) = try opening.open()
    let isReadOnly = configuration.access == .readOnly
    // Read for a store that doesn't write, too: damage is found when it opens.
    let features = try environment.features.all(as: (any StoreFeature).self).map { feature in
      let hasWork = try feature.hasWork(connection)
      return (feature: feature, hasWork: hasWork && !isReadOnly)
    }
    self.path = opening.path
    self.configuration = configuration
    self.opening = opening
    self.environment = environment
    let hasLog = try connection.hasWriteAheadLog()
    writer = Writer(
      connection: connection,
      settings: Writer.Settings(
        busyTimeout: configuration.busyTimeout, waitLimit: configuration.waitLimit,
        // With a rollback journal each commit waits for the disk, as it does with `.full` durability.
        runsInline: configuration.durability == .normal && (hasLog || path == nil), hasLog: hasLog && !isReadOnly,
        log: configuration.log),
      features: environment.features, reopen: { try opening.openWriter(environment) })
    openReader = { try opening.openReader(environment) }
    readers =
      path == nil ? nil : ReaderPool(limit: configuration.readers, waitLimit: configuration.waitLimit, open: openReader)
    // From here on the writer owns the connection: services may use it before this initializer returns.
    services = StoreServices(features.compactMap { [writer] in $0.feature.start(writer, hasWork: $0.hasWork) })
    if isReadOnly { services.stop() }
  }

  deinit {
    // SQLite removes the write-ahead log only if the last connection that it closes may write.
    readers?.closeIdle()
  }

  /// The same methods without `await`, for synchronous code.
  public var blocking: BlockingStore { BlockingStore(store: self) }

  // MARK: Connections

  @inline(__always)
  func withReader<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    guard let readers else { return try writer.withReadingConnection(body) }
    return try readers.withConnection(body)
  }

  func withWriter<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try writer.withConnection(body)
  }

  /// Calls the closure with a connection of its own: a long read must not occupy one of the pool's.
  func withBackupConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    if path == nil { return try writer.withConnection(body) }
    return try lifetime.working {
      let connection = try openReader()
      defer { connection.close() }
      return try body(connection)
    }
  }

  /// Opens a connection for a stream or a backup, which register it with ``lifetime``.
  func makeReader() throws -> Connection {
    try openReader()
  }

  /// - Parameter isBrief: Whether the closure is expected to take less than a change of threads.
  func reading<Result: Sendable>(
    isBrief: Bool = false, _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    do {
      guard let readers else { return try await writer.perform(body) }
      return isBrief ? try await readers.performBriefly(body) : try await readers.perform(body)
    } catch is WriteNeeded {
      return try await writer.perform(body)
    }
  }
}
