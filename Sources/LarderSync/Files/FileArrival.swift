import Crypto
import Foundation
import Larder

/// Takes the attachments of a file, as far as they are wanted.
struct FileArrival {
  private let sync: StoreSync
  private let transfer: AttachmentTransfer
  /// Where the attachment that is taken goes on; nil if it isn't taken, or is whole.
  private var offset: Int?

  init(_ sync: StoreSync, _ transfer: AttachmentTransfer) {
    self.sync = sync
    self.transfer = transfer
  }

  mutating func take(_ piece: AttachmentPiece) async throws {
    guard transfer.takes(piece.attachment) else { return }
    if piece.offset == 0, try await begins(piece.attachment) { offset = 0 }
    // Another exchange may take the same attachment, and be further.
    guard let start = offset, start >= piece.offset, start < piece.end || piece.end == piece.attachment.size else {
      return
    }
    let rest = AttachmentPiece(of: piece.attachment, at: start, Data(piece.bytes.dropFirst(start - piece.offset)))
    offset = try await sync.take(rest)
  }

  /// Returns whether an attachment isn't here. What has come of it from elsewhere is discarded: nobody has checked it, and
  /// the file has all bytes.
  private func begins(_ attachment: NamedAttachment) async throws -> Bool {
    guard let arrived = try await sync.offset(of: attachment) else { return false }
    if arrived > 0 { try await sync.store.removeArrival(ofAttachment: attachment.digest) }
    return true
  }
}

/// Checks that the attachments of a file have their digests, before any of them is taken.
struct AttachmentDigests {
  private var hash = SHA256()

  mutating func check(_ piece: AttachmentPiece) throws {
    if piece.offset == 0 { hash = SHA256() }
    hash.update(data: piece.bytes)
    guard piece.end == piece.attachment.size else { return }
    let digest = hash.finalize().map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined()
    guard digest == piece.attachment.digest else {
      throw BatchError(
        .invalid, "The bytes of an attachment don't have its digest. The program that wrote the file is at fault.")
    }
  }
}
