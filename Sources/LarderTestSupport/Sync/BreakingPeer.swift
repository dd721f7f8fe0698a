import Foundation
import LarderSync
import Synchronization

/// A peer whose transport fails after a number of calls, or whose task is cancelled then.
final class BreakingPeer: SyncPeer {
  struct Failure: Error {}

  private let peer: StoreSync
  private let rest: Atomic<Int>
  private let cancels: Bool

  init(_ peer: StoreSync, calls: Int, cancels: Bool = false) {
    (self.peer, self.cancels) = (peer, cancels)
    rest = Atomic(calls)
  }

  private func count() throws {
    if rest.subtract(1, ordering: .relaxed).newValue >= 0 { return }
    guard cancels else { throw Failure() }
    withUnsafeCurrentTask { $0?.cancel() }
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

  func wanted(among attachments: [NamedAttachment]) async throws -> [NamedAttachment: Int] {
    try count()
    return try await peer.wanted(among: attachments)
  }

  func attachment(_ attachment: NamedAttachment, from offset: Int) async throws -> Data? {
    try count()
    return try await peer.attachment(attachment, from: offset)
  }

  func take(_ piece: AttachmentPiece) async throws -> Int? {
    try count()
    return try await peer.take(piece)
  }
}
