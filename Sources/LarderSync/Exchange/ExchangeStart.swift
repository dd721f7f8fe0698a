import Larder

/// What both sides know of each other when an exchange begins.
struct ExchangeStart {
  /// This file as a replica.
  let own: ReplicaID
  /// Up to where this file has the changes of the peer.
  let received: ChangeCursor
  /// Up to where the peer has the changes of this file.
  let sent: ChangeCursor
  /// The position of the last deletion that this file has forgotten.
  fileprivate let forgotten: Int64
  /// What that was when this file began to send the peer all of its changes.
  let sentAfter: Int64
  /// What the peer had forgotten when this file began to take all of its changes.
  fileprivate let begunAfter: Int64
  /// Whether this file has begun to take everything from the peer anew, and was interrupted.
  fileprivate let startsAfresh: Bool
}

extension StoreSync {
  /// Asks both sides what they know of each other, and the peer for its first changes.
  func begin(with peer: some SyncPeer) async throws -> (start: ExchangeStart, first: ChangeBatch) {
    let start = try await start(with: peer)
    do {
      return (start, try await Self.changes(of: peer, after: start.received, for: start.own))
    } catch {
      if await !isOutdated(start, with: peer, after: error) {
        guard try await forgetReceived(start.received, of: peer, after: error) else { throw error }
      }
      let next = try await self.start(with: peer)
      return (next, try await Self.changes(of: peer, after: next.received, for: next.own))
    }
  }

  /// Returns whether a side has become a new replica since the start, because its file was put back from an older copy. The
  /// exchange begins anew then.
  func isOutdated(_ start: ExchangeStart, with peer: some SyncPeer, after error: any Error) async -> Bool {
    if error is CancellationError || Task.isCancelled { return false }
    do {
      if try await replica() != start.own { return true }
      return try await peer.replica() != start.received.replica
    } catch {
      // The first error counts.
      return false
    }
  }

  /// Forgets up to where this file has the changes of a peer that has refused to go on there, if it can't have come so far:
  /// someone else has sent changes in its name.
  private func forgetReceived(
    _ received: ChangeCursor, of peer: some SyncPeer, after error: any Error
  ) async throws -> Bool {
    if error is CancellationError || Task.isCancelled { return false }
    // If the peer doesn't answer, the first error counts.
    guard let newest = try? await peer.cursor(of: received.replica).position, newest > 0, newest < received.position
    else { return false }
    return try await store.writingModule { connection in
      try connection.transaction {
        let file = try ReplicaFile(connection)
        guard try received.position > WaitingChanges(file).latestTime() else { return false }
        try file.forgetReceived(from: received.replica)
        return true
      }
    }
  }

  private func start(with peer: some SyncPeer) async throws -> ExchangeStart {
    let other = try await peer.replica()
    let start = try await start(with: peer, other)
    guard start.own != other else {
      throw StoreError(
        .unsupported, ofModel: nil,
        "Both sides of the exchange are the same file. Exchange with another one; a copy of a file counts as one.")
    }
    return start
  }

  /// Asks both sides what they know of each other.
  ///
  /// The file gets a new identifier if the peer has more from it than it has handed out: then it was replaced by an older
  /// copy.
  ///
  /// - Parameter other: The peer as a replica.
  func start(with peer: some SyncPeer, _ other: ReplicaID) async throws -> ExchangeStart {
    let (start, handedOut) = try await start(toward: other, from: peer)
    if handedOut >= start.sent.position { return start }
    // Another exchange may have handed out more since.
    let sent = ChangeCursor(replica: start.own, position: start.sent.position)
    let wasOlder = try await store.writingModule { connection in
      try connection.transaction { try ReplicaFile(connection).becomeNewReplica(ifOlderThan: sent) }
    }
    return wasOlder ? try await self.start(toward: other, from: peer).start : start
  }

  private func start(
    toward other: ReplicaID, from peer: some SyncPeer
  ) async throws -> (start: ExchangeStart, handedOut: Int64) {
    let known = try await store.readingModule(isBrief: true) { connection in
      let file = try ReplicaFile(connection)
      return try file.isCopy() ? nil : OwnSide(file, toward: other)
    }
    let own: OwnSide
    if let known {
      own = known
    } else {
      _ = try await replica()
      own = try await store.readingModule(isBrief: true) { try OwnSide(ReplicaFile($0), toward: other) }
    }
    let start = ExchangeStart(
      own: own.replica, received: ChangeCursor(replica: other, position: own.progress.received),
      sent: try await peer.cursor(of: own.replica), forgotten: own.forgotten, sentAfter: own.sentAfter,
      begunAfter: own.progress.begunAfter, startsAfresh: own.progress.startsAfresh)
    return (start, own.handedOut)
  }

  /// What this file knows, as of one commit.
  private struct OwnSide {
    let replica: ReplicaID
    let handedOut: Int64
    let progress: ReplicaFile.Progress
    let forgotten: Int64
    let sentAfter: Int64

    init(_ file: ReplicaFile, toward other: ReplicaID) throws {
      replica = try file.own()
      handedOut = try file.clock().identified
      progress = try file.progress(of: other)
      forgotten = try file.forgotten()
      sentAfter = try forgotten > 0 ? file.sentAfter(to: other) : 0
    }
  }
}

extension ExchangeStart {
  /// Returns whether this file was away for longer than the peer keeps deletions, or the peer for longer than this one does
  /// and can't tell.
  ///
  /// - Parameter first: What the peer hands out next.
  func needsFreshStart(with peer: some SyncPeer, _ first: ChangeBatch) async throws -> Bool {
    if startsAfresh { return true }
    // Two that meet for the first time hand each other everything.
    guard received.position > 0 || sent.position > 0 else { return false }
    // Who begins with the first change needs none of the deletions that were forgotten before, also if it is interrupted.
    let heardOf = received.position > 0 ? max(received.position, begunAfter) : 0
    if try await heardOf < max(first.forgotten, peer.forgotten()) { return true }
    // A peer that has nothing of this replica can't tell what it has missed.
    return sent.position == 0 && forgotten > 0
  }

  /// Returns whether the peer was away for longer than this file keeps deletions.
  ///
  /// Who begins with the first change needs none of the deletions that were forgotten before, also if it is interrupted.
  ///
  /// - Parameter first: What this file hands out next.
  func peerNeedsFreshStart(_ first: ChangeBatch) -> Bool {
    sent.position > 0 && sent.position < first.forgotten && sentAfter < first.forgotten
  }
}
