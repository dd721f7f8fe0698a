/// The structure of a binary property list, read in place: header, objects, table of offsets, trailer.
///
/// The bytes aren't trusted: every offset, length and reference is checked before it is used. Source of the format: the
/// comment in Apple's `CFBinaryPList.c` (CF-1153) and `ForFoundationOnly.h`, which defines the trailer.
struct BinaryPropertyList {
  /// An object in the file; containers refer to their elements by number.
  enum Object {
    case null
    case bool(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case real(Double)
    case date(Double)
    case data(Range<Int>)
    case ascii(Range<Int>)
    case utf16(Range<Int>)
    case uid(UInt32)
    case array(References)
    case dictionary(keys: References, values: References)
  }

  /// Numbers of objects in a contiguous range.
  struct References {
    let start: Int
    let count: Int
  }

  let bytes: UnsafeRawBufferPointer
  let objectCount: Int
  let top: Int
  private let offsetWidth: Int
  private let referenceWidth: Int
  private let tableStart: Int

  private static let trailerLength = 32

  static func isOne(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count >= 8 && zip(bytes, "bplist0".utf8).allSatisfy { $0 == $1 }
  }

  /// Checks the trailer and the position of the table; O(1).
  init(_ bytes: UnsafeRawBufferPointer) throws {
    guard Self.isOne(bytes) else { throw Self.damaged("has no header") }
    guard bytes.count >= 8 + 1 + 1 + Self.trailerLength else { throw Self.damaged("is cut short") }
    let trailer = bytes.count - Self.trailerLength
    let offsetWidth = Int(bytes[trailer + 6])
    let referenceWidth = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetWidth), (1...8).contains(referenceWidth),
      let objectCount = Int(exactly: bytes.bigEndian(UInt64.self, at: trailer + 8)),
      let top = Int(exactly: bytes.bigEndian(UInt64.self, at: trailer + 16)),
      let tableStart = Int(exactly: bytes.bigEndian(UInt64.self, at: trailer + 24)),
      objectCount > 0, top < objectCount, tableStart > 8, tableStart < trailer,
      objectCount <= trailer, tableStart + objectCount * offsetWidth == trailer
    else { throw Self.damaged("has a trailer that does not fit the file") }
    self.bytes = bytes
    self.objectCount = objectCount
    self.top = top
    self.offsetWidth = offsetWidth
    self.referenceWidth = referenceWidth
    self.tableStart = tableStart
  }

  /// Returns the object with a number; O(1).
  ///
  /// Throws ``ArchiveError`` `.damaged` if it isn't between the header and the table.
  @inline(__always)
  func object(_ number: Int) throws -> Object {
    guard number < objectCount else { throw Self.damaged("refers to an object that is not there") }
    let wide = bytes.bigEndian(width: offsetWidth, at: tableStart + number * offsetWidth)
    guard wide >= 8, wide < UInt64(tableStart) else { throw Self.damaged("has an object outside of its objects") }
    let offset = Int(wide)
    let marker = bytes[offset]
    let low = Int(marker & 0x0f)
    switch marker >> 4 {
    case 0x0: return try simple(marker)
    case 0x1: return try integer(at: offset + 1, exponent: low)
    case 0x2: return try real(at: offset + 1, exponent: low)
    case 0x3:
      guard low == 3 else { throw Self.damaged("has a date of an unknown form") }
      return .date(Double(bitPattern: bytes.bigEndian(UInt64.self, at: try range(offset + 1, 1, of: 8).lowerBound)))
    case 0x4:
      let (start, count) = try length(at: offset, low)
      return .data(try range(start, count, of: 1))
    case 0x5:
      let (start, count) = try length(at: offset, low)
      return .ascii(try range(start, count, of: 1))
    case 0x6:
      let (start, count) = try length(at: offset, low)
      return .utf16(try range(start, count, of: 2))
    case 0x8:
      let place = try range(offset + 1, 1, of: low + 1)
      guard low < 8, let uid = UInt32(exactly: bytes.bigEndian(width: low + 1, at: place.lowerBound)) else {
        throw Self.damaged("has a UID that is too wide")
      }
      return .uid(uid)
    case 0xa:
      let (start, count) = try length(at: offset, low)
      _ = try range(start, count, of: referenceWidth)
      return .array(References(start: start, count: count))
    case 0xd:
      let (start, count) = try length(at: offset, low)
      _ = try range(start, count, of: 2 * referenceWidth)
      return .dictionary(
        keys: References(start: start, count: count),
        values: References(start: start + count * referenceWidth, count: count))
    default: throw Self.damaged("has an object of an unknown kind")
    }
  }

