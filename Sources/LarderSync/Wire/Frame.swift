internal import Foundation
internal import LarderArchive

/// The frames of a batch. Their layout is described in `sync.proto`.
enum Frame {
  /// What a frame holds.
  enum Kind: UInt8 {
    case header = 1
    case opening = 2
    case rows = 3
    case end = 4
    case attachment = 5

    /// What messages call it.
    var name: String {
      switch self {
      case .header: "header"
      case .opening: "opening frame"
      case .rows: "frame of rows"
      case .end: "end"
      case .attachment: "frame of an attachment"
      }
    }
  }

  static let magic: [UInt8] = [0x89, 0x4c, 0x53, 0x59, 0x0d, 0x0a, 0x1a, 0x0a]
  /// The number of bytes before the payload.
  static let prefixSize = 16
  /// The number of bytes before the checksum.
  static let checkedSize = 8

  /// Returns a frame.
  ///
  /// - Parameters:
  ///   - kind: What it holds.
  ///   - payload: The payload.
  ///   - checksum: The checksum of the frame before; afterwards that of this frame.
  static func bytes(_ kind: Kind, payload: Data, after checksum: inout UInt64) -> Data {
    var frame = Data(capacity: prefixSize + payload.count)
    frame.append(contentsOf: [kind.rawValue, 0, 0, 0])
    frame.append(bigEndian: UInt32(payload.count))
    checksum = Self.checksum(of: frame, payload, after: checksum)
    frame.append(bigEndian: checksum)
    frame.append(payload)
    return frame
  }

  /// The checksum of a frame.
  ///
  /// - Parameters:
  ///   - start: The bytes before the checksum.
  ///   - payload: The payload.
  ///   - checksum: The checksum of the frame before.
  static func checksum(of start: Data, _ payload: Data, after checksum: UInt64) -> UInt64 {
    var crc = CRC64()
    withUnsafeBytes(of: checksum.bigEndian) { crc.update($0) }
    start.withUnsafeBytes { crc.update($0) }
    payload.withUnsafeBytes { crc.update($0) }
    return crc.value
  }
}

extension Data {
  mutating func append(bigEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }

  /// The number at an offset from the first byte, which must be there.
  func bigEndian<Number: FixedWidthInteger>(_: Number.Type, at offset: Int) -> Number {
    withUnsafeBytes { Number(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
  }
}
