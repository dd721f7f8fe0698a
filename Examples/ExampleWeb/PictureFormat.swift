/// A format of pictures that browsers show and that can't contain scripts.
public enum PictureFormat: String, CaseIterable, Codable, Sendable {
  case png, jpeg, gif, webp

  /// The greatest number of bytes that a picture may have.
  public static let maximumBytes = 20 << 20

  /// The number of bytes at the start of a file that tell its format.
  public static let signatureLength = 12

  /// Creates the format that the first bytes of a file tell, or returns `nil` if it is none of these.
  public init?(signature bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes.prefix(Self.signatureLength))
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) {
      self = .gif
    } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).elementsEqual("WEBP".utf8) {
      self = .webp
    } else {
      return nil
    }
  }

  /// The format's media type, such as `image/png`.
  public var mediaType: String { "image/\(rawValue)" }
}
