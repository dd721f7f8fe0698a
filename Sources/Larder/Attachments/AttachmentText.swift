/// The JSON of an attachment, written and read without an encoder where its names have no character that JSON escapes.
///
/// The text is the one that ``JSONCoding`` writes; any other JSON of the same meaning is left to it.
enum AttachmentText {
  private static let opening = #"{"larder.attachment":""#
  private static let name = #"","name":""#
  private static let size = #","size":"#
  private static let type = #","type":""#

  /// The text, or nil for names that only an encoder can write.
  static func write(_ attachment: Attachment) -> String? {
    guard isPlain(attachment.fileName), isPlain(attachment.mediaType) else { return nil }
    var text = opening
    text.reserveCapacity(160)
    text += attachment.digest
    if let fileName = attachment.fileName {
      text += name
      text += fileName
    }
    text += "\""
    text += size
    text += String(attachment.size)
    if let mediaType = attachment.mediaType {
      text += type
      text += mediaType
      text += "\""
    }
    return text + "}"
  }

  private static func isPlain(_ text: String?) -> Bool {
    text?.utf8.allSatisfy(isPlain) ?? true
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  /// The attachment of a text that ``write(_:)`` may have written, or nil.
  static func read(_ text: String) -> Attachment? {
    var rest = text.utf8[...]
    func skip(_ part: String) -> Bool {
      guard rest.starts(with: part.utf8) else { return false }
      rest = rest.dropFirst(part.utf8.count)
      return true
    }
    func string() -> String? {
      let bytes = rest.prefix(while: isPlain)
      rest = rest[bytes.endIndex...]
      return skip("\"") ? String(decoding: bytes, as: UTF8.self) : nil
    }
    guard skip(opening) else { return nil }
    // The 64th byte of a damaged text may be in the middle of a letter.
    let digest = String(decoding: rest.prefix(64), as: UTF8.self)
    rest = rest.dropFirst(64)
    guard Attachment.isDigest(digest) else { return nil }
    var (fileName, mediaType): (String?, String?) = (nil, nil)
    if skip(name) {
      fileName = string()
      guard fileName != nil else { return nil }
    } else if !skip("\"") {
      return nil
    }
    guard skip(size) else { return nil }
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    rest = rest[digits.endIndex...]
    guard let size = Int(String(decoding: digits, as: UTF8.self)) else { return nil }
    if skip(type) {
      mediaType = string()
      guard mediaType != nil else { return nil }
    }
    guard skip("}"), rest.isEmpty else { return nil }
    return Attachment(digest: digest, size: size, mediaType: mediaType, fileName: fileName, lease: nil)
  }
}
