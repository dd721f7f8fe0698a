import Foundation

@testable import LarderSync

/// What makes an exchange fail, or cancels its task, after a number of calls.
actor Interruption {
  struct Failure: Error {}

  private var rest: Int
  private let cancels: Bool

  init(after calls: Int, cancels: Bool) {
    rest = calls
    self.cancels = cancels
  }

  func count() throws {
    rest -= 1
    if rest >= 0 { return }
    guard cancels else { throw Failure() }
    withUnsafeCurrentTask { $0?.cancel() }
  }
}

/// A peer that counts its calls for an interruption.
struct FailingPeer: SyncPeer {
  private let peer: any SyncPeer
  private let calls: Interruption

  init(_ peer: any SyncPeer, _ calls: Interruption) {
    (self.peer, self.calls) = (peer, calls)
  }

  func replica() async throws -> ReplicaID {
    try await calls.count()
    return try await peer.replica()
  }

  func changes(after cursor: ChangeCursor, for recipient: ReplicaID, limit: Int) async throws -> ChangeBatch {
    try await calls.count()
    return try await peer.changes(after: cursor, for: recipient, limit: min(limit, 7))
  }

  func apply(_ batch: ChangeBatch) async throws -> Int {
    let changed = try await peer.apply(batch)
    // The peer has the batch, but the answer is lost.
    try await calls.count()
    return changed
  }

  func cursor(of replica: ReplicaID) async throws -> ChangeCursor {
    try await calls.count()
    return try await peer.cursor(of: replica)
  }

  func wanted(among attachments: [NamedAttachment]) async throws -> [NamedAttachment: Int] {
    try await calls.count()
    return try await peer.wanted(among: attachments)
  }

  func attachment(_ attachment: NamedAttachment, from offset: Int) async throws -> Data? {
    try await calls.count()
    return try await peer.attachment(attachment, from: offset)
  }

  func take(_ piece: AttachmentPiece) async throws -> Int? {
    let next = try await peer.take(piece)
    try await calls.count()
    return next
  }

  func forgotten() async throws -> Int64 {
    try await calls.count()
    return try await peer.forgotten()
  }
}
