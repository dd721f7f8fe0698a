/// Data that nothing refers to, and since when it has waited to be deleted.
///
/// The time is recorded by the collector, because only it looks for such data. The table is created when the first data
/// waits.
struct AttachmentWaiting {
  private static let name = "\(ReservedNames.prefix)attachment_waiting"
  /// The version of data that the file has no row for.
  private static let unregistered: Int64 = -1

  /// The current time, and the time before which data must have been waiting to be deleted.
  let now: Double
  let limit: Double
  private let connection: Connection

  /// Returns nil if data doesn't wait.
  init?(_ storage: AttachmentStorage, _ connection: Connection) {
    guard storage.retention > 0 else { return nil }
    now = storage.now
    limit = now - storage.retention
    self.connection = connection
  }

  private func exists() throws -> Bool {
    try !connection.query("SELECT 1 FROM main.sqlite_master WHERE name = ?1 AND type = 'table'", [.text(Self.name)])
      .isEmpty
  }

  /// Begins the time of data for which none is recorded. The connection has no open transaction.
  ///
  /// A time in the future is one that a wrong clock recorded, and begins anew.
  func begin(_ digests: [(digest: String, version: Int64)]) throws {
    guard !digests.isEmpty else { return }
    try connection.transaction {
      try connection.change(
        """
        CREATE TABLE IF NOT EXISTS main.\(Self.name) \
        (digest TEXT PRIMARY KEY NOT NULL, version INTEGER NOT NULL, since REAL NOT NULL) STRICT, WITHOUT ROWID
        """)
      if try AttachmentTable.exists(connection) {
        // What is used again no longer waits.
        try connection.change(
          "DELETE FROM main.\(Self.name) WHERE digest IN (SELECT digest FROM main.\(AttachmentTable.name) WHERE uses > 0)"
        )
      }
      for (digest, version) in digests {
        try connection.change(
          "INSERT OR REPLACE INTO main.\(Self.name) (digest, version, since) VALUES (?1, ?2, ?3)",
          [.text(digest), .integer(version), .real(now)])
      }
    }
  }

  // MARK: Data with a row

  /// Returns data without references whose time has not begun.
  ///
  /// - Parameter condition: The condition for a row that nothing refers to.
  func new(where condition: String, limit count: Int) throws -> [AttachmentTable.Unused] {
    let isWaiting =
      try exists()
      ? """
      EXISTS (SELECT 1 FROM main.\(Self.name) AS w WHERE w.digest = \(AttachmentTable.name).digest \
      AND w.version = \(AttachmentTable.name).version AND w.since <= ?2)
      """ : "?2 IS NULL"
    return try AttachmentTable.unused(
      where: "\(condition) AND NOT (\(isWaiting))", [.integer(Int64(count)), .real(now)], connection)
  }

  /// Returns data without references whose time is over.
  func over(where condition: String, limit count: Int) throws -> [AttachmentTable.Unused] {
    guard try exists() else { return [] }
    let isOver = """
      digest IN (SELECT w.digest FROM main.\(Self.name) AS w WHERE w.since <= ?2 \
      AND w.version = \(AttachmentTable.name).version)
      """
    return try AttachmentTable.unused(
      where: "\(condition) AND \(isOver)", [.integer(Int64(count)), .real(limit)], connection)
  }

  // MARK: Files without a row

  /// How long a file without a row has been waiting.
  enum Age {
    case new, waiting, over
  }

  /// Returns the age of a file without a row.
  func age(of digest: String) throws -> Age {
    guard try exists(),
      let since = try connection.query(
        "SELECT since FROM main.\(Self.name) WHERE digest = ?1 AND version = ?2",
        [.text(digest), .integer(Self.unregistered)]
      ).first?["since"]?.real, since <= now
    else { return .new }
    return since <= limit ? .over : .waiting
  }

  /// Begins the time of files without a row.
  func begin(unregistered digests: [String]) throws {
    try begin(digests.map { ($0, Self.unregistered) })
  }

  // MARK: Forgetting

  /// Removes the times of deleted data.
  static func forget(_ digests: [String], _ connection: Connection) throws {
    guard
      try !connection.query("SELECT 1 FROM main.sqlite_master WHERE name = ?1 AND type = 'table'", [.text(name)])
        .isEmpty
    else { return }
    for digest in digests {
      try connection.change("DELETE FROM main.\(name) WHERE digest = ?1", [.text(digest)])
    }
  }

  /// Removes all times, which mean nothing in a backup.
  static func drop(_ connection: Connection) throws {
    try connection.change("DROP TABLE IF EXISTS main.\(name)")
  }
}
