import ExampleWeb
import Foundation

/// The size of a picture in pixels, read from its header alone; nothing is decompressed.
///
/// Sources: PNG (W3C, 11.2.2 IHDR), GIF89a (18, logical screen), WebP (RFC 9649), JPEG (ITU-T T.81, B.2.2 frame
/// header).
struct PictureSize: Equatable {
  let width: Int
  let height: Int

  /// `nil` where the header is cut off, or is none of the format.
  init?(of bytes: Data, format: PictureFormat) {
    let reader = Reader(bytes: bytes)
    let size: (Int?, Int?) =
      switch format {
      case .png: reader.has("IHDR", at: 12) ? (reader.bigEndian(4, at: 16), reader.bigEndian(4, at: 20)) : (nil, nil)
      case .gif: (reader.littleEndian(2, at: 6), reader.littleEndian(2, at: 8))
      case .webp: Self.webp(reader)
      case .jpeg: Self.jpeg(reader)
      }
    guard let width = size.0, let height = size.1, width > 0, height > 0 else { return nil }
    self.width = width
    self.height = height
  }

  private static func webp(_ reader: Reader) -> (Int?, Int?) {
    if reader.has("VP8X", at: 12) {
      return (reader.littleEndian(3, at: 24).map { $0 + 1 }, reader.littleEndian(3, at: 27).map { $0 + 1 })
    }
    if reader.has("VP8L", at: 12), reader.byte(20) == 0x2F, let bits = reader.littleEndian(4, at: 21) {
      return ((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    }
    if reader.has("VP8 ", at: 12), reader.bigEndian(3, at: 23) == 0x9D012A {
      return (reader.littleEndian(2, at: 26).map { $0 & 0x3FFF }, reader.littleEndian(2, at: 28).map { $0 & 0x3FFF })
    }
    return (nil, nil)
  }

  /// Walks over the segments up to the frame header; each step goes forward.
  private static func jpeg(_ reader: Reader) -> (Int?, Int?) {
    var offset = 2
    while reader.byte(offset) == 0xFF, let marker = reader.byte(offset + 1) {
      switch marker {
      case 0xFF: offset += 1
      case 0x01, 0xD0...0xD8: offset += 2
      // The end of the picture, or its lines: there was no frame header.
      case 0xD9, 0xDA: return (nil, nil)
      case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(marker):
        return (reader.bigEndian(2, at: offset + 7), reader.bigEndian(2, at: offset + 5))
      default:
        guard let length = reader.bigEndian(2, at: offset + 2), length >= 2 else { return (nil, nil) }
        offset += 2 + length
      }
    }
    return (nil, nil)
  }

  /// Numbers at places that may lie beyond the end.
  private struct Reader {
    let bytes: Data

    func byte(_ offset: Int) -> Int? {
      offset < bytes.count ? Int(bytes[bytes.startIndex + offset]) : nil
    }

    func bigEndian(_ count: Int, at offset: Int) -> Int? {
      guard offset + count <= bytes.count else { return nil }
      return (offset..<offset + count).reduce(0) { $0 << 8 | (byte($1) ?? 0) }
    }

    func littleEndian(_ count: Int, at offset: Int) -> Int? {
      guard offset + count <= bytes.count else { return nil }
      return (offset..<offset + count).reversed().reduce(0) { $0 << 8 | (byte($1) ?? 0) }
    }

    func has(_ text: String, at offset: Int) -> Bool {
      bytes.dropFirst(offset).prefix(text.utf8.count).elementsEqual(text.utf8)
    }
  }
}
