public import Foundation
public import Logging

extension Store {
  /// How a store is opened.
  public struct Configuration: Sendable {
    /// What an acknowledged write survives.
    public enum Durability: Sendable, Hashable {
      /// The end of the process, also by a crash (`synchronous=NORMAL`). After a power cut the last commits may be missing; the file is whole.
      case normal
      /// A power cut as well (`synchronous=FULL`): each commit waits for the disk.
      case full
    }

    /// Where the tables come from.
    public enum SchemaMode: Sendable, Hashable {
      /// Larder creates the models' tables and keeps them in step with the models.
      case managed
      /// The tables are there already: nothing is created or altered, and the file's journal mode is kept.
      case existing
    }

    /// What a store may do with its file.
    public enum Access: Sendable, Hashable {
      /// Read and write; the file is created if there is none.
      case readWrite
      /// Read: the file must be there and fit the models. Nothing in it is created, changed, migrated, collected or checkpointed.
      case readOnly
    }

    /// What a ``TraceEvent`` tells beyond its plain facts.
    public struct TraceOptions: OptionSet, Sendable, Hashable {
      public let rawValue: Int

      public init(rawValue: Int) {
        self.rawValue = rawValue
      }

      /// ``TraceEvent/expandedSQL``: the SQL with the values that were bound, which may be anybody's secrets.
      public static let values = TraceOptions(rawValue: 1 << 0)
      /// ``TraceEvent/plan``: how SQLite finds the rows. It costs one more statement for each that is traced.
      public static let plans = TraceOptions(rawValue: 1 << 1)
    }

    /// What an acknowledged write survives; `.normal` by default.
    public var durability: Durability
    /// How many reads run at the same time; 4 by default. In-memory stores read and write one after another.
    public var readers: Int
    /// How long a call waits for another process to give the file free before it throws `.busy`; 5 seconds by default.
    public var busyTimeout: Duration
    /// How long a call stands in line at most, for the writer or for a connection that reads, before it throws `.busy`; nil, the default, for as long as
    /// those in front take.
    public var waitLimit: Duration?
    /// The named migrations, oldest first.
    public var migrations: [Migration]
    /// Where the tables come from; `.managed` by default.
    public var schema: SchemaMode
    /// Where the store reports what it did on opening and what it could not do in the background; silent by default. No stored value is ever logged.
    public var log: Logger?
    /// The time by which rows expire; the system's clock by default. Tests inject their own.
    public var now: @Sendable () -> Date
    /// Seconds that have really gone by, whatever the clock says.
    var elapsed: @Sendable () -> Double = ExpiryClock.realTime
    /// What the store may do with its file; `.readWrite` by default.
    public var access: Access
    /// How many bytes of pages each connection keeps in memory at most; SQLite's default, about 2 MB, if nil.
    public var cacheSize: Int?
    /// How many bytes of the file each connection maps into memory at most; SQLite's default, usually none, if nil.
    public var mmapSize: Int?
    /// Called after each statement that a connection has executed; nil, which costs nothing, by default.
    ///
    /// It is called on the thread that executed the statement, in the middle of the call that did: return soon, and do not use the store in it.
    public var trace: (@Sendable (TraceEvent) -> Void)?
    /// What ``trace`` is told beyond the plain facts; nothing by default. No value is told unless this says so.
    public var traceOptions: TraceOptions
    /// Called with each SQLite connection before the store uses it: for SQL functions, collations, extensions and pragmas of your own.
    ///
    /// What it throws is thrown by the call that opened the connection.
    public var onOpen: (@Sendable (OpenedConnection) throws -> Void)?

    /// A configuration; what is left out has its default.
    public init(
      durability: Durability = .normal, readers: Int = 4, busyTimeout: Duration = .seconds(5), waitLimit: Duration? = nil,
      migrations: [Migration] = [], schema: SchemaMode = .managed, log: Logger? = nil, now: @escaping @Sendable () -> Date = { Date() },
      access: Access = .readWrite, cacheSize: Int? = nil, mmapSize: Int? = nil, trace: (@Sendable (TraceEvent) -> Void)? = nil,
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
      self.access = access
      self.cacheSize = cacheSize
      self.mmapSize = mmapSize
      self.trace = trace
      self.traceOptions = traceOptions
      self.onOpen = onOpen
    }
  }
}
