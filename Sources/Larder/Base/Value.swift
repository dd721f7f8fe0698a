public import Foundation

/// A value as the database stores it, in a ``Row`` and in SQL parameters.
public enum Value: Sendable, Hashable {
  /// No value.
  case null
  /// A 64-bit signed integer.
  case integer(Int64)
  /// A floating-point number; never NaN.
  case real(Double)
  /// Text.
  case text(String)
  /// Bytes.
  case blob(Data)

  /// The integer, or nil for any other kind.
  public var integer: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }

  /// The number as a double, for integers and reals, or nil for any other kind.
  public var real: Double? {
    switch self {
    case .real(let value): value
    case .integer(let value): Double(value)
    default: nil
    }
  }

  /// The text, or nil for any other kind.
  public var text: String? {
    if case .text(let value) = self { value } else { nil }
  }

  /// The bytes, or nil for any other kind.
  public var blob: Data? {
    if case .blob(let value) = self { value } else { nil }
  }

  /// Whether this is SQL's NULL.
  public var isNull: Bool { self == .null }

  /// The kind's name, for messages that must not show the value.
  var kindName: String {
    switch self {
    case .null: "NULL"
    case .integer: "INTEGER"
    case .real: "REAL"
    case .text: "TEXT"
    case .blob: "BLOB"
    }
  }
}

extension Value: ExpressibleByNilLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral,
  ExpressibleByBooleanLiteral
{
  public init(nilLiteral: ()) { self = .null }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .real(value) }
  public init(stringLiteral value: String) { self = .text(value) }
  public init(booleanLiteral value: Bool) { self = .integer(value ? 1 : 0) }
}

extension Value: CustomStringConvertible {
  /// The value for people to read; for a blob, only its size.
  public var description: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): String(value)
    case .real(let value): String(value)
    case .text(let value): value
    case .blob(let value): "\(value.count) bytes"
    }
  }
}
