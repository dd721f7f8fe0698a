public import Foundation

/// A value in a document: a JSON value, with integers and real numbers kept apart.
public enum DocumentValue: Sendable, Hashable {
  /// JSON's null.
  case null
  /// True or false.
  case bool(Bool)
  /// A 64-bit signed integer.
  case integer(Int64)
  /// A floating-point number. Only finite ones can be stored.
  case real(Double)
  /// Text, with any characters.
  case text(String)
  /// Values in order.
  case array([DocumentValue])
  /// Values by name.
  case object(Document)

  /// Whether this is JSON's null.
  public var isNull: Bool { self == .null }

  /// The Boolean value, or nil if there is none.
  ///
  /// Numbers and some texts convert: 0 is false and every other integer true; "1", "yes", "YES", "true" and "TRUE" are
  /// true.
  public var bool: Bool? {
    switch self {
    case .bool(let bool): bool
    case .integer(let integer): integer != 0
    case .text(let text):
      switch text {
      case "1", "yes", "YES", "true", "TRUE": true
      case "0", "no", "NO", "false", "FALSE": false
      default: nil
      }
    default: nil
    }
  }

  /// The integer, including that of a real number without a fraction; nil for any other value.
  public var integer: Int64? {
    switch self {
    case .integer(let integer): integer
    case .real(let real): Int64(exactly: real)
    default: nil
    }
  }

  /// The number as a double, or nil for any other value.
  public var real: Double? {
    switch self {
    case .real(let real): real
    case .integer(let integer): Double(integer)
    default: nil
    }
  }

  /// The exact number of an integer, of a real number's shortest digits, or of text that is a number; nil for any other
  /// value.
  public var decimal: Decimal? {
    switch self {
    case .integer(let integer): Decimal(integer)
    case .real(let real): Decimal(canonical: "\(real)").flatMap { $0.isNaN ? nil : $0 }
    case .text(let text): Decimal(canonical: text).flatMap { $0.isNaN ? nil : $0 }
    default: nil
    }
  }

  /// The text, or nil for any other value.
  public var text: String? {
    if case .text(let text) = self { text } else { nil }
  }

  /// The elements, or nil for any other value.
  public var array: [DocumentValue]? {
    if case .array(let array) = self { array } else { nil }
  }

  /// The object, or nil for any other value.
  public var object: Document? {
    if case .object(let object) = self { object } else { nil }
  }

  /// The date of ISO 8601 text in any form, or of a number of seconds since 2001; nil for any other value.
  public var date: Date? {
    if case .text(let text) = self {
      DocumentDate.date(text)
    } else {
      real.map { Date(timeIntervalSinceReferenceDate: $0) }
    }
  }

  /// The value of a property, or nil if this isn't an object or has no such property.
  public subscript(name: String) -> DocumentValue? { object?[name] }

  /// The element at the position, or nil if this isn't an array or the position is out of range.
  public subscript(position: Int) -> DocumentValue? {
    guard case .array(let array) = self, array.indices.contains(position) else { return nil }
    return array[position]
  }
}

extension DocumentValue {
  /// Creates the value of a JSON text: an object, an array, or a single value.
  ///
  /// - Parameter json: The JSON text.
  /// - Throws: ``StoreError`` `.invalidValue`, with line, column and offset, for invalid JSON, for a number that fits
  ///   neither a 64-bit integer nor a `Double`, and for an object with two properties of the same name.
  public init(json: String) throws {
    self = try DocumentReader.value(json)
  }

  /// Returns the value as JSON text in one line.
  ///
  /// - Returns: The JSON text.
  /// - Throws: ``StoreError`` `.invalidValue` for a number that isn't finite and for a value that is nested too deeply.
  public func json() throws -> String {
    try DocumentWriter.json(of: self)
  }
}

extension DocumentValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral,
  ExpressibleByStringInterpolation, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(nilLiteral: ()) { self = .null }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .real(value) }
  public init(stringLiteral value: String) { self = .text(value) }
  public init(arrayLiteral elements: DocumentValue...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, DocumentValue)...) { self = .object(Document(elements)) }
}
