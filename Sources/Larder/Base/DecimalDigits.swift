/// A number as its sign, its digits from the first to the last nonzero one, and the power of ten of the first digit.
struct DecimalDigits: Equatable {
  private(set) var digits: [UInt8] = []
  private var isNegative = false
  private var exponent = 0

  /// Parses a text that is a number.
  init(_ text: String) {
    let parts = text.lowercased().split(separator: "e", maxSplits: 1)
    var isFraction = false
    var whole = 0
    for byte in parts.first?.utf8 ?? "".utf8[...] {
      switch byte {
      case UInt8(ascii: "-"): isNegative = true
      case UInt8(ascii: "."): isFraction = true
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        if digits.isEmpty, byte == UInt8(ascii: "0") {
          if isFraction { whole -= 1 }
        } else {
          digits.append(byte)
          if !isFraction { whole += 1 }
        }
      default: continue
      }
    }
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    if !digits.isEmpty { exponent = whole + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0) }
  }

  private var sign: Int64 { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

  /// Returns -1, 0 or 1 for how the number compares with another one.
  func order(_ other: DecimalDigits) -> Int64 {
    guard sign == other.sign, sign != 0 else { return sign < other.sign ? -1 : sign == other.sign ? 0 : 1 }
    if exponent != other.exponent { return exponent < other.exponent ? -sign : sign }
    if digits == other.digits { return 0 }
    return digits.lexicographicallyPrecedes(other.digits) ? -sign : sign
  }
}
