import Larder

/// Up to where this file has the changes of others, and others have those of this file.
extension ReplicaFile {
  /// The most ranges of a replica that are remembered beyond a gap.
  private static let mostRanges = 1000

  /// Refuses changes of a sender that has forgotten deletions since this file has heard of it: rows that were deleted there
  /// would stay here.
  ///
  /// A file that takes all changes of a sender needs none of the deletions that were forgotten when it began.
  ///
  /// - Throws: `StoreError` `.notFound`.
  func checkDeletions(_ header: BatchHeader) throws {
    let progress = try progress(of: header.sender)
    guard progress.received > 0, header.since.position <= progress.received, progress.received < header.forgotten,
      progress.begunAfter < header.forgotten
    else { return }
    throw StoreError(
      .notFound, ofModel: nil,
      "The sender has forgotten deletions of which this replica hasn't heard, so rows that were deleted there would stay here. Call exchange(with:): it starts afresh, and keeps what was not sent. setRetention(_:) keeps deletions for longer."
    )
  }

  /// Returns up to where the sender of all changes has had the changes of this file, if this file begins with it and deletions
  /// were forgotten there since: rows of this file may be among them. Nil otherwise, and if the rows were offered already.
  ///
  /// - Parameter knowledge: What the sender says to know.
  func positionOfOffer(_ header: BatchHeader, _ knowledge: [Knowledge]) throws -> Int64? {
    guard header.since.position == 0, header.forgotten > 0 else { return nil }
    let progress = try progress(of: header.sender)
    let extent = try knowledge.extent(of: header.sender, over: own(), at: header.forgotten)
    guard progress.received == 0, progress.begunAfter < header.forgotten, extent > 0 else { return nil }
    return try min(extent, clock().now)
  }

  /// Records that the rows of this file were offered to a sender that has forgotten deletions, so that it has them offered
  /// once more only after it has forgotten others.
  func recordOffer(_ header: BatchHeader) throws {
    try connection.run(
      "UPDATE \(SyncTables.replicas) SET begun_after = max(begun_after, ?2) WHERE id = ?1",
      [.integer(try id(of: header.sender)), .integer(header.forgotten)])
  }

  /// Whether a batch is from before this file began to take all changes of its sender, which has forgotten deletions until
  /// then: rows that were deleted would come back with it.
  func isOutdated(_ header: BatchHeader) throws -> Bool {
    guard try header.upTo.position <= received(from: header.sender) else { return false }
    return try header.forgotten < progress(of: header.sender).begunAfter
  }

  /// How far this file has come with the changes of another replica.
  struct Progress {
    var received: Int64 = 0
    /// The last deletion that the other had forgotten when this file began to take all of its changes.
    var begunAfter: Int64 = 0
    /// Whether this file takes everything anew.
    var startsAfresh = false
  }

  func progress(of replica: ReplicaID) throws -> Progress {
    let hasBegun = try Tracker(connection).hasColumn("begun_after", in: SyncTables.replicas)
    let begunAfter = hasBegun ? "begun_after" : "0"
    return try connection.first(
      "SELECT received, \(begunAfter), starts_afresh FROM \(SyncTables.replicas) WHERE replica = ?1",
      [.blob(replica.bytes)]
    ) { Progress(received: $0.integer(0), begunAfter: $0.integer(1), startsAfresh: $0.integer(2) != 0) } ?? Progress()
  }

  /// Whether rows of another replica have come since this file last recorded what it knows of that one.
  func hasUnrecordedRows(of replica: Int64) throws -> Bool {
    try connection.finds(
      "SELECT 1 FROM \(SyncTables.replicas) WHERE id = ?1 AND is_unrecorded = 1", [.integer(replica)])
  }

  func setUnrecordedRows(_ hasRows: Bool, of replica: Int64) throws {
    try connection.run(
      "UPDATE \(SyncTables.replicas) SET is_unrecorded = ?2 WHERE id = ?1 AND is_unrecorded <> ?2",
      [.integer(replica), .integer(hasRows ? 1 : 0)])
  }

  /// The last deletion that this file had forgotten when it began to send another replica all of its changes.
  func sentAfter(to replica: ReplicaID) throws -> Int64 {
    guard try Tracker(connection).hasColumn("sent_after", in: SyncTables.replicas) else { return 0 }
    let found = try connection.first(
      "SELECT sent_after FROM \(SyncTables.replicas) WHERE replica = ?1", [.blob(replica.bytes)]
    ) { $0.integer(0) }
    return found ?? 0
  }

  /// Records that this file begins to send another replica all of its changes.
  ///
  /// - Parameter forgotten: The last deletion that it has forgotten.
  func setSentAfter(_ forgotten: Int64, to replica: ReplicaID) throws {
    try connection.run(
      "UPDATE \(SyncTables.replicas) SET sent_after = ?2 WHERE id = ?1",
      [.integer(try id(of: replica)), .integer(forgotten)])
  }

