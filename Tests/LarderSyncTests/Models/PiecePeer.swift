import Foundation
import LarderSync
import Synchronization

/// A peer that counts the pieces that it hands out, and changes them or breaks off as it is told to.
final class PiecePeer: SyncPeer {
  struct Failure: Error {}

  private let peer: StoreSync
  private let change: @Sendable (Data, Int) throws -> Data?
  private let counter = Atomic<Int>(0)
  var count: Int { counter.load(ordering: .relaxed) }

  /// - Parameter change: Gets the bytes and the number of the piece.
  init(_ peer: StoreSync, _ change: @escaping @Sendable (Data, Int) throws -> Data? = { bytes, _ in bytes }) {
    self.peer = peer
    self.change = change
  }

  func replica() async throws -> ReplicaID { try await peer.replica() }

  func cursor(of replica: ReplicaID) async throws -> ChangeCursor { try await peer.cursor(of: replica) }

  func changes(after cursor: ChangeCursor, for recipient: ReplicaID, limit: Int) async throws -> ChangeBatch {
    try await peer.changes(after: cursor, for: recipient, limit: limit)
  }

  func apply(_ batch: ChangeBatch) async throws -> Int { try await peer.apply(batch) }

  func attachment(_ attachment: NamedAttachment, from offset: Int) async throws -> Data? {
    guard let bytes = try await peer.attachment(attachment, from: offset) else { return nil }
    return try change(bytes, counter.add(1, ordering: .relaxed).newValue)
  }
}
