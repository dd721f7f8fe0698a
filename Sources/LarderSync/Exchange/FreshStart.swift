import Larder

/// A replica that was away for longer than a peer keeps deletions takes everything from the peer anew.
///
/// What the peer doesn't have, although it knows of the insertion, was deleted there. What it doesn't know is kept, and
/// sent afterwards. The new deletions travel like any others, so nobody brings the rows back.
struct FreshStart {
  private let sync: StoreSync
  /// The rows that the peer has.
  private var rowKeys: Set<RowKey> = []

  init(_ sync: StoreSync) {
    self.sync = sync
  }

  mutating func run(with peer: some SyncPeer, _ other: ReplicaID) async throws {
    var cursor = ChangeCursor(replica: other, position: 0)
    // A replica that nobody has heard of, because what came from this one is wanted as well.
    let stranger = ReplicaID()
    while true {
      try Task.checkCancellation()
      let batch = try await peer.changes(after: cursor, for: stranger, limit: StoreSync.batchSize)
      guard batch.since == cursor, batch.isLast || batch.upTo.position > cursor.position else {
        throw StoreError(
          .invalidValue, ofModel: nil,
          "The peer was asked for the changes after position \(cursor.position), and returned others. Its transport mixes up batches."
        )
      }
      rowKeys.formUnion(batch.rows.map(\.rowKey))
      try await sync.apply(
        ChangeBatch(
          since: batch.since, upTo: batch.upTo, recipient: nil, isLast: batch.isLast, modelsDigest: batch.modelsDigest,
          rows: batch.rows, knowledge: batch.knowledge, names: batch.names))
      cursor = batch.upTo
      if batch.isLast { break }
    }
    try await deleteRest(other, upTo: cursor.position)
  }

  /// Deletes the rows that the peer has had and no longer has.
  private func deleteRest(_ peer: ReplicaID, upTo position: Int64) async throws {
    let rowKeys = rowKeys
    try await sync.store.writingModule { connection in
      var last: Int64 = 0
      while true {
        let reached = try connection.transaction { () throws -> Int64? in
          let file = try ReplicaFile(connection)
          try file.settle()
          let ids = try connection.rows(
            "SELECT id FROM \(SyncTables.rows) WHERE id > ?1 AND length % 2 = 1 AND status <> 6 ORDER BY id LIMIT ?2",
            [.integer(last), .integer(Int64(StoreSync.batchSize))]
          ) { $0.integer(0) }
          var changes: [(row: StoredRow?, state: RowState)] = []
          for id in ids {
            guard let row = try file.row(id), !rowKeys.contains(row.rowKey),
              try file.isDeleted(row.state, by: peer, upTo: position)
            else { continue }
            var state = row.state.deleted(try file.newStamp())
            let isEdited = try row.state.writes.contains { stamp in
              try stamp.replica == peer ? stamp.time > position : !file.knows(peer, of: stamp)
            }
            // What was not sent lost against the deletion. It counts as written afterwards, because the one who deletes
            // here knew it, and the one who has deleted before did not.
            if isEdited { state = state.adding([LostValue(property: nil, stamp: try file.newStamp(), value: .null)]) }
            changes.append((row, state))
          }
          if !changes.isEmpty { try file.change(changes) }
          return ids.last
        }
        guard let reached else { return }
        last = reached
      }
    }
  }
}

extension StoreSync {
  /// Takes everything from the peer anew, if this replica was away for longer than the peer keeps deletions.
  ///
  /// - Returns: Whether it was.
  func startAfreshIfNeeded(with peer: some SyncPeer, _ other: ReplicaID) async throws -> Bool {
    let (position, wasInterrupted) = try await store.readingModule { connection in
      let file = try ReplicaFile(connection)
      return (try file.received(from: other), try file.isStartingAfresh(with: other))
    }
    if !wasInterrupted {
      guard position > 0 else { return false }
      guard try await position < peer.forgotten() else { return false }
    }
    try await setStartingAfresh(true, with: other)
    var start = FreshStart(self)
    try await start.run(with: peer, other)
    try await setStartingAfresh(false, with: other)
    return true
  }

  private func setStartingAfresh(_ isStarting: Bool, with other: ReplicaID) async throws {
    try await store.writingModule { connection in
      try connection.transaction { try ReplicaFile(connection).setStartingAfresh(isStarting, with: other) }
    }
  }

  /// Returns the position of the last deletion that this replica has forgotten; zero if it has forgotten none.
  ///
  /// - Throws: `StoreError` `.unsupported` if sync is off in the file; the errors of any read.
  public func forgotten() async throws -> Int64 {
    try await store.readingModule { try ReplicaFile($0).forgotten() }
  }
}
