/// The purpose of a store's connection.
public enum ConnectionRole: String, Sendable, Hashable {
  /// Reads: for queries, streams, backups, checks and query plans.
  case reader
  /// Writes. A store has one such connection.
  case writer
  /// Belongs to a ``Context``.
  case context
}

/// A statement that a connection has executed, as passed to ``Store/Configuration/trace``.
///
/// Larder's own statements are included: those that begin and end transactions, and those with which SQLite maintains a
/// full-text index.
public struct TraceEvent: Sendable, Hashable {
  /// The SQL, with parameters in place of the bound values.
  public let sql: String
  /// The SQL with the bound values in place of its parameters; nil unless ``Store/Configuration/TraceOptions/values``
  /// is set.
  public let expandedSQL: String?
  /// The steps of the query plan, indented, in SQLite's words; nil unless ``Store/Configuration/TraceOptions/plans`` is
  /// set.
  public let plan: [String]?
  /// The time from the first step to the last, including the time between steps if the rows are read one by one.
  public let duration: Duration
  /// The number of rows that the statement returned.
  public let returnedRows: Int
  /// The number of rows that the statement inserted, updated and deleted, including by triggers and delete rules.
  public let changedRows: Int
  /// Whether the statement may write to the file.
  public let isWrite: Bool
  /// The purpose of the connection.
  public let role: ConnectionRole
}

extension TraceEvent: CustomStringConvertible {
  /// The SQL and the facts, without any bound value.
  public var description: String {
    "\(role.rawValue) \(duration) returned \(returnedRows) changed \(changedRows): \(sql)"
  }
}
