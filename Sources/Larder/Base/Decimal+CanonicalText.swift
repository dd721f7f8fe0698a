import Foundation

extension Decimal {
  /// Returns the digits without an exponent and without insignificant zeros, so that each number has one text.
  var canonicalText: String {
    let text = description
    guard text.utf8.contains(UInt8(ascii: ".")) else { return text == "-0" ? "0" : text }
    var trimmed = Substring(text)
    while trimmed.last == "0" { trimmed.removeLast() }
    if trimmed.last == "." { trimmed.removeLast() }
    return trimmed == "-0" || trimmed.isEmpty ? "0" : String(trimmed)
  }

  /// A locale whose decimal separator is the point.
  private static let pointLocale = Locale(identifier: "en_US_POSIX")

  /// Returns the number in the text, if the whole text is a number that a `Decimal` can represent exactly.
  init?(canonical text: String) {
    guard let spelling = DecimalSpelling(text) else { return nil }
    if spelling.significantDigits == 0 {
      self = 0
      return
    }
    guard let value = Decimal(string: text, locale: Self.pointLocale), !value.isNaN else { return nil }
    // 38 digits always fit into the mantissa of 128 bits, and some numbers of 39 digits do. Foundation truncates
    // numbers that don't fit.
    if spelling.digits > 38 || spelling.lastExponent < -127 {
      guard let read = DecimalSpelling(value.canonicalText), read.isSameNumber(as: spelling, value.canonicalText, text)
      else { return nil }
    }
    self = value
  }
}
