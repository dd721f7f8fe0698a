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
  func recordKnowledge(of sender: Int64, upTo position: Int64) throws {
    let own = try clock().replica
    let now = try tick()
    let limits = try WaitingChanges(self).firstWrites()
    func limited(_ origin: Int64, _ time: Int64) throws -> Int64 {
      min(time, limits[try replica(origin)].map { $0 - 1 } ?? time)
    }
    try record(own, sender, now, try limited(sender, position))
    let known = try connection.rows(
      """
      SELECT origin, max(min(since, up_to)) FROM \(SyncTables.knowledge) WHERE replica = ?1 AND since <= ?2 \
      GROUP BY origin
      """, [.integer(sender), .integer(position)]
    ) { ($0.integer(0), $0.integer(1)) }
    for (origin, upTo) in known where origin != own {
      try record(own, origin, now, try limited(origin, upTo))
    }
  }

  /// Records what this replica knows of all others whose changes it has.
  func recordKnowledgeOfAll() throws {
    let senders = try connection.rows(
      "SELECT id, received FROM \(SyncTables.replicas) WHERE received > 0"
    ) {
      ($0.integer(0), $0.integer(1))
    }
    for (sender, position) in senders where try sender != clock().replica {
      try recordKnowledge(of: sender, upTo: position)
    }
  }

  /// Records that a replica knew the writes of another, unless it is known that it knew as much before.
  func record(_ replica: Int64, _ origin: Int64, _ since: Int64, _ upTo: Int64) throws {
    let isKnown = try connection.finds(
      """
      SELECT 1 FROM \(SyncTables.knowledge) WHERE replica = ?1 AND origin = ?2 AND since <= ?3 AND up_to >= ?4 \
      AND since >= min(?3, ?4)
      """, [.integer(replica), .integer(origin), .integer(since), .integer(upTo)])
    if isKnown || upTo < 0 { return }
    try connection.run(
      """
      INSERT INTO \(SyncTables.knowledge) (replica, origin, since, up_to, position) VALUES (?1, ?2, ?3, ?4, ?5) \
      ON CONFLICT (replica, origin, since) DO UPDATE SET up_to = max(up_to, excluded.up_to), position = excluded.position
      """,
      [.integer(replica), .integer(origin), .integer(since), .integer(upTo), .integer(try tick())])
  }
}
