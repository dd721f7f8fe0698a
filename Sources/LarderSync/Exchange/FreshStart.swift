import Larder

/// A replica that was away for longer than a peer keeps deletions takes everything from the peer anew.
///
/// What the peer doesn't have, or has in another state, is offered to it once more. The peer recognizes the rows that it has
/// deleted, even if it has forgotten the deletions, deletes them again and hands these deletions out like any others. It
/// takes everything else, also rows of models that it doesn't track. So nothing is deleted here because somebody says that
/// he knew it.
///
/// Only then does it count that this replica has come so far. If it is interrupted before, whoever sends it changes finds
/// that it must start afresh.
struct FreshStart {
  private let sync: StoreSync
  /// Up to where this replica has the changes of the peer.
  private let received: ChangeCursor
  /// The last deletion that the peer is known to have forgotten.
  private var forgotten: Int64
  /// The rows that the peer has.
  private var sent = SentRows()

  init(_ sync: StoreSync, _ received: ChangeCursor, forgotten: Int64) {
    (self.sync, self.received, self.forgotten) = (sync, received, forgotten)
  }

  mutating func run(with peer: some SyncPeer) async throws {
    let start = ChangeCursor(replica: received.replica, position: 0)
    var cursor = start
    // A replica that nobody has heard of, because what came from this one is wanted as well.
    let stranger = ReplicaID()
    var end = ExchangeEnd(of: peer)
    forgotten = max(forgotten, try await peer.forgotten())
    var (begunAfter, count, isLast): (Int64?, Int, Bool) = (nil, 0, false)
    while true {
      try Task.checkCancellation()
      let batch = try await peer.changes(after: cursor, for: stranger, limit: end.limit)
      guard batch.since == cursor, batch.isLast || batch.upTo.position > cursor.position else {
        throw StoreError(
          .invalidValue, ofModel: nil,
          "The peer was asked for the changes after position \(cursor.position), and returned others. Its transport mixes up batches."
        )
      }
      let first = begunAfter ?? batch.forgotten
      begunAfter = first
      // The deletions that were forgotten since may be of rows that came before: the peer is asked whether it has these.
      if batch.forgotten > max(first, cursor.position) {
        sent = SentRows()
        begunAfter = batch.forgotten
      }
      forgotten = max(forgotten, batch.forgotten)
      sent.insert(batch.rows)
      count += batch.rows.count
      _ = try await sync.merge(
        ChangeBatch(
          since: batch.since, upTo: batch.upTo, recipient: nil, isLast: batch.isLast, modelsDigest: batch.modelsDigest,
          rows: batch.rows, knowledge: batch.knowledge, names: batch.names, forgotten: batch.forgotten),
        startsAfresh: true)
      // A transport that has nothing more, because the rest is still to come, says that it has handed out everything.
      if batch.upTo != batch.since || count == 0 { isLast = batch.isLast }
      cursor = batch.upTo
      // A peer that goes on to write may have forgotten deletions that are still to come.
      if try await end.isReached(by: batch), batch.isLast || cursor.position >= forgotten { break }
    }
    guard cursor.position >= forgotten else {
      // The peer has thrown away what was read, and this replica has heard of all deletions that it has forgotten.
      if received.position >= forgotten { return try await sync.endFreshStart(with: received.replica) }
      throw StoreError(
        .invalidValue, ofModel: nil,
        "The peer was asked for all of its changes, and returned those up to position \(cursor.position), although it has forgotten a deletion at position \(forgotten). If the rest is still to come, exchange again then. Otherwise its transport must send everything anew."
      )
    }
    let position = try await peer.cursor(of: try await sync.replica()).position
    try await sync.offerRows(except: sent, to: received.replica, knownUpTo: position)
    var header = BatchHeader(since: start, upTo: cursor, recipient: nil, isLast: isLast)
    header.forgotten = forgotten
    try await sync.endFreshStart(header, rowCount: count)
  }
}

