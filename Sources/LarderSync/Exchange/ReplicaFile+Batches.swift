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
    guard cursor.replica == (try own()), cursor.position >= 0, cursor.position <= now else { throw wrongCursor }
  }

  var wrongCursor: StoreError {
    StoreError(
      .invalidValue, ofModel: nil,
      "Changes were asked for after a position that this replica has not reached, or that is of another replica. If the file was put back from an older copy, exchange(with:) makes it a new replica."
    )
  }

  /// Collects changes for another replica. All reads see the same commit.
  ///
  /// - Parameter latest: A position after which none are collected; nil for all.
  func changes(
    after cursor: ChangeCursor, for recipient: ReplicaID?, limit: Int, upTo latest: Int64? = nil
  ) throws -> ChangeBatch {
    try check(cursor)
    let own = try own()
    let last = try latest ?? clock().now
    let (rows, areAll) = try rows(
      after: cursor.position, upTo: last, limit: min(limit, Self.mostRows), for: recipient)
    let end = areAll ? last : rows.last?.position ?? last
    let isLast = try areAll && (latest == nil || isComplete(upTo: last, for: recipient))
    return ChangeBatch(
      since: cursor, upTo: ChangeCursor(replica: own, position: end), recipient: recipient, isLast: isLast,
      modelsDigest: modelsDigest, rows: rows.map(\.state),
      knowledge: try knowledge(after: cursor.position, upTo: end) + knowledge(of: recipient, after: end, for: cursor),
      names: try names(after: cursor.position, upTo: end), forgotten: try forgotten(),
      received: try recipient.map(received) ?? 0)
  }

  /// Collects changes of which it is recorded that they are handed out, for a store that can't record it of others.
  ///
  /// - Throws: `StoreError` `.readOnly` if only others are left.
  func recordedChanges(after cursor: ChangeCursor, for recipient: ReplicaID, limit: Int) throws -> ChangeBatch {
    let recorded = try max(clock().identified, cursor.position)
    let batch = try changes(after: cursor, for: recipient, limit: limit, upTo: recorded)
    guard batch.isLast || batch.upTo.position > cursor.position else { throw unrecorded }
    return batch
  }

  /// Whether a replica gets everything with the changes up to a position. A row that has changed after it lacks what was
  /// written to it before.
  func isComplete(upTo position: Int64, for recipient: ReplicaID?) throws -> Bool {
    guard try forgotten() <= position else { return false }
    return try !connection.finds(
      "SELECT 1 FROM \(SyncTables.rows) WHERE position > ?1 AND status <> 6 AND source IS NOT ?2 LIMIT 1",
      [.integer(position), .integer(try recipient.flatMap(knownID) ?? -1)])
  }

  var unrecorded: StoreError {
    StoreError(
      .readOnly, ofModel: nil,
      "The file has changes that were never handed out, and a store that can't write can't record that they are. Open it once with access: .readWrite, and exchange or export there."
    )
  }

  /// The most rows of a batch, whatever is asked for.
  private static let mostRows = 1 << 20
  /// The most bytes of the values of a batch, unless a single row has more, and about how many are read at a time.
  private static let (greatestSize, pageSize) = (16 << 20, 1 << 20)
  /// The same of all that rows take in memory, so that readers with the default limits take the batch as a whole.
  private static let greatestSizeInMemory = 192 << 20

  /// Returns rows for a batch: at most the limit, and fewer if they are large.
  private func rows(
    after start: Int64, upTo end: Int64, limit: Int, for recipient: ReplicaID?
  ) throws -> (rows: [StoredRow], isLast: Bool) {
    let source = try recipient.flatMap(knownID)
    var (found, size, sizeInMemory): ([StoredRow], Int, Int) = ([], 0, 0)
    var page = 16
    while true {
      // One more than wanted tells whether these are the last.
      let count = min(page, limit + 1 - found.count)
      let more = try rows(
        after: found.last?.position ?? start, upTo: end, limit: count, exceptFrom: source)
      for row in more {
        size += row.state.size
        sizeInMemory += row.state.sizeInMemory
        let isFull = size > Self.greatestSize || sizeInMemory > Self.greatestSizeInMemory
        if found.count == limit || isFull && !found.isEmpty { return (found, false) }
        found.append(row)
      }
      if more.count < count { return (found, true) }
      page = min(
        Self.pageSize / (size / found.count + 1), Self.greatestSizeInMemory / (sizeInMemory / found.count + 1))
      page = max(1, min(limit + 1, page))
    }
  }

  /// What this file knows of the recipient, beyond what the batch has anyway. Who begins with the first change has to be told
  /// at once, if deletions were forgotten: they may be of its rows.
  private func knowledge(of recipient: ReplicaID?, after end: Int64, for cursor: ChangeCursor) throws -> [Knowledge] {
    guard cursor.position == 0, let recipient, try forgotten() > 0, let origin = try knownID(of: recipient) else {
      return []
    }
    let own = try clock().replica
    return try connection.rows(
      "SELECT since, up_to FROM \(SyncTables.knowledge) WHERE replica = ?1 AND origin = ?2 AND position > ?3",
      [.integer(own), .integer(origin), .integer(end)]
    ) { row in
      Knowledge(replica: cursor.replica, since: row.integer(0), origin: recipient, upTo: row.integer(1))
    }
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
    try connection.first("SELECT count(*) FROM \(SyncTables.rows) WHERE \(SyncTables.isMissed) AND length % 2 = 1") {
      Int($0.integer(0))
    } ?? 0
  }
}
