import Foundation
import Larder

/// Carries the bytes of attachments from one side of an exchange to the other.
///
/// It asks the recipient where to go on, so that nothing is sent twice, and sends bounded pieces. The recipient checks
/// the digest before it keeps anything.
struct AttachmentCarrier<Sender: SyncPeer, Recipient: SyncPeer> {
  private let sender: Sender
  private let recipient: Recipient
  private let transfer: AttachmentTransfer
  /// The number of attachments that were carried.
  private(set) var count = 0
  /// The first attachment whose bytes weren't those of its digest. The others, and the rows, are carried all the same.
  private(set) var failure: StoreError?
  /// The attachments whose bytes weren't their own. The sender isn't asked for them again.
  private var refused: Set<NamedAttachment> = []

  init(from sender: Sender, to recipient: Recipient, _ transfer: AttachmentTransfer) {
    self.sender = sender
    self.recipient = recipient
    self.transfer = transfer
  }

  /// Carries the attachments that rows name, as far as the recipient wants them, and others that it waits for.
  mutating func carry(_ rows: [RowState]) async throws {
    guard transfer.takesBytes else { return }
    let named = Set(rows.filter(\.isThere).flatMap(\.namedAttachments))
    let wanted = try await recipient.wanted(among: named.sorted())
    for (attachment, offset) in wanted.sorted(by: { $0.key < $1.key }) where transfer.takes(attachment) {
      if refused.contains(attachment) { continue }
      do {
        if try await carry(attachment, from: offset) { count += 1 }
      } catch let error as StoreError where error.code == .corrupt {
        failure = failure ?? error
        refused.insert(attachment)
      }
    }
  }

  /// Carries one attachment. Returns whether the recipient has all of it.
  func carry(_ attachment: NamedAttachment, from start: Int) async throws -> Bool {
    var offset = start
    while true {
      try Task.checkCancellation()
      guard (0...attachment.size).contains(offset) else { throw Self.refusal }
      guard let bytes = try await sender.attachment(attachment, from: offset) else { return false }
      let piece = AttachmentPiece(of: attachment, at: offset, bytes)
      guard piece.isPossible || bytes.isEmpty && offset == attachment.size else { throw Self.refusal }
      guard let next = try await recipient.take(piece) else { return true }
      // Another exchange may take the same attachment, and be further.
      guard next > offset else { throw Self.refusal }
      offset = next
    }
  }

  private static var refusal: StoreError {
    StoreError(
      .invalidValue, ofModel: nil,
      "A peer has sent a piece of an attachment that can't be one of it: too much, nothing, or another part. The peer or its transport is damaged."
    )
  }
}
