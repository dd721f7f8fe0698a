import Foundation

/// A decimal number in a text: a sign, digits with at most one point, an exponent, and nothing else.
struct DecimalSpelling {
  /// All digits before the exponent.
  private(set) var digits = 0
  /// The digits from the first to the last nonzero one.
  private(set) var significantDigits = 0
  /// The power of ten of the last nonzero digit.
  private(set) var lastExponent = 0

  /// Exponents beyond this are out of range for every number type.
  private static let greatestExponent = 100_000

  init?(_ text: String) {
    var rest = text.utf8[...]
    Self.skipSign(&rest)
    var fractionDigits = 0
    var zeros = 0
    var isPastPoint = false
    while let byte = rest.first, byte != UInt8(ascii: "e"), byte != UInt8(ascii: "E") {
      rest.removeFirst()
      if byte == UInt8(ascii: "."), !isPastPoint {
        isPastPoint = true
        continue
      }
      guard Self.isDigit(byte) else { return nil }
      digits += 1
      if isPastPoint { fractionDigits += 1 }
      if byte != UInt8(ascii: "0") {
        significantDigits += 1 + (significantDigits > 0 ? zeros : 0)
        zeros = 0
      } else {
        zeros += 1
      }
    }
    guard digits > 0 else { return nil }
    var exponent = 0
    if !rest.isEmpty {
      rest.removeFirst()
      guard let value = Self.exponent(&rest) else { return nil }
      exponent = value
    }
    lastExponent = exponent - fractionDigits + zeros
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  /// Skips a sign, and returns whether it was a minus.
  @discardableResult
  private static func skipSign(_ rest: inout Substring.UTF8View) -> Bool {
    guard let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") else { return false }
    rest.removeFirst()
    return sign == UInt8(ascii: "-")
  }

  private static func exponent(_ rest: inout Substring.UTF8View) -> Int? {
    let isNegative = skipSign(&rest)
    guard !rest.isEmpty else { return nil }
    var number = 0
    for byte in rest {
      guard isDigit(byte) else { return nil }
      number = min(number * 10 + Int(byte - UInt8(ascii: "0")), greatestExponent)
    }
    return isNegative ? -number : number
  }

  /// The number as a `Double`: the nearest one for a fraction, as for a literal; nil for an integer that would be
  /// rounded, and if it is out of range.
  func double(of text: String) -> Double? {
    guard let value = Double(text), value.isFinite, value.isZero == (significantDigits == 0) else { return nil }
    guard lastExponent >= 0, significantDigits > 15 else { return value }
    if let integer = Int64(text) { return Double(exactly: integer) }
    // Either all digits of the Double's exact value, or the shortest that read back as the same Double.
    let spellings = [String(format: "%.0f", value), "\(value)"]
    return spellings.contains { other in DecimalSpelling(other).map { isSameNumber(as: $0, text, other) } ?? false }
      ? value : nil
  }

  /// Returns whether two texts denote the same number.
  func isSameNumber(as other: DecimalSpelling, _ text: String, _ otherText: String) -> Bool {
    func significant(_ text: String) -> String {
      let mantissa = text.utf8.prefix { $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") }.filter(Self.isDigit)
      let start = mantissa.drop { $0 == UInt8(ascii: "0") }
      var digits = Array(start)
      while digits.last == UInt8(ascii: "0") { digits.removeLast() }
      return String(decoding: digits, as: UTF8.self)
    }
    return significantDigits == other.significantDigits && lastExponent == other.lastExponent
      && significant(text) == significant(otherText)
  }
}
