internal import Foundation

/// Checks that the pieces of attachments come as the format says, and makes messages of them.
struct AttachmentFrame {
  private static let digestSize = 32

  /// The piece before, if its attachment isn't whole.
  private var last: AttachmentPiece?

  /// Checks a piece, and returns its message.
  mutating func message(_ piece: AttachmentPiece) throws(BatchError.Problem) -> WireAttachment {
    try follow(piece)
    guard let digest = Self.bytes(ofDigest: piece.attachment.digest) else {
      throw .init("the digest of an attachment isn't one")
    }
    var message = WireAttachment()
    message.digest = digest
    message.size = UInt64(piece.attachment.size)
    message.offset = UInt64(piece.offset)
    message.contents = piece.bytes
    return message
  }

  /// Reads a message, and checks it.
  mutating func piece(_ message: WireAttachment) throws(BatchError.Problem) -> AttachmentPiece {
    guard message.digest.count == Self.digestSize else {
      throw .init("the digest of an attachment doesn't have 32 bytes")
    }
    guard let size = Int(exactly: message.size), let offset = Int(exactly: message.offset) else {
      throw .init("the size of an attachment has more than 63 bits")
    }
    let digest = message.digest.map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined()
    let piece = AttachmentPiece(of: NamedAttachment(digest: digest, size: size), at: offset, message.contents)
    try follow(piece)
    return piece
  }

  /// Throws if the attachment before isn't whole.
  func finish() throws(BatchError.Problem) {
    guard last == nil else { throw .init("the rest of an attachment is missing") }
  }

  private mutating func follow(_ piece: AttachmentPiece) throws(BatchError.Problem) {
    guard piece.isPossible else {
      throw .init("a piece of an attachment is empty, too long, or ends after the attachment")
    }
    if let last {
      guard piece.attachment == last.attachment, piece.offset == last.end else {
        throw .init("a piece of an attachment doesn't begin where the one before has ended")
      }
    } else {
      guard piece.offset == 0 else { throw .init("the beginning of an attachment is missing") }
    }
    last = piece.end == piece.attachment.size ? nil : piece
  }

  private static func bytes(ofDigest digest: String) -> Data? {
    let digits = Array(digest.utf8)
    guard digits.count == 2 * digestSize else { return nil }
    var bytes = Data(capacity: digestSize)
    for position in stride(from: 0, to: digits.count, by: 2) {
      guard let byte = UInt8(String(decoding: digits[position...position + 1], as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(byte)
    }
    return bytes
  }
}
