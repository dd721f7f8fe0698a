import Foundation

/// An exact sum of decimal numbers of any size. `Decimal` itself only keeps 38 digits, and a digit that a sum loses
/// doesn't return when large numbers are subtracted.
///
/// The digits of every number that `Decimal` can represent have fixed positions, nine to an element; sums of any length
/// stay exact.
struct ExactDecimal {
  /// Nine digits for each element, the lowest first. Elements may have either sign until ``text`` carries.
  private var elements = [Int64](repeating: 0, count: Self.fractionCount + Self.integerCount)
  /// The number of additions since the last carry.
  private var uncarried = 0

  private static let digits = 9
  private static let base: Int64 = 1_000_000_000
  /// `Decimal` has exponents from -128 to 127, and up to 39 digits before them. Source: `NSDecimal` in Foundation.
  private static let fractionCount = 15
  private static let integerCount = 19

  /// Adds or subtracts the number in a text. Returns false if the text isn't a number, or `Decimal` can't represent its
  /// size.
  mutating func add(_ text: String, isSubtracted: Bool = false) -> Bool {
    var copy = text
    let isPlain = copy.withUTF8 { add($0, isSubtracted) }
    if isPlain { return true }
    // An exponent, or too many digits.
    guard let value = Decimal(canonical: text), !value.isNaN else { return false }
    copy = value.canonicalText
    return copy.withUTF8 { add($0, isSubtracted) }
  }

  /// Adds digits with at most one sign and one point. Returns false, without a change, for anything else.
  private mutating func add(_ utf8: UnsafeBufferPointer<UInt8>, _ isSubtracted: Bool) -> Bool {
    var start = utf8.startIndex
    var isNegative = isSubtracted
    if let first = utf8.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
      if first == UInt8(ascii: "-") { isNegative.toggle() }
      start += 1
    }
    let number = utf8[start...]
    let point = number.firstIndex(of: UInt8(ascii: ".")) ?? number.endIndex
    let (whole, fraction) = (point - start, max(0, number.endIndex - point - 1))
    guard whole + fraction > 0, whole <= Self.integerCount * Self.digits, fraction <= Self.fractionCount * Self.digits
    else { return false }
    guard number.indices.allSatisfy({ $0 == point || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(number[$0]) })
    else { return false }
    if uncarried > 1_000_000_000 { carry() }
    uncarried += 1
    for index in number.indices where index != point {
      // The power of ten of the digit, counted from the lowest position.
      let power = Self.fractionCount * Self.digits + (index < point ? point - index - 1 : point - index)
      let digit = Int64(number[index] - UInt8(ascii: "0")) * Self.powers[power % Self.digits]
      elements[power / Self.digits] += isNegative ? -digit : digit
    }
    return true
  }

  private static let powers: [Int64] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000]

  /// Carries, so that every element but the last is between zero and the base.
  private mutating func carry() {
    uncarried = 0
    for index in elements.indices.dropLast() {
      var (quotient, remainder) = elements[index].quotientAndRemainder(dividingBy: Self.base)
      if remainder < 0 {
        remainder += Self.base
        quotient -= 1
      }
      elements[index] = remainder
      elements[index + 1] += quotient
    }
  }

  /// Whether the sum is less than zero.
  var isNegative: Bool {
    var sum = self
    sum.carry()
    return (sum.elements.last ?? 0) < 0
  }

  /// The number of digits that every `Decimal` can represent.
  private static let precision = 38

  /// Returns whether a text of ``text`` has all digits of its number, as far as its length shows.
  static func isWhole(_ value: Value) -> Bool { value.text.map { $0.utf8.count <= precision } ?? true }

  /// The digits without insignificant zeros, so that each number has one text. Nil if the number is too large for
  /// `Decimal`.
  ///
  /// A number with too many digits for `Decimal` is truncated and padded with zeros, which makes it longer than
  /// ``isWhole(_:)`` accepts.
  var text: String? {
    var sum = self
    sum.carry()
    let isNegative = (sum.elements.last ?? 0) < 0
    if isNegative {
      sum.elements = sum.elements.map { -$0 }
      sum.carry()
    }
    guard let top = sum.elements.last, top < Self.base else { return nil }
    let digits = sum.elements.reversed().map { element in
      let text = String(element)
      return String(repeating: "0", count: Self.digits - text.count) + text
    }
    let whole = digits.prefix(Self.integerCount).joined().drop { $0 == "0" }
    var fraction = digits.suffix(Self.fractionCount).joined()[...]
    while fraction.last == "0" { fraction.removeLast() }
    let number = (whole.isEmpty ? "0" : String(whole)) + (fraction.isEmpty ? "" : ".\(fraction)")
    // A `Decimal` can also represent some numbers with one more digit.
    let held = number.utf8.count <= Self.precision || Decimal(canonical: number) != nil ? number : Self.cut(number)
    guard held.utf8.count <= Self.precision || Decimal(canonical: held) != nil else { return nil }
    return number == "0" ? number : (isNegative ? "-" : "") + held
  }

  /// Returns the number with zeros after the digits that `Decimal` can represent.
  private static func cut(_ number: String) -> String {
    var digits = 0
    return String(
      number.map { character in
        if character == "." || (digits == 0 && character == "0") { return character }
        digits += 1
        return digits > precision ? "0" : character
      })
  }
}
