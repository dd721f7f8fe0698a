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

  /// Makes the file a replica of its own, if it is a copy. In a transaction of the caller's.
  ///
  /// What counters have then is the original's, also if it was never handed out: a program with sync comes here when it opens
  /// the file.
  func identify() throws {
    guard try isCopy() else { return }
    try confirmContributions()
    try becomeNewReplica()
    try recordPlace()
  }

  /// Records that a file is its own original, whose tracking has just begun. In a transaction of the caller's.
  func identifyNew() throws {
    try confirmContributions()
    try recordPlace()
  }

  /// A store in memory has no place, so each of its backups is a copy.
  private func recordPlace() throws {
    try connection.run(
      "UPDATE \(SyncTables.clock) SET file = ?1, identified = now", [place.map { .init($0) } ?? .null])
  }

  /// Records that everything up to now was written in this file. In a transaction of the caller's.
  func confirmIdentity() throws {
    let clock = try clock()
    guard clock.identified < clock.now else { return }
    try confirmContributions(after: clock.identified)
    try connection.run("UPDATE \(SyncTables.clock) SET identified = now")
  }

  /// Records that what this replica has added to counters after a time was added in this file. A copy would take it for its
  /// own, so this is recorded before it is handed out.
  private func confirmContributions(after time: Int64 = 0, upTo end: Int64 = .max) throws {
    let clock = try clock()
    try connection.run(
      """
      UPDATE \(SyncTables.counters) SET confirmed_length = length, confirmed_time = time, confirmed_high = high, \
      confirmed_low = low WHERE replica = ?1 AND time > ?2 AND time <= ?3 AND confirmed_time IS NOT time
      """, [.integer(clock.replica), .integer(time), .integer(min(end, clock.now))])
  }

  // MARK: Older copies

  /// Whether it is recorded that changes up to a position are handed out.
  func isHandedOut(upTo position: Int64) throws -> Bool { try clock().identified >= position }

  /// Records that changes are handed out, before they are, in a transaction of the caller's. Whoever has more of this replica
  /// has it from a newer file, of which this one is an older copy.
  ///
  /// - Parameter replica: The replica as which the file hands them out.
  /// - Throws: `StoreError` `.invalidValue` if the file is another replica by now.
  func recordHandingOut(as replica: ReplicaID) throws {
    try identify()
    guard try own() == replica else { throw wrongCursor }
    try removeRepeatedLosses(after: clock().identified)
    try confirmIdentity()
  }

  /// Whether this file hasn't handed out everything up to a cursor of its own, although someone else has it.
  func isOlder(than cursor: ChangeCursor) throws -> Bool {
    try cursor.replica == own() && !isHandedOut(upTo: cursor.position)
  }

  /// Makes the file a new replica if it is older than what a peer has of it. In a transaction of the caller's.
  ///
  /// - Returns: Whether it was older.
  func becomeNewReplica(ifOlderThan cursor: ChangeCursor) throws -> Bool {
    try Tracker(connection).upgrade()
    try identify()
    guard try isOlder(than: cursor) else { return false }
    // What the lost file had added until then, others have from it. What was added to this one since has later times, but
    // for clocks that are ahead.
    try confirmContributions(
      after: clock().identified, upTo: min(cursor.position, OpenedFile.of(connection).position))
    try becomeNewReplica()
    return true
  }

  /// How long a file that became a new replica because someone asked it stays one, in milliseconds: all others take
  /// everything from a new replica, so who lies must not be able to cause it again and again.
  private static let shortestLife: Int64 = 60 * 60 * 1000

  /// Does the same for someone who asks this file, and whom nobody has chosen as a peer: only for a cursor that is possible
  /// today, and once an hour at most. In a transaction of the caller's.
  func becomeNewReplica(ifAskedWith cursor: ChangeCursor) throws {
    try Tracker(connection).upgrade()
    let now = Int64(Date().timeIntervalSince1970 * 1000)
    let isNew = try connection.finds(
      "SELECT 1 FROM \(SyncTables.clock) WHERE renewed_at > ?1 AND renewed_at <= ?2",
      [.integer(now - Self.shortestLife), .integer(now)])
    guard !isNew, try cursor.position <= WaitingChanges(self).latestTime(),
      try becomeNewReplica(ifOlderThan: cursor)
    else { return }
    try connection.run("UPDATE \(SyncTables.clock) SET renewed_at = ?1", [.integer(now)])
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
      // What the write over a set-aside row has listed is of its own writer.
      """
      UPDATE \(SyncTables.conflicts) AS lost SET replica = ?2 WHERE replica = ?1 AND time > ?3
        AND EXISTS (SELECT 1 FROM \(SyncTables.cells) WHERE row = lost.row AND property = lost.property
        AND replica = ?2 AND time >= lost.time - 1)
      """,
      "UPDATE \(SyncTables.forgotten) SET replica = ?2 WHERE replica = ?1 AND time > ?3",
      // What the new replica has added is the difference to what was confirmed of the former one.
      """
      INSERT INTO \(SyncTables.counters) (row, property, replica, length, time, high, low)
        SELECT row, property, ?2, length, time,
        high - CASE WHEN confirmed_length = length THEN confirmed_high ELSE 0 END,
        low - CASE WHEN confirmed_length = length THEN confirmed_low ELSE 0 END
        FROM \(SyncTables.counters) WHERE replica = ?1 AND time > ?3 AND confirmed_time IS NOT time
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
    try confirmContributions()
  }
}

/// What a connection knows of the time when its file was opened.
final class OpenedFile {
  /// The time up to which the file had been written then; the greatest one if a program without sync has opened it.
  var position = Int64.max

  static func of(_ connection: ModuleConnection) -> OpenedFile {
    connection.state(OpenedFile.self, OpenedFile())
  }
}
