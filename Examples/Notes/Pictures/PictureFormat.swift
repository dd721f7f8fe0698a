/// The formats that a browser shows and nobody can hide a program in.
enum PictureFormat: String, CaseIterable, Sendable {
  case png, jpeg, gif, webp

  var mediaType: String { "image/\(rawValue)" }

  static let maximumBytes = 20 * 1024 * 1024

  /// How many bytes from the start of a file tell its format.
  static let signatureLength = 12

  /// Tells the format by its signature, whatever the file's name says. `nil` if it is none of these.
  init?(signature bytes: some Sequence<UInt8>) {
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
}
