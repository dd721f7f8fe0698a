/// What a connection of a store is for.
public enum ConnectionRole: String, Sendable, Hashable {
  /// It reads: for the verbs that read, for streams, backups, checks and plans.
  case reader
  /// It writes, and nobody else of the store does.
  case writer
  /// It belongs to a ``Context``.
  case context
}

/// One statement that a connection executed, as ``Store/Configuration/trace`` is told of it.
///
/// Statements of Larder's own are told as well: those that begin and end transactions, and those by which SQLite keeps a full-text index.
public struct TraceEvent: Sendable, Hashable {
  /// The SQL, with parameters in the place of the values that were bound.
  public let sql: String
  /// The SQL with the values in the place of its parameters; nil unless ``Store/Configuration/TraceOptions/values`` asks for it.
  public let expandedSQL: String?
  /// The steps of the plan, indented, in SQLite's words; nil unless ``Store/Configuration/TraceOptions/plans`` asks for them.
  public let plan: [String]?
  /// The time from the first step to the last. Where the rows are read one by one, the time between them counts.
  public let duration: Duration
  /// How many rows the statement returned.
  public let returnedRows: Int
  /// How many rows it inserted, updated and deleted, by triggers and delete rules too.
  public let changedRows: Int
  /// Whether the statement may write to the file.
  public let isWrite: Bool
  /// What the connection is for.
  public let role: ConnectionRole
}

extension TraceEvent: CustomStringConvertible {
  /// The SQL and the facts, without a value that was bound.
  public var description: String {
    "\(role.rawValue) \(duration) returned \(returnedRows) changed \(changedRows): \(sql)"
  }
}
