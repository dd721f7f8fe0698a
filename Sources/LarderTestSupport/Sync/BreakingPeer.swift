import LarderSync
import Synchronization

/// A peer whose transport fails after a number of calls.
final class BreakingPeer: SyncPeer {
  struct Failure: Error {}

  private let peer: StoreSync
  private let rest: Atomic<Int>

  init(_ peer: StoreSync, calls: Int) {
    self.peer = peer
    rest = Atomic(calls)
  }

  private func count() throws {
    if rest.subtract(1, ordering: .relaxed).newValue < 0 { throw Failure() }
  }

  func replica() async throws -> ReplicaID {
    try count()
    return try await peer.replica()
  }

  func changes(after cursor: ChangeCursor, for recipient: ReplicaID, limit: Int) async throws -> ChangeBatch {
    try count()
    return try await peer.changes(after: cursor, for: recipient, limit: min(limit, 7))
  }

  func apply(_ batch: ChangeBatch) async throws -> Int {
    let changed = try await peer.apply(batch)
    // The peer has the batch, but its answer is lost.
    try count()
    return changed
  }

  func cursor(of replica: ReplicaID) async throws -> ChangeCursor {
    try count()
    return try await peer.cursor(of: replica)
  }

  func forgotten() async throws -> Int64 {
    try count()
    return try await peer.forgotten()
  }
}
