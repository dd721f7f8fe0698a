import Foundation

/// Validates the JSON text of an object without creating values, and finds the names of its properties.
///
/// It handles the common case. Anything unusual (a property named `key`, a name that is repeated or not ASCII, `\u`
/// escapes, exponents, numbers that a double would round, and invalid JSON) is left to ``DocumentReader``, which handles
/// everything and reports errors.
struct DocumentScanner {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  private var hasSpace = false
  /// The names of the current object, preceded by those of the enclosing objects.
  private var names: [Range<Int>] = []
  private var properties: [String] = []
  /// Whether the last string had only ASCII and no escapes.
  private var isPlain = true

  private static let nameLimit = 64

  private init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    names.reserveCapacity(16)
    properties.reserveCapacity(16)
  }

  /// Returns the text without whitespace between tokens, and the names of the object's properties in order; nil if the
  /// reader must parse it.
  static func scan(_ json: String) -> (json: String, properties: [String])? {
    var json = json
    let scanned = json.withUTF8 { bytes -> (spaceless: String?, properties: [String])? in
      var scanner = DocumentScanner(bytes)
      scanner.skipSpace()
      guard scanner.peek == UInt8(ascii: "{"), scanner.skipObject(depth: 1) else { return nil }
      scanner.skipSpace()
      guard scanner.position == bytes.count else { return nil }
      return (scanner.hasSpace ? withoutSpace(bytes) : nil, scanner.properties)
    }
    guard let scanned else { return nil }
    return (scanned.spaceless ?? json, scanned.properties)
  }

  /// Returns valid JSON without the whitespace between tokens.
  private static func withoutSpace(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    var isText = false
    var isEscaped = false
    let kept = bytes.filter { byte in
      if isText {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isText = false
        }
        return true
      }
      isText = byte == UInt8(ascii: "\"")
      return byte > 0x20
    }
    return String(decoding: kept, as: UTF8.self)
  }

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  @inline(__always)
  private mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D:
        position += 1
        hasSpace = true
      default: return
      }
    }
  }

  @inline(__always)
  private mutating func skip(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    position += 1
    return true
  }

  // MARK: Values

  private mutating func skipValue(depth: Int) -> Bool {
    switch peek {
    case UInt8(ascii: "\""): skipText() != nil
    case UInt8(ascii: "{"): skipObject(depth: depth + 1)
    case UInt8(ascii: "["): skipArray(depth: depth + 1)
    case UInt8(ascii: "t"): skipWord("true")
    case UInt8(ascii: "f"): skipWord("false")
    case UInt8(ascii: "n"): skipWord("null")
    default: skipNumber()
    }
  }

  private mutating func skipObject(depth: Int) -> Bool {
    guard depth <= DocumentWriter.depthLimit else { return false }
    position += 1
    skipSpace()
    if skip(UInt8(ascii: "}")) { return true }
    let outer = names.count
    defer { names.removeLast(names.count - outer) }
    while true {
      skipSpace()
      guard let name = skipText(), isNew(name, since: outer) else { return false }
      if depth == 1 {
        let property = String(decoding: bytes[name], as: UTF8.self)
        guard property != "key" else { return false }
        properties.append(property)
      }
      names.append(name)
      skipSpace()
      guard skip(UInt8(ascii: ":")) else { return false }
      skipSpace()
      guard skipValue(depth: depth) else { return false }
      skipSpace()
      if skip(UInt8(ascii: "}")) { return true }
      guard skip(UInt8(ascii: ",")) else { return false }
    }
  }

  /// Returns whether the name is plain and doesn't occur among those from the position on.
  private func isNew(_ name: Range<Int>, since start: Int) -> Bool {
    guard isPlain, names.count - start < Self.nameLimit, let base = bytes.baseAddress else { return false }
    for other in start..<names.count where names[other].count == name.count {
      if memcmp(base + names[other].lowerBound, base + name.lowerBound, name.count) == 0 { return false }
    }
    return true
  }

  private mutating func skipArray(depth: Int) -> Bool {
    guard depth <= DocumentWriter.depthLimit else { return false }
    position += 1
    skipSpace()
    if skip(UInt8(ascii: "]")) { return true }
    while true {
      skipSpace()
      guard skipValue(depth: depth) else { return false }
      skipSpace()
      if skip(UInt8(ascii: "]")) { return true }
      guard skip(UInt8(ascii: ",")) else { return false }
    }
  }

  private mutating func skipWord(_ word: StaticString) -> Bool {
    for offset in 0..<word.utf8CodeUnitCount {
      guard skip(word.utf8Start[offset]) else { return false }
    }
    return true
  }

  /// Skips a number without an exponent that fits a double or, if it is an integer, 64 bits.
  private mutating func skipNumber() -> Bool {
    let first = position
    let isNegative = skip(UInt8(ascii: "-"))
    let start = position
    skipDigits()
    let digits = position - start
    guard digits > 0, digits <= 18 else { return false }
    let isZero = bytes[start] == UInt8(ascii: "0")
    if isZero, digits > 1 { return false }
    if skip(UInt8(ascii: ".")) {
      let fraction = position
      skipDigits()
      let count = digits + position - fraction
      guard position > fraction, count <= 15 || (count <= 20 && isShortest(first..<position)) else { return false }
    } else if isZero, isNegative {
      return false
    }
    return peek != UInt8(ascii: "e") && peek != UInt8(ascii: "E")
  }

  /// Returns whether the number is the shortest text of its double, which therefore holds it exactly enough.
  private func isShortest(_ number: Range<Int>) -> Bool {
    let text = String(decoding: bytes[number], as: UTF8.self)
    return Double(text).map { "\($0)" == text } ?? false
  }

  private mutating func skipDigits() {
    while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 { position += 1 }
  }

  /// Skips a string, and returns the bytes between its quotes.
  private mutating func skipText() -> Range<Int>? {
    guard skip(UInt8(ascii: "\"")) else { return nil }
    let start = position
    var all: UInt8 = 0
    isPlain = true
    while position < bytes.count {
      let byte = bytes[position]
      all |= byte
      switch byte {
      case UInt8(ascii: "\""):
        if all >= 0x80 { isPlain = false }
        position += 1
        return start..<(position - 1)
      case UInt8(ascii: "\\"):
        isPlain = false
        position += 1
        switch peek {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
          UInt8(ascii: "n"), UInt8(ascii: "r"),
          UInt8(ascii: "t"):
          position += 1
        default: return nil
        }
      case 0..<0x20: return nil
      default: position += 1
      }
    }
    return nil
  }
}
