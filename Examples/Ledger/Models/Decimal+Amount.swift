import Foundation

/// Amounts of money as people type them and as files keep them. No binary fraction comes near them.
extension Decimal {
  /// An amount as it was typed: `12.50`, `12,50`, `-1 234,5`, `1,234,567.89`. The last comma or point separates the
  /// decimals.
  ///
  /// Throws `InvalidText` for what is no number, has more than two decimals, or more than 18 digits before them.
  /// `1,234` is refused as well: for some it is more than a thousand, for others little more than one.
  init(typed text: String) throws {
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !trimmed.isEmpty else { throw InvalidText("An amount is missing.") }
    var digits = Substring(trimmed)
    let isNegative = digits.first == "-" || digits.first == "\u{2212}"
    if isNegative || digits.first == "+" { digits.removeFirst() }
    guard let (whole, fraction) = Self.parts(of: digits) else {
      throw InvalidText("“\(trimmed.excerpt)” is not a number.")
    }
    if fraction.count == 3, digits.contains(where: { $0 == "," || $0 == "." }), whole.count <= 3 {
      throw InvalidText("“\(trimmed.excerpt)” can be read in two ways: write it without a separator for thousands.")
    }
    guard fraction.count <= 2 else { throw InvalidText("An amount has at most two decimals.") }
    guard whole.drop(while: { $0 == "0" }).count <= 18 else {
      throw InvalidText("An amount has at most 18 digits before its decimals.")
    }
    guard
      let value = Decimal(
        string: "\(whole.isEmpty ? "0" : whole).\(fraction.isEmpty ? "0" : fraction)", locale: Self.pointLocale)
    else {
      throw InvalidText("“\(trimmed.excerpt)” is not a number.")
    }
    // Zero has no sign.
    self = isNegative && !value.isZero ? -value : value
  }

  /// With a point and at least two decimals: `-12.50`.
  var amountText: String {
    let text = description
    guard let point = text.firstIndex(of: ".") else { return text + ".00" }
    return text.distance(from: point, to: text.endIndex) == 2 ? text + "0" : text
  }

  private static let pointLocale = Locale(identifier: "en_US_POSIX")

  /// The digits before and after the separator of decimals; nil if it is no number.
  private static func parts(of text: Substring) -> (whole: String, fraction: String)? {
    let points = text.filter { $0 == "." }.count
    let commas = text.filter { $0 == "," }.count
    guard let last = text.lastIndex(where: { $0 == "." || $0 == "," }) else {
      return whole(text, separatedBy: " \u{A0}\u{202F}'’").map { ($0, "") }
    }
    // A separator that stands there twice separates thousands.
    if (text[last] == "." ? points : commas) > 1 {
      guard points == 0 || commas == 0 else { return nil }
      return whole(text, separatedBy: ".,").map { ($0, "") }
    }
    let fraction = text[text.index(after: last)...]
    guard !fraction.isEmpty, fraction.allSatisfy(\.isASCIIDigit) else { return nil }
    if text[..<last].isEmpty { return ("", String(fraction)) }
    let grouping = text[last] == "." ? ", \u{A0}\u{202F}'’" : ". \u{A0}\u{202F}'’"
    return whole(text[..<last], separatedBy: grouping).map { ($0, String(fraction)) }
  }

  /// The digits of a whole number; nil unless they are all digits, in groups of three where they are separated, by one
  /// kind of separator.
  private static func whole(_ text: Substring, separatedBy separators: String) -> String? {
    let groups = text.split(omittingEmptySubsequences: false) { separators.contains($0) }
    guard groups.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isASCIIDigit) }) else { return nil }
    if groups.count > 1 {
      guard groups[0].count <= 3, groups.dropFirst().allSatisfy({ $0.count == 3 }) else { return nil }
      guard Set(text.filter { separators.contains($0) }).count == 1 else { return nil }
    }
    return groups.joined()
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
