import Larder

extension ReplicaFile {
  /// Returns up to which position the changes of a replica were received.
  func received(from replica: ReplicaID) throws -> Int64 {
    try connection.first("SELECT received FROM \(SyncTables.replicas) WHERE replica = ?1", [.blob(replica.bytes)]) {
      $0.integer(0)
    } ?? 0
  }

  /// Refuses a cursor that isn't one of this file's.
  func check(_ cursor: ChangeCursor) throws {
    let now = try clock().now
    guard cursor.replica == (try own()), cursor.position >= 0, cursor.position <= now else {
      throw StoreError(
        .invalidValue, ofModel: nil,
        "Changes were asked for after a position that this replica has not reached, or that is of another replica. If the file was put back from an older copy, exchange(with:) makes it a new replica."
      )
    }
  }

  /// Collects changes for another replica. All reads see the same commit.
  func changes(after cursor: ChangeCursor, for recipient: ReplicaID?, limit: Int) throws -> ChangeBatch {
    try check(cursor)
    let own = try own()
    let now = try clock().now
    // One more than wanted tells whether these are the last.
    let found = try rows(
      after: cursor.position, upTo: now, limit: limit + 1, exceptFrom: try recipient.flatMap(knownID))
    let isLast = found.count <= limit
    let rows = found.prefix(limit)
    let end = isLast ? now : rows.last?.position ?? now
    return ChangeBatch(
      since: cursor, upTo: ChangeCursor(replica: own, position: end), recipient: recipient, isLast: isLast,
      modelsDigest: ModelsDigest.exchange(of: tables), rows: rows.map(\.state),
      knowledge: try knowledge(after: cursor.position, upTo: end),
      names: try names(after: cursor.position, upTo: end))
  }

  func knowledge(after position: Int64, upTo end: Int64) throws -> [Knowledge] {
    try connection.rows(
      """
      SELECT replica, since, origin, up_to FROM \(SyncTables.knowledge) WHERE position > ?1 AND position <= ?2 \
      ORDER BY position
      """, [.integer(position), .integer(end)]
    ) { row in
      Knowledge(
        replica: try replica(row.integer(0)), since: row.integer(1), origin: try replica(row.integer(2)),
        upTo: row.integer(3))
    }
  }

  /// The number of rows that are set aside.
  func setAsideCount() throws -> Int {
    try connection.first("SELECT count(*) FROM \(SyncTables.rows) WHERE \(SyncTables.isMissed)") {
      Int($0.integer(0))
    } ?? 0
  }
}
