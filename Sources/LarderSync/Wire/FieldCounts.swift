internal import Foundation

/// Counts the elements of a message's fields before any of it is decoded: an element takes a byte or less in the
/// message, but much more in memory.
struct FieldCounts {
  /// How the elements of a field are encoded.
  enum Element {
    /// Numbers of variable length.
    case varint
    /// Numbers of eight bytes.
    case fixed64
    /// A field of its own for each.
    case field
  }

  private var counts: [UInt64: Int] = [:]

  /// The number of elements of a repeated field.
  subscript(_ number: UInt64) -> Int { counts[number] ?? 0 }

  /// Counts the elements.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - elements: How the elements of the repeated fields are encoded.
  /// - Throws: If the message isn't protobuf, or has groups, which this format doesn't use.
  /// - Complexity: O(*n*) of the bytes.
  init(of message: Data, _ elements: [UInt64: Element]) throws(BatchError.Problem) {
    let problem: BatchError.Problem? = message.withUnsafeBytes { bytes in
      do throws(BatchError.Problem) {
        try count(bytes, elements)
        return nil
      } catch {
        return error
      }
    }
    if let problem { throw problem }
  }

  private mutating func count(
    _ bytes: UnsafeRawBufferPointer, _ elements: [UInt64: Element]
  ) throws(BatchError.Problem) {
    var position = 0
    while position < bytes.count {
      let tag = try Self.varint(bytes, &position)
      let number = tag >> 3
      switch tag & 7 {
      case 0:
        _ = try Self.varint(bytes, &position)
        count(number, 1, elements)
      case 1:
        try Self.skip(8, bytes, &position)
        count(number, 1, elements)
      case 2:
        let length = try Self.varint(bytes, &position)
        let start = position
        try Self.skip(length, bytes, &position)
        let found =
          switch elements[number] {
          case .varint?: bytes[start..<position].reduce(0) { $0 + ($1 < 0x80 ? 1 : 0) }
          case .fixed64?: (position - start) / 8
          case .field?, nil: 1
          }
        count(number, found, elements)
      case 5:
        try Self.skip(4, bytes, &position)
        count(number, 1, elements)
      default:
        throw .init("the message isn't protobuf without groups")
      }
    }
  }

  /// Counts elements of a field, if it is one of those that are counted: a message can have many different numbers.
  private mutating func count(_ number: UInt64, _ more: Int, _ elements: [UInt64: Element]) {
    if elements[number] != nil { counts[number, default: 0] += more }
  }

  private static func skip(
    _ count: UInt64, _ bytes: UnsafeRawBufferPointer, _ position: inout Int
  ) throws(BatchError.Problem) {
    guard count <= UInt64(bytes.count - position) else { throw .init("a field is longer than the message") }
    position += Int(count)
  }

  private static func varint(
    _ bytes: UnsafeRawBufferPointer, _ position: inout Int
  ) throws(BatchError.Problem) -> UInt64 {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard position < bytes.count else { throw .init("a number is cut") }
      let byte = bytes[position]
      position += 1
      number |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return number }
    }
    throw .init("a number has more than ten bytes")
  }
}
