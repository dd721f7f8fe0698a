public import Foundation

/// Binary property lists of any graph: valid in form, and built as no encoder would.
public struct BinaryListBuilder {
  /// An object of the list; containers name their elements by number.
  public enum Object {
    case null
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case float(Float)
    case date(Double)
    case data([UInt8])
    /// Written as ASCII where it is that, and as UTF-16 otherwise.
    case text(String)
    /// Written as UTF-16 in any case.
    case wideText(String)
    case uid(Int)
    case array([Int])
    case dictionary([(key: Int, value: Int)])
    /// An object whose bytes begin inside another's, so many bytes behind its begin.
    case inside(Int, Int)
    /// Bytes as they are.
    case raw([UInt8])
  }

  public var objects: [Object] = []

  public init() {}

  /// Adds an object, and returns its number.
  @discardableResult
  public mutating func add(_ object: Object) -> Int {
    objects.append(object)
    return objects.count - 1
  }

  /// The list; O(bytes).
  public func list(top: Int = 0) -> Data {
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for object in objects {
      if case .inside(let other, let distance) = object {
        offsets.append(offsets[other] + distance)
        continue
      }
      offsets.append(bytes.count)
      append(object, to: &bytes)
    }
    let table = bytes.count
    for offset in offsets { bytes += Self.bigEndian(offset, 4) }
    bytes += [0, 0, 0, 0, 0, 0, 4, 4]
    for number in [objects.count, top, table] { bytes += Self.bigEndian(number, 8) }
    return Data(bytes)
  }

  private func append(_ object: Object, to bytes: inout [UInt8]) {
    switch object {
    case .null: bytes.append(0x00)
    case .bool(let flag): bytes.append(flag ? 0x09 : 0x08)
    case .integer(let number): bytes += [0x13] + Self.bigEndian(Int(number), 8)
    case .real(let number): bytes += [0x23] + Self.bigEndian(Int(bitPattern: UInt(number.bitPattern)), 8)
    case .float(let number): bytes += [0x22] + Self.bigEndian(Int(number.bitPattern), 4)
    case .date(let seconds): bytes += [0x33] + Self.bigEndian(Int(bitPattern: UInt(seconds.bitPattern)), 8)
    case .data(let data): bytes += Self.marker(0x40, data.count) + data
    case .text(let text) where text.utf8.allSatisfy { $0 < 0x80 }:
      bytes += Self.marker(0x50, text.utf8.count) + Array(text.utf8)
    case .text(let text), .wideText(let text):
      bytes += Self.marker(0x60, text.utf16.count) + text.utf16.flatMap { Self.bigEndian(Int($0), 2) }
    case .uid(let number): bytes += [0x83] + Self.bigEndian(number, 4)
    case .array(let elements): bytes += Self.marker(0xa0, elements.count) + elements.flatMap { Self.bigEndian($0, 4) }
    case .dictionary(let entries):
      bytes +=
        Self.marker(0xd0, entries.count) + entries.flatMap { Self.bigEndian($0.key, 4) }
        + entries.flatMap { Self.bigEndian($0.value, 4) }
    case .raw(let raw): bytes += raw
    case .inside: break
    }
  }

  public static func marker(_ kind: UInt8, _ count: Int) -> [UInt8] {
    count < 15 ? [kind | UInt8(count)] : [kind | 0x0f, 0x12] + bigEndian(count, 4)
  }

  public static func bigEndian(_ number: Int, _ width: Int) -> [UInt8] {
    (0..<width).map { UInt8(truncatingIfNeeded: number >> (8 * (width - 1 - $0))) }
  }
}

extension BinaryListBuilder {
  /// Texts that lie over one another: each is as long as asked for, and begins six bytes behind the one before.
  ///
  /// - Returns: The numbers of the texts.
  public mutating func addOverlappingTexts(_ count: Int, length: Int) -> [Int] {
    // Marker and length are letters of the texts before them; so each byte of the length is below 128.
    let length = length & 0x7f7f_7f7f
    let header: [UInt8] = [0x5f, 0x12] + Self.bigEndian(length, 4)
    let first = add(.raw((0..<count).flatMap { _ in header } + [UInt8](repeating: 0x61, count: length)))
    return [first] + (1..<count).map { add(.inside(first, 6 * $0)) }
  }

  /// A keyed archive of objects; the first stands for nil and the second is the root.
  public static func keyedArchive(root: Int = 1, _ make: (inout BinaryListBuilder) -> [Int]) -> Data {
    var builder = BinaryListBuilder()
    builder.add(.null)
    let objects = make(&builder)
    let keys = ["$archiver", "$version", "$objects", "$top", "root"].map { builder.add(.text($0)) }
    let values = [
      builder.add(.text("NSKeyedArchiver")), builder.add(.integer(100_000)),
      builder.add(.array([builder.add(.text("$null"))] + objects)),
      builder.add(.dictionary([(keys[4], builder.add(.uid(root)))])),
    ]
    builder.objects[0] = .dictionary(zip(keys, values).map { (key: $0, value: $1) })
    return builder.list()
  }
}
