import Foundation

/// Equality of document values in conditions: values of the same kind, numbers by size, texts byte by byte, arrays
/// element by element, and objects name by name in any order.
enum DocumentComparison {
  static func isEqual(_ left: DocumentValue, _ right: DocumentValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.real(let left), .real(let right)): left == right
    case (.integer(let integer), .real(let real)), (.real(let real), .integer(let integer)):
      Int64(exactly: real) == integer
    case (.text(let left), .text(let right)): isEqual(left, right)
    case (.array(let left), .array(let right)):
      left.count == right.count && zip(left, right).allSatisfy { isEqual($0, $1) }
    case (.object(let left), .object(let right)): isEqual(left, right)
    default: false
    }
  }

  private static func isEqual(_ left: Document, _ right: Document) -> Bool {
    left.count == right.count
      && left.allSatisfy { name, value in
        guard let other = right[name] else { return false }
        return isEqual(value, other)
      }
  }

  /// Compares bytes, because Swift considers texts equal that differ in the file: é can be one scalar or two.
  private static func isEqual(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count && left.utf8.elementsEqual(right.utf8)
  }

  /// Returns whether the text contains the other one, ignoring the case of A to Z. SQLite's LIKE stops at a NUL.
  static func hasPart(_ text: String, _ part: String) -> Bool {
    func folded(_ text: String) -> [UInt8] {
      text.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 + 32 : $0 }
    }
    let (text, part) = (folded(text), folded(part))
    guard text.count >= part.count else { return false }
    return text.withUnsafeBytes { text in
      part.withUnsafeBytes { part in
        (0...(text.count - part.count)).contains {
          UnsafeRawBufferPointer(rebasing: text[$0..<($0 + part.count)]).elementsEqual(part)
        }
      }
    }
  }

  /// Returns -1, 0 or 1 for how a number, or text that is one, compares with the number in a text, digit by digit; nil
  /// for anything else.
  static func order(_ value: Value, _ number: String) -> Int64? {
    let text: String
    switch value {
    case .integer(let integer): text = String(integer)
    case .real(let real):
      guard real.isFinite else { return real < 0 ? -1 : 1 }
      text = "\(real)"
    case .text(let spelling):
      guard DecimalSpelling(spelling) != nil else { return nil }
      text = spelling
    case .null, .blob: return nil
    }
    return DecimalDigits(text).order(DecimalDigits(number))
  }

  /// The functions that conditions call if SQLite's own operators have another meaning.
  static let functions = [
    ScalarFunction("larder_time", 1) { values in
      guard let text = values[0].text, let seconds = DocumentDate.comparableSeconds(text) else { return .null }
      return .real(seconds)
    },
    ScalarFunction("larder_decimal_order", 2) { values in
      guard let number = values[1].text, let order = order(values[0], number) else { return .null }
      return .integer(order)
    },
    ScalarFunction("larder_same", 2) { values in
      guard let left = values[0].text, let right = values[1].text else { return .null }
      return .integer(isEqual(try DocumentReader.stored(left), try DocumentReader.stored(right)) ? 1 : 0)
    },
    ScalarFunction("larder_has_element", 2) { values in
      guard let array = values[0].text, let element = values[1].text else { return .null }
      let wanted = try DocumentReader.stored(element)
      return .integer(try DocumentReader.stored(array).array?.contains { isEqual($0, wanted) } == true ? 1 : 0)
    },
    ScalarFunction("larder_has_part", 2) { values in
      guard let text = values[0].text, let part = values[1].text else { return .null }
      return .integer(hasPart(text, part) ? 1 : 0)
    },
    ScalarFunction("larder_updated_dates", 1) { values in
      guard let json = values[0].text else { return values[0] }
      return .text(DocumentDate.updating(json) ?? json)
    },
  ]
}
