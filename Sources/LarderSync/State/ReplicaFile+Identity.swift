import Foundation
import Larder

/// A copy of a file is another replica: two files must not give the same stamp to two writes.
extension ReplicaFile {
  /// What names the file in its file system, and is different for every copy; nil in memory.
  var place: String? {
    guard let path = connection.filePath else { return nil }
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return "\(status.st_dev):\(status.st_ino)"
  }

  /// Whether the file is a copy of the one that had the identifier.
  func isCopy() throws -> Bool {
    guard let place else { return false }
    return try connection.finds("SELECT 1 FROM \(SyncTables.clock) WHERE file IS NOT ?1", [.init(place)])
  }

  /// Whether the file has the identifier of its own, and nothing that it has added to counters could be taken for a copy's.
  func isIdentified() throws -> Bool { try !isCopy() && !hasUnconfirmedContributions() }

  /// Makes the file a replica of its own, if it is a copy. In a transaction of the caller's.
  func identify() throws {
    guard try isCopy() else { return }
    if try connection.finds("SELECT 1 FROM \(SyncTables.clock) WHERE file IS NOT NULL") { try becomeNewReplica() }
    try connection.run(
      "UPDATE \(SyncTables.clock) SET file = ?1, identified = now", [place.map { .init($0) } ?? .null])
  }

  /// Whether it is recorded that everything up to now was written in this file.
  func isConfirmed() throws -> Bool {
    let clock = try clock()
    return clock.identified == clock.now
  }

  /// Records that everything up to now was written in this file.
  func confirmIdentity() throws { try confirmIdentity(upTo: try clock().now) }

  /// Records that everything up to a time was written in this file. In a transaction of the caller's.
  func confirmIdentity(upTo time: Int64) throws {
    let clock = try clock()
    guard clock.identified < time else { return }
    try connection.run(
      """
      UPDATE \(SyncTables.counters) SET confirmed_length = length, confirmed_time = time, confirmed_high = high, \
      confirmed_low = low WHERE replica = ?1 AND time > ?2 AND time <= ?3
      """, [.integer(clock.replica), .integer(clock.identified), .integer(time)])
    try connection.run("UPDATE \(SyncTables.clock) SET identified = ?1", [.integer(time)])
  }

  /// Whether this replica has added something to counters since its file was last identified. A copy of the file would
  /// take it for its own, so it is confirmed before it is handed out.
  func hasUnconfirmedContributions() throws -> Bool {
    try connection.finds(
      """
      SELECT 1 FROM \(SyncTables.counters) WHERE replica = (SELECT replica FROM \(SyncTables.clock)) \
      AND time > (SELECT identified FROM \(SyncTables.clock)) LIMIT 1
      """)
  }

  /// Gives the file a new identifier. What it has from the former one counts as received.
  ///
  /// Writes since the file was last identified may have been made in the copy, so they get the new identifier.
  func becomeNewReplica() throws {
    try Tracker(connection).upgrade()
    let clock = try clock()
    let new = try id(of: ReplicaID())
    let arguments: [ReplicatedValue] = [.integer(clock.replica), .integer(new), .integer(clock.identified)]
    for sql in [
      "UPDATE \(SyncTables.rows) SET replica = ?2 WHERE replica = ?1 AND time > ?3",
      "UPDATE \(SyncTables.rows) SET deletion_replica = ?2 WHERE deletion_replica = ?1 AND deletion_time > ?3",
      "UPDATE \(SyncTables.cells) SET replica = ?2 WHERE replica = ?1 AND time > ?3",
      "UPDATE \(SyncTables.forgotten) SET replica = ?2 WHERE replica = ?1 AND time > ?3",
      // What the new replica has added is the difference to what was confirmed of the former one.
      """
      INSERT INTO \(SyncTables.counters) (row, property, replica, length, time, high, low)
        SELECT row, property, ?2, length, time,
        high - CASE WHEN confirmed_length = length THEN confirmed_high ELSE 0 END,
        low - CASE WHEN confirmed_length = length THEN confirmed_low ELSE 0 END
        FROM \(SyncTables.counters) WHERE replica = ?1 AND time > ?3
      """,
      """
      DELETE FROM \(SyncTables.counters) WHERE replica = ?1 AND time > ?3 AND confirmed_length IS NOT length
      """,
      """
      UPDATE \(SyncTables.counters) SET time = confirmed_time, high = confirmed_high, low = confirmed_low \
      WHERE replica = ?1 AND time > ?3
      """,
    ] { try connection.run(sql, arguments) }
    try connection.run(
      "UPDATE \(SyncTables.replicas) SET received = ?2 WHERE id = ?1",
      [.integer(clock.replica), .integer(clock.identified)])
    // It knows what the former one knew, and its writes.
    try connection.run(
      """
      INSERT INTO \(SyncTables.knowledge) (replica, origin, since, up_to, position)
        SELECT ?2, origin, since, up_to, ?4 FROM \(SyncTables.knowledge) WHERE replica = ?1
        UNION ALL SELECT ?2, ?1, ?3, ?3, ?4
      """, arguments + [.integer(try tick())])
    // What others have of the former replica, they don't have of this one.
    try connection.run("DELETE FROM \(SyncTables.told)")
    try connection.run("UPDATE \(SyncTables.clock) SET replica = ?1, identified = now", [.integer(new)])
  }
}