  /// Returns the number of an object in a container.
  @inline(__always)
  func reference(_ index: Int, in references: References) throws -> Int {
    let number = bytes.bigEndian(width: referenceWidth, at: references.start + index * referenceWidth)
    guard number < UInt64(objectCount) else { throw Self.damaged("refers to an object that is not there") }
    return Int(number)
  }

  /// Returns the text of a string object.
  ///
  /// Throws ``ArchiveError`` `.damaged` for bytes that aren't ASCII, or not UTF-16. O(length).
  func text(_ object: Object) throws -> String {
    switch object {
    case .ascii(let range):
      let part = UnsafeRawBufferPointer(rebasing: bytes[range])
      guard part.isASCII, let text = String(validating: part, as: UTF8.self) else {
        throw Self.damaged("has text that is not ASCII where ASCII is said")
      }
      return text
    case .utf16(let range):
      let units = stride(from: range.lowerBound, to: range.upperBound, by: 2).map {
        bytes.bigEndian(UInt16.self, at: $0)
      }
      guard let text = String(validating: units, as: UTF16.self) else {
        throw Self.damaged("has text that is not UTF-16")
      }
      return text
    default: throw Self.damaged("has a key that is not text")
    }
  }

  private func simple(_ marker: UInt8) throws -> Object {
    switch marker {
    case 0x00: return .null
    case 0x08: return .bool(false)
    case 0x09: return .bool(true)
    default: throw Self.damaged("has an object of an unknown kind")
    }
  }

  private func integer(at offset: Int, exponent: Int) throws -> Object {
    guard exponent <= 4 else { throw Self.damaged("has an integer that is too wide") }
    let width = 1 << exponent
    let start = try range(offset, 1, of: width).lowerBound
    // One to four bytes are unsigned; eight are signed; sixteen are how numbers above Int64.max are written.
    if width < 8 { return .integer(Int64(bytes.bigEndian(width: width, at: start))) }
    if width == 8 { return .integer(bytes.bigEndian(Int64.self, at: start)) }
    let high = bytes.bigEndian(UInt64.self, at: start)
    let low = bytes.bigEndian(UInt64.self, at: start + 8)
    if high == 0 { return .unsigned(low) }
    guard high == .max, low >> 63 == 1 else { throw Self.damaged("has an integer that is too wide") }
    return .integer(Int64(bitPattern: low))
  }

  private func real(at offset: Int, exponent: Int) throws -> Object {
    switch exponent {
    case 2:
      return .real(
        Double(keeping: Float(bitPattern: bytes.bigEndian(UInt32.self, at: try range(offset, 1, of: 4).lowerBound))))
    case 3: return .real(Double(bitPattern: bytes.bigEndian(UInt64.self, at: try range(offset, 1, of: 8).lowerBound)))
    default: throw Self.damaged("has a number of an unknown width")
    }
  }

  /// Returns the count of a string, of data or of a container, and the offset of its content.
  @inline(__always)
  private func length(at offset: Int, _ low: Int) throws -> (start: Int, count: Int) {
    guard low == 0x0f else { return (offset + 1, low) }
    guard offset + 1 < tableStart, bytes[offset + 1] >> 4 == 1, bytes[offset + 1] & 0x0f <= 3 else {
      throw Self.damaged("has a count that is no number")
    }
    let width = 1 << Int(bytes[offset + 1] & 0x0f)
    let start = try range(offset + 2, 1, of: width).lowerBound
    guard let count = Int(exactly: bytes.bigEndian(width: width, at: start)) else {
      throw Self.damaged("has a count that is larger than the file")
    }
    return (start + width, count)
  }

  @inline(__always)
  private func range(_ start: Int, _ count: Int, of width: Int) throws -> Range<Int> {
    let (size, overflow) = count.multipliedReportingOverflow(by: width)
    guard !overflow, start <= tableStart, size <= tableStart - start else {
      throw Self.damaged("has an object that reaches out of its objects")
    }
    return start..<start + size
  }

  static func damaged(_ problem: String) -> ArchiveError {
    ArchiveError(.damaged, "The property list \(problem). Restore the archive from a copy.")
  }
}

extension UnsafeRawBufferPointer {
  /// Returns whether all bytes are below 128; checks eight at a time.
  var isASCII: Bool {
    var offset = 0
    var seen: UInt64 = 0
    while offset + 8 <= count {
      seen |= loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      offset += 8
    }
    while offset < count {
      seen |= UInt64(self[offset])
      offset += 1
    }
    return seen & 0x8080_8080_8080_8080 == 0
  }
}
