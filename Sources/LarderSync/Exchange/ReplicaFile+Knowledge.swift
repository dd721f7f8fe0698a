import Larder

/// What this replica knows of the writes of others, and what they say to know of each other.
///
/// It decides nothing but whether a value was overwritten by someone who knew it. Which changes come, and which rows are
/// deleted, never follows from what a replica says of a third one.
extension ReplicaFile {
  /// Records what this replica knows now, because it has all changes of another one up to a position.
  ///
  /// Changes that wait for their time aren't known yet.
  ///
  /// - Parameters:
  ///   - sender: The number of the other replica.
  ///   - position: The position.
  ///   - limits: The first writes that wait, if they are known.
  func recordKnowledge(of sender: Int64, upTo position: Int64, before limits: [ReplicaID: Int64]? = nil) throws {
    let own = try clock().replica
    let now = try tick()
    let limits = try limits ?? WaitingChanges(self).firstWrites()
    // Nothing later was taken, whatever the sender says.
    let latest = try WaitingChanges(self).latestTime()
    func limited(_ origin: Int64, _ time: Int64) throws -> Int64 {
      min(time, latest, limits[try replica(origin)].map { $0 - 1 } ?? time)
    }
    try record(own, sender, now, try limited(sender, position))
    for origin in try origins(of: sender) where origin != own {
      guard let known = try lastKnowledge(of: sender, over: origin, at: position) else { continue }
      try record(own, origin, now, try limited(origin, min(known.since, known.upTo)))
    }
  }

  /// The replicas of whose writes another one has known some.
  ///
  /// - Complexity: One look-up for each.
  private func origins(of replica: Int64) throws -> [Int64] {
    try connection.rows(
      """
      WITH RECURSIVE origins (id) AS (
        SELECT (SELECT origin FROM \(SyncTables.knowledge) WHERE replica = ?1 ORDER BY origin LIMIT 1)
        UNION ALL
        SELECT (SELECT origin FROM \(SyncTables.knowledge) WHERE replica = ?1 AND origin > id ORDER BY origin LIMIT 1)
        FROM origins WHERE id IS NOT NULL)
      SELECT id FROM origins WHERE id IS NOT NULL
      """, [.integer(replica)]
    ) { $0.integer(0) }
  }

  /// Records what this replica knows of all others whose changes it has as of one commit.
  func recordKnowledgeOfAll() throws {
    let senders = try connection.rows(
      "SELECT id, received FROM \(SyncTables.replicas) WHERE received > 0 AND is_unrecorded = 0"
    ) {
      ($0.integer(0), $0.integer(1))
    }
    let limits = try WaitingChanges(self).firstWrites()
    for (sender, position) in senders where try sender != clock().replica {
      try recordKnowledge(of: sender, upTo: position, before: limits)
    }
  }

  /// The last statement of what a replica knew of the writes of another until a time; nil if there is none.
  ///
  /// A statement says that the replica has known, since a time, the writes up to the lesser of that time and another one:
  /// who knows of a write has a clock that is past it. Of the statements about two replicas, a later one always says more
  /// than those before, because only such are kept.
  ///
  /// - Complexity: One look-up.
  func lastKnowledge(of replica: Int64, over origin: Int64, at time: Int64) throws -> (since: Int64, upTo: Int64)? {
    try connection.first(
      """
      SELECT since, up_to FROM \(SyncTables.knowledge) WHERE replica = ?1 AND origin = ?2 AND since <= ?3 \
      ORDER BY since DESC LIMIT 1
      """, [.integer(replica), .integer(origin), .integer(time)]
    ) { (since: $0.integer(0), upTo: $0.integer(1)) }
  }

  /// Records that a replica knew the writes of another, unless it is known that it knew as much before. Later statements
  /// that say no more are removed.
  ///
  /// - Complexity: A few look-ups. Each statement is removed once at most.
  func record(_ replica: Int64, _ origin: Int64, _ since: Int64, _ upTo: Int64) throws {
    if upTo < 0 { return }
    let known = try lastKnowledge(of: replica, over: origin, at: since)
    if let known, known.since >= min(since, upTo), known.upTo >= upTo { return }
    while let next = try nextKnowledge(of: replica, over: origin, after: since), next.upTo <= min(since, upTo) {
      try connection.run(
        "DELETE FROM \(SyncTables.knowledge) WHERE replica = ?1 AND origin = ?2 AND since = ?3",
        [.integer(replica), .integer(origin), .integer(next.since)])
    }
    try connection.run(
      """
      INSERT INTO \(SyncTables.knowledge) (replica, origin, since, up_to, position) VALUES (?1, ?2, ?3, ?4, ?5) \
      ON CONFLICT (replica, origin, since) DO UPDATE SET up_to = max(up_to, excluded.up_to), position = excluded.position
      """,
      [.integer(replica), .integer(origin), .integer(since), .integer(upTo), .integer(try tick())])
  }

  private func nextKnowledge(
    of replica: Int64, over origin: Int64, after time: Int64
  ) throws -> (since: Int64, upTo: Int64)? {
    try connection.first(
      """
      SELECT since, up_to FROM \(SyncTables.knowledge) WHERE replica = ?1 AND origin = ?2 AND since > ?3 \
      ORDER BY since LIMIT 1
      """, [.integer(replica), .integer(origin), .integer(time)]
    ) { (since: $0.integer(0), upTo: $0.integer(1)) }
  }
}
