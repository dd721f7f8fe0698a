/// Whether the bytes of attachments travel with the rows that name them.
public struct AttachmentTransfer: Sendable, Hashable {
  /// The greatest attachment that travels; nil if none does.
  private let greatest: Int?

  /// The bytes come before the rows that name them.
  public static let eager = AttachmentTransfer(greatest: .max)
  /// The rows come alone. ``StoreSync/fetch(_:from:)`` gets the bytes of one of their attachments.
  public static let onDemand = AttachmentTransfer(greatest: nil)

  /// The bytes come before the rows that name them, except those of large attachments.
  ///
  /// - Parameter size: The number of bytes of the greatest attachment that comes by itself.
  public static func eager(upTo size: Int) -> AttachmentTransfer { AttachmentTransfer(greatest: size) }

  /// Whether any bytes travel.
  var takesBytes: Bool { greatest != nil }

  func takes(_ attachment: NamedAttachment) -> Bool { greatest.map { attachment.size <= $0 } ?? false }
}