extension StoreSync {
  /// Takes everything from the peer anew.
  ///
  /// - Parameters:
  ///   - received: Up to where this file has the changes of the peer.
  ///   - forgotten: The last deletion that the peer has forgotten by its next batch.
  func startAfresh(with peer: some SyncPeer, _ received: ChangeCursor, forgotten: Int64) async throws {
    try await store.writingModule { connection in
      try connection.transaction { try ReplicaFile(connection).setStartingAfresh(true, with: received.replica) }
    }
    var start = FreshStart(self, received, forgotten: forgotten)
    try await start.run(with: peer)
  }

  /// Makes the rows changes to send that another replica doesn't have as they are here, and would not get otherwise.
  ///
  /// - Parameters:
  ///   - sent: The rows that it has.
  ///   - other: The other replica.
  ///   - position: Up to where it has the changes of this one.
  func offerRows(except sent: SentRows, to other: ReplicaID, knownUpTo position: Int64) async throws {
    try await store.writingModule { connection in
      try Self.offerRows(except: sent, to: other, knownUpTo: position, connection)
    }
  }

  /// Does the same in transactions of the connection's.
  static func offerRows(
    except sent: SentRows, to other: ReplicaID, knownUpTo position: Int64, _ connection: ModuleConnection
  ) throws {
    var last: Int64 = 0
    while true {
      let reached = try connection.transaction { () throws -> Int64? in
        let file = try ReplicaFile(connection)
        let ids = try connection.rows(
          """
          SELECT id FROM \(SyncTables.rows) WHERE id > ?1 AND status <> 6 \
          AND (position <= ?2 OR source = ?3) ORDER BY id LIMIT \(StoreSync.batchSize)
          """, [.integer(last), .integer(position), .integer(try file.id(of: other))]
        ) { $0.integer(0) }
        for id in ids {
          guard let row = try file.row(id), sent.lacks(row) else { continue }
          try connection.run(
            "UPDATE \(SyncTables.rows) SET source = NULL, position = ?2 WHERE id = ?1",
            [.integer(id), .integer(try file.tick())])
        }
        return ids.last
      }
      guard let reached else { return }
      last = reached
    }
  }

  /// Records that everything of a peer was taken anew, and that the rows of this file were offered to it.
  ///
  /// - Parameters:
  ///   - header: The header of one batch with everything.
  ///   - rowCount: The number of its rows.
  fileprivate func endFreshStart(_ header: BatchHeader, rowCount: Int) async throws {
    let application = BatchApplication(header, knowledge: [], names: [], rowCount: rowCount)
    _ = try await store.writingModule { try application.apply([], isLast: true, $0) }
    try await endFreshStart(with: header.sender)
  }

  fileprivate func endFreshStart(with other: ReplicaID) async throws {
    try await store.writingModule { connection in
      try connection.transaction { try ReplicaFile(connection).setStartingAfresh(false, with: other) }
    }
  }

  /// Returns the position of the last deletion that this replica has forgotten; zero if it has forgotten none.
  ///
  /// - Throws: `StoreError` `.unsupported` if sync is off in the file; the errors of any read.
  public func forgotten() async throws -> Int64 {
    try await store.readingModule(isBrief: true) { try ReplicaFile($0).forgotten() }
  }
}

/// The rows that a replica has sent, each with the hash of its state: all states would need too much memory.
struct SentRows: Sendable {
  private var hashes: [RowKey: Int] = [:]

  init(_ rows: [RowState] = []) { insert(rows) }

  /// Of several states of a row, the last one counts.
  mutating func insert(_ rows: [RowState]) {
    for row in rows { hashes[row.rowKey] = row.hashValue }
  }

  /// Whether the replica has the row in another state, or doesn't have it although it is there or visible.
  func lacks(_ row: StoredRow) -> Bool {
    guard let hash = hashes[row.rowKey] else { return row.state.isThere || row.isVisible }
    return hash != row.state.hashValue
  }
}
