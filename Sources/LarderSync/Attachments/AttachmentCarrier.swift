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
  /// The first error of an attachment whose bytes weren't its own. The others, and the rows, are carried all the same.
  private(set) var failure: StoreError?
  /// The attachments that the sender was asked for. It isn't asked for them again.
  private var asked: Set<NamedAttachment> = []
  /// The digests whose bytes were carried.
  private var carried: Set<String> = []

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
      // Rows may name one digest with several sizes, of which one is true.
      guard !carried.contains(attachment.digest), asked.insert(attachment).inserted else { continue }
      do {
        guard try await carry(attachment, from: offset) else { continue }
        carried.insert(attachment.digest)
        count += 1
      } catch let error as StoreError where error.code == .corrupt || error.code == .invalidValue {
        failure = failure ?? error
      }
    }
  }

  /// Carries what the recipient waits for, until the sender has no more of it.
  mutating func carryAwaited() async throws {
    var before: Int
    repeat {
      before = count
      try await carry([])
    } while count > before
  }

  /// Carries one attachment. Returns whether the recipient has all of it.
  func carry(_ attachment: NamedAttachment, from start: Int) async throws -> Bool {
    guard attachment.isPossible else { throw Self.refusal }
    var (offset, hasRestarted) = (start, false)
    while true {
      try Task.checkCancellation()
      guard (0...attachment.size).contains(offset) else { throw Self.refusal }
      guard let bytes = try await sender.attachment(attachment, from: offset) else { return false }
      let piece = AttachmentPiece(of: attachment, at: offset, bytes)
      guard piece.isPossible || bytes.isEmpty && offset == attachment.size else { throw Self.refusal }
      do {
        guard let next = try await recipient.take(piece) else { return true }
        // Another exchange may take the same attachment, and be further, or have discarded what came before.
        guard next > offset || !hasRestarted else { throw Self.refusal }
        if next <= offset { hasRestarted = true }
        offset = next
      } catch let error as StoreError where error.code == .corrupt && start > 0 && !hasRestarted {
        // What came before the first piece may be another peer's. The recipient has discarded it.
        (offset, hasRestarted) = (0, true)
      }
    }
  }

  private static var refusal: StoreError {
    StoreError(
      .invalidValue, ofModel: nil,
      "A peer has sent a piece of an attachment that can't be one of it, or wants one that there can't be. The peer or its transport is damaged."
    )
  }
}
