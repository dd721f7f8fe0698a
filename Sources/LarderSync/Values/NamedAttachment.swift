import Larder

/// An attachment as rows name it: by the digest of its bytes.
public struct NamedAttachment: Sendable, Hashable {
  /// The SHA-256 digest of the bytes: 64 lowercase hexadecimal digits.
  public let digest: String
  /// The number of bytes that the rows name.
  public let size: Int

  /// Creates the name of an attachment.
  ///
  /// - Parameters:
  ///   - digest: The SHA-256 digest of the bytes: 64 lowercase hexadecimal digits.
  ///   - size: The number of bytes.
  public init(digest: String, size: Int) {
    self.digest = digest
    self.size = size
  }

  /// Whether a row can name the attachment.
  var isPossible: Bool { size >= 0 && Attachment.isDigest(digest) }
}

extension NamedAttachment: Comparable {
  /// Compares the digests, and the sizes of equal digests.
  public static func < (left: NamedAttachment, right: NamedAttachment) -> Bool {
    (left.digest, left.size) < (right.digest, right.size)
  }
}
