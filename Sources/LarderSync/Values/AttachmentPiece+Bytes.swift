public import Foundation

extension AttachmentPiece {
  /// Returns the piece as bytes, for a transport that keeps pieces one by one.
  ///
  /// - Parameters:
  ///   - sender: The replica that sends.
  ///   - key: The key that seals the piece; nil if it isn't sealed.
  /// - Throws: ``BatchError`` `.invalidValue` for a piece that can't be one of its attachment.
  public func encoded(from sender: ReplicaID, key: GroupKey? = nil) throws -> Data {
    let start = ChangeCursor(replica: sender, position: 0)
    var writer = try BatchWriter(
      BatchHeader(since: start, upTo: start, recipient: nil, isLast: false), modelsDigest: Data(), knowledge: [],
      key: key)
    // Alone, it is written as if it were whole: the transport knows where it belongs.
    let whole = NamedAttachment(digest: attachment.digest, size: bytes.count)
    var encoded = try writer.append(AttachmentPiece(of: whole, at: 0, bytes))
    encoded.append(try writer.finish())
    return encoded
  }

  /// Reads a piece.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of ``encoded(from:key:)``.
  ///   - attachment: The attachment that is wanted.
  ///   - offset: Where the piece is wanted to begin.
  ///   - keys: The keys of the group. If there are any, only sealed pieces are taken.
  /// - Throws: ``BatchError`` for damaged bytes, and for those of another attachment.
  public init(
    decoding bytes: Data, of attachment: NamedAttachment, at offset: Int, keys: [GroupKey] = []
  ) throws {
    var reader = BatchReader(keys: keys)
    reader.append(bytes)
    var found: AttachmentPiece?
    while let part = try reader.next() {
      if case .attachment(let piece) = part { found = piece }
    }
    try reader.finish()
    guard let found, found.attachment.digest == attachment.digest else {
      throw BatchError(.invalid, "The bytes are not a piece of the attachment. Have it sent again.")
    }
    self.init(of: attachment, at: offset, found.bytes)
  }
}
