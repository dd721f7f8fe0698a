public import Foundation

extension Decimal: StoredValue {
  public static var storageClass: StorageClass { .text }
  public static var order: ValueOrder { .decimal }

  /// Canonical text, or the number that an existing column keeps in its place.
  public init(storedValue: Value) throws {
    switch storedValue {
    case .text(let text):
      guard let value = Decimal(canonical: text) else { throw ValueFailure.unexpected(storedValue, expected: "a decimal number") }
      self = value
    case .integer(let integer): self = Decimal(integer)
    case .real(let real):
      // The shortest decimal that reads back as the same double: 32.38, not 32.380000000000003.
      guard real.isFinite, let value = Decimal(canonical: "\(real)") else {
        throw ValueFailure.unexpected(storedValue, expected: "a decimal number")
      }
      self = value
    case .null, .blob: throw ValueFailure.unexpected(storedValue, expected: "a decimal number")
    }
  }

  /// Throws for NaN.
  public func storedValue() throws -> Value {
    if isNaN { throw ValueFailure.notANumber }
    return .text(canonicalText)
  }

  /// Digits without an exponent, without zeros at either end that say nothing: one text for one number.
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

  /// The number that the text spells, if all of it is a number: digits, one point, a sign, an exponent.
  init?(canonical text: String) {
    var seenDigit = false
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): seenDigit = true
      case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): continue
      default: return nil
      }
    }
    guard seenDigit, let value = Decimal(string: text, locale: Self.pointLocale) else { return nil }
    self = value
  }
}