  /// Records which deletions a sender had forgotten when this file began to take all of its changes.
  func recordBeginning(_ sender: Int64, _ header: BatchHeader) throws {
    guard header.since.position == 0 else { return }
    // Rows may have been offered before, when the sender had forgotten more than in this batch.
    try connection.run(
      """
      UPDATE \(SyncTables.replicas) SET begun_after = ?2 WHERE id = ?1 AND begun_after <> ?2 \
      AND (received = 0 OR starts_afresh = 1 AND ?2 > 0)
      """, [.integer(sender), .integer(header.forgotten)])
  }

  /// Records that all changes of a range were received.
  ///
  /// - Parameters:
  ///   - replica: The number of the replica whose changes they are.
  ///   - header: The header of the batch that has the range.
  /// - Returns: Up to where everything was received now; nil if earlier changes are missing. The range is remembered
  ///   then, and counts as soon as they have come. One that may lack deletions isn't: it is asked for once more.
  func advance(_ replica: Int64, by header: BatchHeader) throws -> (position: Int64, isLast: Bool)? {
    let (since, end, isLast) = (header.since.position, header.upTo.position, header.isLast)
    let received =
      try connection.first("SELECT received FROM \(SyncTables.replicas) WHERE id = ?1", [.integer(replica)]) {
        $0.integer(0)
      } ?? 0
    guard since <= received else {
      if header.forgotten > since { return nil }
      try connection.run(
        """
        INSERT INTO \(SyncTables.ahead) (replica, since, up_to, is_last) SELECT ?1, ?2, ?3, ?4 \
        WHERE (SELECT count(*) FROM \(SyncTables.ahead) WHERE replica = ?1) < \(Self.mostRanges) ON CONFLICT DO NOTHING
        """, [.integer(replica), .integer(since), .integer(end), .integer(isLast ? 1 : 0)])
      return nil
    }
    var reached = (position: end, isLast: isLast)
    while let next = try connection.first(
      """
      SELECT up_to, is_last FROM \(SyncTables.ahead) WHERE replica = ?1 AND since <= ?2 AND up_to > ?2 \
      ORDER BY up_to DESC LIMIT 1
      """, [.integer(replica), .integer(max(reached.position, received))],
      { (position: $0.integer(0), isLast: $0.integer(1) != 0) })
    { reached = next }
    guard reached.position > received else { return reached }
    try connection.run(
      "UPDATE \(SyncTables.replicas) SET received = ?2 WHERE id = ?1",
      [.integer(replica), .integer(reached.position)])
    try connection.run(
      "DELETE FROM \(SyncTables.ahead) WHERE replica = ?1 AND up_to <= ?2",
      [.integer(replica), .integer(reached.position)])
    return reached
  }

  /// Forgets up to where this file has the changes of a replica, and takes them all once more. In a transaction of the caller's.
  func forgetReceived(from replica: ReplicaID) throws {
    try Tracker(connection).upgrade()
    let number = ReplicatedValue.integer(try id(of: replica))
    try connection.run("UPDATE \(SyncTables.replicas) SET received = 0, begun_after = 0 WHERE id = ?1", [number])
    try connection.run("DELETE FROM \(SyncTables.ahead) WHERE replica = ?1", [number])
  }

  /// Records what a replica says to have of this file. What others say about it doesn't count: a replica that lies can
  /// only withhold changes from itself.
  ///
  /// - Parameters:
  ///   - sender: The replica.
  ///   - number: Its number.
  ///   - knowledge: The knowledge that it sent.
  func recordTold(by sender: ReplicaID, _ number: Int64, _ knowledge: [Knowledge]) throws {
    let clock = try clock()
    let own = try replica(clock.replica)
    // The latest statement counts, also if it names less: the replica may have been put back from an older copy.
    let statements = knowledge.filter { $0.replica == sender && $0.origin == own && $0.upTo <= clock.identified }
    guard let latest = statements.max(by: { $0.since < $1.since }) else { return }
    try connection.run(
      """
      INSERT INTO \(SyncTables.told) (replica, since, position) VALUES (?1, ?2, ?3) ON CONFLICT (replica) DO UPDATE \
      SET since = excluded.since, position = excluded.position WHERE excluded.since > since
      """, [.integer(number), .integer(latest.since), .integer(latest.upTo)])
  }

  /// Returns up to where a replica has said to have the changes of this file: zero if it has said nothing.
  func told(by replica: ReplicaID) throws -> Int64 {
    guard let number = try knownID(of: replica) else { return 0 }
    let position = try connection.first(
      "SELECT position FROM \(SyncTables.told) WHERE replica = ?1", [.integer(number)]
    ) { $0.integer(0) }
    return min(position ?? 0, try clock().now)
  }
}

extension Sequence where Element == Knowledge {
  /// Up to where a replica knew the writes of another; zero if nothing says that it did.
  ///
  /// - Parameter time: The time of the first replica until which it knew them.
  func extent(of replica: ReplicaID, over origin: ReplicaID, at time: Int64 = .max) -> Int64 {
    filter { $0.replica == replica && $0.origin == origin && $0.since <= time }.map(\.upTo).max() ?? 0
  }
}
