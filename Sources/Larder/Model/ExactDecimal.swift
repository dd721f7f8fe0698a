import Foundation

/// A sum of decimal numbers that is exact, whatever their sizes: `Decimal` itself keeps 38 digits, and a sum that lost one does not find it again
/// when the large numbers are taken away.
///
/// Every number that `Decimal` holds has its digits at fixed places, nine to an element; sums of any length stay exact.
struct ExactDecimal {
  /// Nine digits an element, the lowest first. Each element may have either sign until ``text`` carries.
  private var elements = [Int64](repeating: 0, count: Self.fractionCount + Self.integerCount)
  /// How many numbers were added since carries were last made.
  private var uncarried = 0

  private static let digits = 9
  private static let base: Int64 = 1_000_000_000
  /// `Decimal` has exponents from -128 to 127, and up to 39 digits before them. Source: `NSDecimal` in Foundation.
  private static let fractionCount = 15
  private static let integerCount = 19

  /// Adds or subtracts the number that the text spells. Returns false for a text that is no number, or one of another size than `Decimal` holds.
  mutating func add(_ text: String, isSubtracted: Bool = false) -> Bool {
    var copy = text
    let isPlain = copy.withUTF8 { add($0, isSubtracted) }
    if isPlain { return true }
    // An exponent, or more digits than there is room for.
    guard let value = Decimal(canonical: text), !value.isNaN else { return false }
    copy = value.canonicalText
    return copy.withUTF8 { add($0, isSubtracted) }
  }

  /// Adds digits with at most one sign and one point; false, without a change, where there is anything else.
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
    guard whole + fraction > 0, whole <= Self.integerCount * Self.digits, fraction <= Self.fractionCount * Self.digits else { return false }
    guard number.indices.allSatisfy({ $0 == point || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(number[$0]) }) else { return false }
    if uncarried > 1_000_000_000 { carry() }
    uncarried += 1
    for index in number.indices where index != point {
      // The power of ten that the digit stands for, from the lowest there is room for.
      let power = Self.fractionCount * Self.digits + (index < point ? point - index - 1 : point - index)
      let digit = Int64(number[index] - UInt8(ascii: "0")) * Self.powers[power % Self.digits]
      elements[power / Self.digits] += isNegative ? -digit : digit
    }
    return true
  }

  private static let powers: [Int64] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000]

  /// Makes every element but the last one a number from zero to the base.
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

  /// As many digits as every `Decimal` holds.
  private static let precision = 38

  /// Whether a text of ``text`` has all digits of its number, as far as its length tells.
  static func isWhole(_ value: Value) -> Bool { value.text.map { $0.utf8.count <= precision } ?? true }

  /// The digits, without zeros that say nothing: one text for one number. Nil where the number is larger than `Decimal` holds.
  ///
  /// A number with more digits than `Decimal` holds is cut off, and has zeros in their place: it is longer than ``isWhole(_:)`` takes.
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
    // Some numbers of one digit more are those of a `Decimal`, too.
    let held = number.utf8.count <= Self.precision || Decimal(canonical: number) != nil ? number : Self.cut(number)
    guard held.utf8.count <= Self.precision || Decimal(canonical: held) != nil else { return nil }
    return number == "0" ? number : (isNegative ? "-" : "") + held
  }

  /// The number with zeros behind the digits that `Decimal` holds.
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
