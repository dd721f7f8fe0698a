import Foundation

/// A JSON value for comparisons: values with the same members, elements, texts and numbers are equal, however they are
/// written.
indirect enum JSONTree: Equatable {
  case null
  case number(JSONNumber)
  case text([UInt8])
  case array([JSONTree])
  /// The members, sorted by key.
  case object(keys: [[UInt8]], values: [JSONTree])

  /// Returns the value at a position. True and false are the numbers 1 and 0, as everywhere in SQLite.
  init(_ range: Range<Int>, of scanner: JSONScanner, isExact: Bool) throws {
    var parts = JSONScanner(scanner.bytes, range)
    let scanner = parts
    switch scanner.peek {
    case UInt8(ascii: "\""): self = .text(scanner.text(0..<range.count))
    case UInt8(ascii: "["):
      var elements: [JSONTree] = []
      try parts.members { elements.append(try JSONTree($1, of: scanner, isExact: isExact)) }
      self = .array(elements)
    case UInt8(ascii: "{"):
      var members: [(key: [UInt8], value: JSONTree)] = []
      try parts.members { key, value in
        members.append((key.map { scanner.text($0) } ?? [], try JSONTree(value, of: scanner, isExact: isExact)))
      }
      members.sort { $0.key.lexicographicallyPrecedes($1.key) }
      self = .object(keys: members.map(\.key), values: members.map(\.value))
    case UInt8(ascii: "t"): self = .number(JSONNumber("1".utf8, isExact: isExact))
    case UInt8(ascii: "f"): self = .number(JSONNumber("0".utf8, isExact: isExact))
    case UInt8(ascii: "n"): self = .null
    default: self = .number(JSONNumber(scanner.bytes, isExact: isExact))
    }
  }
}

/// A number as written in JSON.
struct JSONNumber: Equatable {
  private var isNegative = false
  /// The digits without leading and trailing zeros.
  private var digits: [UInt8] = []
  /// The power of ten of the last digit.
  private var exponent = 0
  private let real: Double
  /// Returns whether two texts of the same double are different numbers.
  private let isExact: Bool

  init(_ token: some Collection<UInt8>, isExact: Bool) {
    self.isExact = isExact
    real = Double(String(decoding: token, as: UTF8.self)) ?? .nan
    var fraction = 0
    var isFraction = false
    var rest = token[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "-"): isNegative = true
      case UInt8(ascii: "."): isFraction = true
      case 0x30...0x39:
        digits.append(byte)
        if isFraction { fraction += 1 }
      default:
        // An exponent out of range keeps its sign.
        let text = String(decoding: rest, as: UTF8.self)
        exponent = Int(text) ?? (text.hasPrefix("-") ? -1_000_000_000 : 1_000_000_000)
        rest = rest[rest.endIndex...]
      }
    }
    exponent = exponent.subtractingReportingOverflow(fraction).partialValue
    digits = Array(digits.drop { $0 == 0x30 })
    while digits.last == 0x30 {
      digits.removeLast()
      exponent += 1
    }
    if digits.isEmpty { (isNegative, exponent) = (false, 0) }
  }

  static func == (left: JSONNumber, right: JSONNumber) -> Bool {
    if left.isNegative == right.isNegative, left.exponent == right.exponent, left.digits == right.digits { return true }
    // Other programs write a double with more digits than necessary, up to 17.
    return !left.isExact && !right.isExact && left.real == right.real && left.digits.count <= 17
      && right.digits.count <= 17
  }
}
