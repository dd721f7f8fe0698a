public import Foundation
import Larder

/// A piece of the bytes of an attachment.
public struct AttachmentPiece: Sendable, Hashable {
  /// The most bytes of a piece: 256 KiB.
  public static let greatestSize = Store.greatestPiece

  /// The attachment.
  public let attachment: NamedAttachment
  /// Where the piece begins.
  public let offset: Int
  /// The bytes; empty only for an attachment without bytes.
  public let bytes: Data

  /// Creates a piece.
  ///
  /// - Parameters:
  ///   - attachment: The attachment.
  ///   - offset: Where the piece begins.
  ///   - bytes: The bytes, at most ``greatestSize``.
  public init(of attachment: NamedAttachment, at offset: Int, _ bytes: Data) {
    self.attachment = attachment
    self.offset = offset
    self.bytes = bytes
  }

  /// Where the piece ends.
  public var end: Int { offset + bytes.count }

  /// Whether the piece can be one of the attachment's.
  var isPossible: Bool {
    let (end, overflow) = offset.addingReportingOverflow(bytes.count)
    return attachment.isPossible && offset >= 0 && !overflow && end <= attachment.size
      && bytes.count <= Self.greatestSize
      && (!bytes.isEmpty || attachment.size == 0)
  }
}
