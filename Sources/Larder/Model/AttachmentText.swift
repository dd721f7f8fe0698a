/// Reads and writes the JSON of an attachment without an encoder, if its names have no characters that JSON escapes.
///
/// The text is identical to that of ``JSONCoding``, which handles all other JSON.
enum AttachmentText {
  private static let opening = #"{"larder.attachment":""#
  private static let name = #"","name":""#
  private static let size = #","size":"#
  private static let type = #","type":""#

  /// Returns the JSON, or nil for names that need an encoder.
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

  /// Parses JSON that ``write(_:)`` may have written; returns nil for any other text.
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
    // The 64th byte of a damaged text may be inside a multibyte character.
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
