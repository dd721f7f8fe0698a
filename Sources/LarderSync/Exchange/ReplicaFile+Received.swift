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
    let known = try connection.first(
      "SELECT received, begun_after, starts_afresh FROM \(SyncTables.replicas) WHERE replica = ?1",
      [.blob(header.sender.bytes)]
    ) { (received: $0.integer(0), begunAfter: $0.integer(1), startsAfresh: $0.integer(2) != 0) }
    guard let known, known.received > 0, !known.startsAfresh else { return }
    guard header.since.position <= known.received, known.received < header.forgotten,
      known.begunAfter < header.forgotten
    else { return }
    throw StoreError(
      .notFound, ofModel: nil,
      "The sender has forgotten deletions of which this replica hasn't heard, so rows that were deleted there would stay here. Call exchange(with:): it starts afresh, and keeps what was not sent. setRetention(_:) keeps deletions for longer."
    )
  }

  /// Records which deletions a sender had forgotten when this file began to take all of its changes.
  func recordBeginning(_ sender: Int64, _ header: BatchHeader) throws {
    guard header.since.position == 0, header.forgotten > 0 else { return }
    try connection.run(
      """
      UPDATE \(SyncTables.replicas) SET begun_after = ?2 WHERE id = ?1 AND (received = 0 OR starts_afresh = 1)
      """, [.integer(sender), .integer(header.forgotten)])
  }

  /// Records that all changes of a range were received.
  ///
  /// - Parameters:
  ///   - replica: The number of the replica whose changes they are.
  ///   - since: Where the range begins.
  ///   - end: Where it ends.
  ///   - isLast: Whether the replica had nothing after it.
  /// - Returns: Up to where everything was received now; nil if earlier changes are missing. The range is remembered
  ///   then, and counts as soon as they have come.
  func advance(
    _ replica: Int64, since: Int64, upTo end: Int64, isLast: Bool
  ) throws -> (position: Int64, isLast: Bool)? {
    let received =
      try connection.first("SELECT received FROM \(SyncTables.replicas) WHERE id = ?1", [.integer(replica)]) {
        $0.integer(0)
      } ?? 0
    guard since <= received else {
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
    let statements = knowledge.filter { $0.replica == sender && $0.origin == own && $0.upTo <= clock.now }
    guard let latest = statements.max(by: { $0.since < $1.since }) else { return }
    try connection.run(
      """
      INSERT INTO \(SyncTables.told) (replica, since, position) VALUES (?1, ?2, ?3) ON CONFLICT (replica) DO UPDATE \
      SET since = excluded.since, position = excluded.position WHERE excluded.since > since
      """, [.integer(number), .integer(latest.since), .integer(latest.upTo)])
    try confirmIdentity(upTo: latest.upTo)
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
