internal import Crypto
internal import Foundation

extension GroupKey {
  /// The digits of Crockford's base 32, without letters that look like numbers: <https://www.crockford.com/base32.html>.
  private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
  private static let checksumSize = 3
  private static let groupSize = 4

  /// The key as text, for people and QR codes: 14 groups of four letters and digits. Whoever reads it has the key.
  ///
  /// It holds the key and three bytes of a checksum, in Crockford's base 32.
  public var text: String {
    let bytes = bytes + Self.checksum(of: bytes)
    var (text, bits, count) = ("", 0, 0)
    for byte in bytes {
      bits = bits << 8 | Int(byte)
      count += 8
      while count >= 5 {
        count -= 5
        text.append(Self.digits[bits >> count & 31])
      }
      bits &= 1 << count - 1
    }
    return stride(from: 0, to: text.count, by: Self.groupSize)
      .map { String(text.dropFirst($0).prefix(Self.groupSize)) }.joined(separator: "-")
  }

  /// Creates the key from its text.
  ///
  /// Small letters, spaces and missing hyphens are accepted, and the letters I, L and O for the digits they look like.
  ///
  /// - Parameter text: What ``text`` returned.
  /// - Throws: ``BatchError`` `.invalidKey` if it isn't such a text, or a letter is wrong.
  public init(text: String) throws {
    var (bytes, bits, count) = (Data(), 0, 0)
    for character in text.uppercased() where character != "-" && !character.isWhitespace {
      let meant: Character =
        switch character {
        case "O": "0"
        case "I", "L": "1"
        default: character
        }
      guard let digit = Self.digits.firstIndex(of: meant), bytes.count < Self.byteCount + Self.checksumSize else {
        throw Self.invalidText
      }
      bits = bits << 5 | digit
      count += 5
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(bits >> count))
      bits &= 1 << count - 1
    }
    let key = bytes.prefix(Self.byteCount)
    guard bytes.count == Self.byteCount + Self.checksumSize, bytes.dropFirst(Self.byteCount) == Self.checksum(of: key),
      count == 0, let made = Self(bytes: Data(key))
    else { throw Self.invalidText }
    self = made
  }

  private static let invalidText = BatchError(
    .invalidKey,
    "The text isn't a key: it has 56 letters and digits, and the last of them check the others. Type it again.")

  private static func checksum(of key: Data) -> Data {
    Data(SHA256.hash(data: Data("larder sync 1 key text".utf8) + key)).prefix(checksumSize)
  }
}
