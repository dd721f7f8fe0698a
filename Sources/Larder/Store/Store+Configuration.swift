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

    /// A configuration; what is left out has its default.
    public init(
      durability: Durability = .normal, readers: Int = 4, busyTimeout: Duration = .seconds(5), waitLimit: Duration? = nil,
      migrations: [Migration] = [], schema: SchemaMode = .managed, log: Logger? = nil, now: @escaping @Sendable () -> Date = { Date() }
    ) {
      self.durability = durability
      self.readers = readers
      self.busyTimeout = busyTimeout
      self.waitLimit = waitLimit
      self.migrations = migrations
      self.schema = schema
      self.log = log
      self.now = now
    }
  }
}
