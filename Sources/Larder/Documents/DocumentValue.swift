public import Foundation

/// A value in a document: what JSON can say, with whole numbers and fractions kept apart.
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
  /// Numbers and a few texts count as well: 0 is false and every other integer true; "1", "yes", "YES", "true" and "TRUE" are true.
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

  /// The integer; also of a real number that is whole. Nil for any other value.
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

  /// The number of an integer, of a real number's shortest digits or of text that is a number, exactly; nil for any other value.
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

  /// The date of text in any form of ISO 8601 or of a number of seconds since 2001, or nil for any other value.
  public var date: Date? {
    if case .text(let text) = self { DocumentDate.date(text) } else { real.map { Date(timeIntervalSinceReferenceDate: $0) } }
  }

  /// The value of a property, or nil where this is no object or has no such property.
  public subscript(name: String) -> DocumentValue? { object?[name] }

  /// The element at the position, or nil where this is no array or a shorter one.
  public subscript(position: Int) -> DocumentValue? {
    guard case .array(let array) = self, array.indices.contains(position) else { return nil }
    return array[position]
  }
}

extension DocumentValue {
  /// The value that the JSON text is: an object, an array, or a single value.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` with line, column and offset of what isn't valid JSON, of a number that neither a 64-bit integer nor a
  ///   `Double` holds, and of a name that an object has twice.
  public init(json: String) throws {
    self = try DocumentReader.value(json)
  }

  /// The value as JSON text, in one line.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` for a number that is not finite and for too deep a nesting.
  public func json() throws -> String {
    try DocumentWriter.json(of: self)
  }
}

extension DocumentValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
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
