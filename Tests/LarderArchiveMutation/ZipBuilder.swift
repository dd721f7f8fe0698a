public import Foundation

/// Zip files of any kind: right in form, and with any number of a header replaced by a wrong one.
public struct ZipBuilder: Sendable {
  /// An entry; what is nil is as it has to be.
  public struct Entry: Sendable {
    public var name: [UInt8]
    /// What the entry unfolds to.
    public var content: [UInt8]
    public var isDeflated = false
    /// The bytes in the file; nil for the content, as `isDeflated` says.
    public var raw: [UInt8]?
    public var flags: UInt16 = 0
    public var method: UInt16?
    public var version: UInt16 = 20
    public var checksum: UInt32?
    public var size: UInt32?
    public var compressedSize: UInt32?
    public var attributes: UInt32 = 0
    public var extra: [UInt8] = []
    /// Where the directory says that the header is.
    public var offset: UInt32?
    public var disk: UInt16 = 0
    /// What the header beside the content says, where it is not what the directory says.
    public var localName: [UInt8]?
    public var localFlags: UInt16?
    public var localMethod: UInt16?
    public var localChecksum: UInt32?
    public var localSize: UInt32?
    public var localCompressedSize: UInt32?
    public var localExtra: [UInt8] = []
    /// What stands behind the content.
    public var trailer: [UInt8] = []

    public init(_ name: String, _ content: [UInt8] = []) {
      self.name = Array(name.utf8)
      self.content = content
    }
  }

  public var entries: [Entry] = []
  public var comment: [UInt8] = []
  /// What stands before the first entry, and between the last one and the directory.
  public var prefix: [UInt8] = []
  public var gap: [UInt8] = []
  /// What the end record says, where it is not the truth.
  public var count: UInt16?
  public var directoryOffset: UInt32?
  public var directorySize: UInt32?

  public init(_ entries: [Entry] = []) { self.entries = entries }

  /// The file; O(bytes).
  public func file() -> Data {
    var bytes = prefix
    var directory: [UInt8] = []
    for entry in entries {
      let offset = UInt32(bytes.count)
      let raw = entry.raw ?? (entry.isDeflated ? Self.deflate(entry.content) : entry.content)
      let method = entry.method ?? (entry.isDeflated ? 8 : 0)
      let checksum = entry.checksum ?? Self.checksum(entry.content)
      let (size, compressed) = (entry.size ?? UInt32(entry.content.count), entry.compressedSize ?? UInt32(raw.count))
      let localName = entry.localName ?? entry.name
      bytes +=
        Self.numbers([0x0403_4b50], UInt32.self)
        + Self.numbers(
          [entry.version, entry.localFlags ?? entry.flags, entry.localMethod ?? method, 0, 33], UInt16.self)
      bytes += Self.numbers(
        [entry.localChecksum ?? checksum, entry.localCompressedSize ?? compressed, entry.localSize ?? size], UInt32.self
      )
      bytes +=
        Self.numbers([UInt16(localName.count), UInt16(entry.localExtra.count)], UInt16.self) + localName
        + entry.localExtra
      bytes += raw + entry.trailer
      directory +=
        Self.numbers([0x0201_4b50], UInt32.self)
        + Self.numbers([entry.version, entry.version, entry.flags, method, 0, 33], UInt16.self)
      directory += Self.numbers([checksum, compressed, size], UInt32.self)
      directory += Self.numbers([UInt16(entry.name.count), UInt16(entry.extra.count), 0, entry.disk, 0], UInt16.self)
      directory += Self.numbers([entry.attributes, entry.offset ?? offset], UInt32.self) + entry.name + entry.extra
    }
    bytes += gap
    let start = UInt32(bytes.count)
    bytes += directory
    let number = count ?? UInt16(truncatingIfNeeded: entries.count)
    bytes += Self.numbers([0x0605_4b50], UInt32.self) + Self.numbers([0, 0, number, number], UInt16.self)
    bytes += Self.numbers([directorySize ?? UInt32(directory.count), directoryOffset ?? start], UInt32.self)
    bytes += Self.numbers([UInt16(comment.count)], UInt16.self) + comment
    return Data(bytes)
  }

  public static func numbers<Number: FixedWidthInteger>(_ numbers: [Number], _ type: Number.Type) -> [UInt8] {
    numbers.flatMap { number in (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> Number(8 * $0)) } }
  }

  /// The checksum of zip files, computed bit by bit.
  public static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var crc = UInt32.max
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xedb8_8320 : crc >> 1 }
    }
    return ~crc
  }

  /// The bytes in blocks that are stored (RFC 1951, 3.2.4).
  public static func deflate(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var rest = bytes[...]
    repeat {
      let block = rest.prefix(65535)
      rest = rest.dropFirst(block.count)
      result += [rest.isEmpty ? 1 : 0] + numbers([UInt16(block.count), ~UInt16(block.count)], UInt16.self) + block
    } while !rest.isEmpty
    return result
  }

  /// A stream of a few bytes for each thousand zeros (RFC 1951, 3.2.6): one zero, then copies of it, 258 at a time.
  public static func zeros(_ copies: Int) -> (raw: [UInt8], count: Int) {
    var bits: [UInt8] = []
    func append(_ code: Int, _ width: Int) {
      for place in (0..<width).reversed() { bits.append(UInt8(code >> place & 1)) }
    }
    // The last block, with the fixed codes; the two bits of its kind are the other way round.
    bits += [1, 1, 0]
    append(0x30, 8)
    for _ in 0..<copies {
      append(0b1100_0101, 8)
      append(0, 5)
    }
    append(0, 7)
    var raw: [UInt8] = []
    for start in stride(from: 0, to: bits.count, by: 8) {
      raw.append(
        bits[start..<min(start + 8, bits.count)].enumerated().reduce(0) { $0 | $1.element << UInt8($1.offset) })
    }
    return (raw, 1 + 258 * copies)
  }
}
