import Foundation

/// The error for invalid JSON.
struct MalformedJSON: Error {}

/// Scans JSON text, strictly by RFC 8259, and only creates the values that are requested.
///
/// SQLite's own functions end text at a NUL and read numbers as doubles; this compares and extracts exactly what the
/// JSON contains.
struct JSONScanner {
  let bytes: UnsafeBufferPointer<UInt8>
  private(set) var position: Int
  private var depth = 0

  /// The largest depth, as in SQLite.
  private static let greatestDepth = 1000

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    position = 0
  }

  /// Creates a scanner for a value that was scanned before.
  init(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
    self.bytes = UnsafeBufferPointer(rebasing: bytes[range])
    position = 0
  }

  var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func skipSpace() {
    while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
  }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

  /// Skips the only value of the text, and returns its range.
  mutating func whole() throws -> Range<Int> {
    let range = try value()
    skipSpace()
    guard position == bytes.count else { throw MalformedJSON() }
    return range
  }

  /// Skips a value, and returns its range.
  mutating func value() throws -> Range<Int> {
    skipSpace()
    let start = position
    switch peek {
    case UInt8(ascii: "\""): try string()
    case UInt8(ascii: "{"), UInt8(ascii: "["): try members { _, _ in }
    case UInt8(ascii: "t"): try literal("true")
    case UInt8(ascii: "f"): try literal("false")
    case UInt8(ascii: "n"): try literal("null")
    default: try number()
    }
    return start..<position
  }

  /// Iterates over the elements of an array, or the members of an object with the ranges of their keys.
  mutating func members(_ body: (_ key: Range<Int>?, _ value: Range<Int>) throws -> Void) throws {
    depth += 1
    guard depth <= Self.greatestDepth else { throw MalformedJSON() }
    defer { depth -= 1 }
    let isObject = peek == UInt8(ascii: "{")
    let end = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
    position += 1
    skipSpace()
    guard peek != end else {
      position += 1
      return
    }
    while true {
      var key: Range<Int>?
      if isObject {
        skipSpace()
        let start = position
        guard peek == UInt8(ascii: "\"") else { throw MalformedJSON() }
        try string()
        key = start..<position
        skipSpace()
        guard peek == UInt8(ascii: ":") else { throw MalformedJSON() }
        position += 1
      }
      try body(key, try value())
      skipSpace()
      let next = peek
      position += 1
      if next == end { return }
      guard next == UInt8(ascii: ",") else { throw MalformedJSON() }
    }
  }

  private mutating func literal(_ text: StaticString) throws {
    guard position + text.utf8CodeUnitCount <= bytes.count else { throw MalformedJSON() }
    for offset in 0..<text.utf8CodeUnitCount where bytes[position + offset] != text.utf8Start[offset] {
      throw MalformedJSON()
    }
    position += text.utf8CodeUnitCount
  }

  private mutating func number() throws {
    if peek == UInt8(ascii: "-") { position += 1 }
    if peek == UInt8(ascii: "0") { position += 1 } else { try digits() }
    if peek == UInt8(ascii: ".") {
      position += 1
      try digits()
    }
    if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
      position += 1
      if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { position += 1 }
      try digits()
    }
  }

  private mutating func digits() throws {
    let start = position
    while let byte = peek, (0x30...0x39).contains(byte) { position += 1 }
    guard position > start else { throw MalformedJSON() }
  }

  private mutating func string() throws {
    position += 1
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        return
      case UInt8(ascii: "\\"):
        guard position + 1 < bytes.count else { throw MalformedJSON() }
        switch bytes[position + 1] {
        case UInt8(ascii: "u"):
          guard unit(at: position) != nil else { throw MalformedJSON() }
          position += 6
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
          UInt8(ascii: "n"), UInt8(ascii: "r"),
          UInt8(ascii: "t"):
          position += 2
        default: throw MalformedJSON()
        }
      case 0..<0x20: throw MalformedJSON()
      default: position += 1
      }
    }
    throw MalformedJSON()
  }

  /// Returns the UTF-16 code unit of the escape that begins at the position.
  private func unit(at position: Int) -> UInt16? {
    guard position + 6 <= bytes.count else { return nil }
    var unit: UInt16 = 0
    for byte in bytes[position + 2..<position + 6] {
      switch byte {
      case 0x30...0x39: unit = unit << 4 | UInt16(byte - 0x30)
      case 0x41...0x46: unit = unit << 4 | UInt16(byte - 0x41 + 10)
      case 0x61...0x66: unit = unit << 4 | UInt16(byte - 0x61 + 10)
      default: return nil
      }
    }
    return unit
  }

  // MARK: Texts

  /// Returns whether the string in the range equals the text, byte for byte.
  func isText(_ range: Range<Int>, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let inner = bytes[range.lowerBound + 1..<range.upperBound - 1]
    if !inner.contains(UInt8(ascii: "\\")) { return inner.count == text.count && inner.elementsEqual(text) }
    return self.text(range).elementsEqual(text)
  }

  /// Returns the UTF-8 of the string in the range. A lone surrogate becomes U+FFFD, as in Swift strings.
  func text(_ range: Range<Int>) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(range.count)
    var position = range.lowerBound + 1
    while position < range.upperBound - 1 {
      guard bytes[position] == UInt8(ascii: "\\") else {
        text.append(bytes[position])
        position += 1
        continue
      }
      switch bytes[position + 1] {
      case UInt8(ascii: "b"): text.append(0x08)
      case UInt8(ascii: "f"): text.append(0x0C)
      case UInt8(ascii: "n"): text.append(0x0A)
      case UInt8(ascii: "r"): text.append(0x0D)
      case UInt8(ascii: "t"): text.append(0x09)
      case UInt8(ascii: "u"):
        let first = unit(at: position) ?? 0xFFFD
        if first & 0xFC00 == 0xD800, let second = lowSurrogate(at: position + 6) {
          let scalar = 0x10000 + UInt32(first & 0x3FF) << 10 + UInt32(second & 0x3FF)
          text += String(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8
          position += 6
        } else {
          text += String(Unicode.Scalar(first) ?? "\u{FFFD}").utf8
        }
        position += 4
      case let byte: text.append(byte)
      }
      position += 2
    }
    return text
  }

  private func lowSurrogate(at position: Int) -> UInt16? {
    guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u")
    else { return nil }
    return unit(at: position).flatMap { $0 & 0xFC00 == 0xDC00 ? $0 : nil }
  }

  // MARK: Paths

  /// Returns the range that the path leads to; nil if the path doesn't exist. Of two members with the same key, the
  /// first one counts.
  mutating func place(of path: [JSONStep]) throws -> Range<Int>? {
    var range = try whole()
    for step in path {
      guard let next = try JSONScanner.member(step, of: range, self) else { return nil }
      range = next
    }
    return range
  }

  private static func member(_ step: JSONStep, of range: Range<Int>, _ scanner: JSONScanner) throws -> Range<Int>? {
    let source = scanner
    var scanner = scanner
    scanner.position = range.lowerBound
    var found: Range<Int>?
    switch (step, scanner.peek) {
    case (.key(let key), UInt8(ascii: "{")):
      try scanner.members { name, value in
        if found == nil, let name, source.isText(name, key) { found = value }
      }
    case (.index(let index), UInt8(ascii: "[")):
      var places: [Range<Int>] = []
      try scanner.members { places.append($1) }
      let position = index < 0 ? places.count + index : index
      if places.indices.contains(position) { found = places[position] }
    default: break
    }
    return found
  }

  /// Returns the value in the range without whitespace between its tokens.
  func minified(_ range: Range<Int>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(range.count)
    var isInText = false
    var position = range.lowerBound
    while position < range.upperBound {
      let byte = bytes[position]
      if isInText, byte == UInt8(ascii: "\\") {
        result += bytes[position...position + 1]
        position += 2
        continue
      }
      if byte == UInt8(ascii: "\"") { isInText.toggle() }
      if isInText || !Self.isSpace(byte) { result.append(byte) }
      position += 1
    }
    return result
  }
}

/// A step of a path in JSON.
enum JSONStep {
  case key(UnsafeBufferPointer<UInt8>)
  case index(Int)
}
