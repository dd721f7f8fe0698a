public import Foundation
public import Logging

extension Store {
  /// The options with which a store is opened.
  public struct Configuration: Sendable {
    /// The failures that a committed write survives.
    public enum Durability: Sendable, Hashable {
      /// The end of the process, including a crash (`synchronous=NORMAL`). A power failure can lose the last commits,
      /// but doesn't damage the file.
      case normal
      /// A power failure as well (`synchronous=FULL`). Each commit waits for the disk.
      case full
    }

    /// Whether Larder manages the schema of the file.
    public enum SchemaMode: Sendable, Hashable {
      /// Larder creates the models' tables and migrates them when a model changes.
      case managed
      /// The tables already exist. Nothing is created or altered, and the file keeps its journal mode.
      ///
      /// Each opening scans the declared columns of each table once, to find the forms of their values. See
      /// <doc:ExistingDatabases> for what that costs.
      case existing
    }

    /// Whether a store may write to its file.
    public enum Access: Sendable, Hashable {
      /// Read and write. The file is created if there is none.
      case readWrite
      /// Only read. The file must exist and match the models. Nothing in it is created, changed, migrated, collected or
      /// checkpointed.
      case readOnly
    }

    /// Optional, more expensive parts of a ``TraceEvent``.
    public struct TraceOptions: OptionSet, Sendable, Hashable {
      public let rawValue: Int

      public init(rawValue: Int) {
        self.rawValue = rawValue
      }

      /// Sets ``TraceEvent/expandedSQL``: the SQL with the bound values, which may be confidential.
      public static let values = TraceOptions(rawValue: 1 << 0)
      /// Sets ``TraceEvent/plan``: how SQLite finds the rows. It executes one more statement for each traced statement.
      public static let plans = TraceOptions(rawValue: 1 << 1)
    }

    /// The failures that a committed write survives; `.normal` by default.
    public var durability: Durability
    /// The number of reads that can run at the same time; 4 by default. In-memory stores read and write one after
    /// another.
    public var readers: Int
    /// How long a call waits for another process to release the file before it throws `.busy`; 5 seconds by default.
    public var busyTimeout: Duration
    /// How long a call waits for the writer, or for a reading connection, before it throws `.busy`; nil, the default,
    /// means without limit.
    public var waitLimit: Duration?
    /// The named migrations, oldest first.
    public var migrations: [Migration]
    /// Whether Larder manages the schema of the file; `.managed` by default.
    public var schema: SchemaMode
    /// Receives what the store did when it opened, and failures of its background work; nil by default. Without it, only
    /// the warning of a table that a renamed struct may have left behind is logged, as `larder` by swift-log. Stored
    /// values are never logged.
    public var log: Logger?
    /// The clock that decides whether rows have expired; the system's clock by default. Tests inject their own.
    public var now: @Sendable () -> Date
    /// How long the data of an attachment stays after its last reference was removed; a day by default.
    ///
    /// An older copy of the store's file doesn't know newer attachments: for this time they are still there when the
    /// newer file is put back. With zero, data is deleted as soon as nothing refers to it.
    public var attachmentRetention: Duration
    /// Seconds of real time, independent of changes to the system's clock.
    var elapsed: @Sendable () -> Double = RealTime.seconds
    /// Whether the store may write to its file; `.readWrite` by default.
    public var access: Access
    /// The largest number of bytes of pages that each connection caches; if nil, SQLite's default of about 2 MB.
    public var cacheSize: Int?
    /// The largest number of bytes of the file that each connection maps into memory; if nil, SQLite's default, which
    /// is usually 0.
    public var mmapSize: Int?
    /// Called after each statement that a connection has executed; nil by default, which costs nothing.
    ///
    /// It is called on the thread that executed the statement, during the call. Return quickly, and don't use the store
    /// in it.
    public var trace: (@Sendable (TraceEvent) -> Void)?
    /// What ``trace`` receives beyond the basic facts; nothing by default. Bound values are only included if `.values`
    /// is set.
    public var traceOptions: TraceOptions
    /// What other modules of the package do for the store; nothing by default.
    package var modules: [any ModuleFeature.Type] = []
    /// Called with each SQLite connection before the store uses it, to add SQL functions, collations, extensions and
    /// pragmas.
    ///
    /// An error that it throws is rethrown by the call that opened the connection.
    public var onOpen: (@Sendable (OpenedConnection) throws -> Void)?

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - durability: The failures that a committed write survives.
    ///   - readers: The number of reads that can run at the same time.
    ///   - busyTimeout: How long a call waits for another process to release the file before it throws `.busy`.
    ///   - waitLimit: How long a call waits for the writer, or for a reading connection, before it throws `.busy`; nil
    ///     for no limit.
    ///   - migrations: The named migrations, oldest first.
    ///   - schema: Whether Larder manages the schema of the file.
    ///   - log: Receives what the store did when it opened, and failures of its background work.
    ///   - now: The clock that decides whether rows have expired.
    ///   - attachmentRetention: How long the data of an attachment stays after its last reference was removed.
    ///   - access: Whether the store may write to its file.
    ///   - cacheSize: The largest number of bytes of pages that each connection caches; nil for SQLite's default.
    ///   - mmapSize: The largest number of bytes of the file that each connection maps into memory; nil for SQLite's
    ///     default.
    ///   - trace: Called after each statement that a connection has executed.
    ///   - traceOptions: What `trace` receives beyond the basic facts.
    ///   - onOpen: Called with each SQLite connection before the store uses it.
    public init(
      durability: Durability = .normal, readers: Int = 4, busyTimeout: Duration = .seconds(5),
      waitLimit: Duration? = nil,
      migrations: [Migration] = [], schema: SchemaMode = .managed, log: Logger? = nil,
      now: @escaping @Sendable () -> Date = { Date() }, attachmentRetention: Duration = .seconds(24 * 60 * 60),
      access: Access = .readWrite, cacheSize: Int? = nil, mmapSize: Int? = nil,
      trace: (@Sendable (TraceEvent) -> Void)? = nil,
      traceOptions: TraceOptions = [], onOpen: (@Sendable (OpenedConnection) throws -> Void)? = nil
    ) {
      self.durability = durability
      self.readers = readers
      self.busyTimeout = busyTimeout
      self.waitLimit = waitLimit
      self.migrations = migrations
      self.schema = schema
      self.log = log
      self.now = now
      self.attachmentRetention = attachmentRetention
      self.access = access
      self.cacheSize = cacheSize
      self.mmapSize = mmapSize
      self.trace = trace
      self.traceOptions = traceOptions
      self.onOpen = onOpen
    }
  }
}
