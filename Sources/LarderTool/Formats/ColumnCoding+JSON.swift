import Foundation
import Larder

extension ColumnCoding {
  /// Returns a stored value as JSON, of which ``value(json:)`` makes the same value.
  func json(_ value: Value) -> DocumentValue {
    switch form {
    case .date: return Self.date(value).map { .text($0) } ?? .null
    case .json: return value.text.flatMap { try? DocumentValue(json: $0) } ?? .null
    case .property(let property) where fits(value):
      switch value {
      case .text(let text) where property.type == .json: return Self.json(ofJSON: text)
      case .real(let real) where !real.isFinite && property.type != .date: return [Tag.real: .text("\(real)")]
      default: return property.json(of: value)
      }
    default: return tagged(value)
    }
  }

  /// JSON as it is, unless the text would change on the way, or looks like a tag.
  private static func json(ofJSON text: String) -> DocumentValue {
    guard let value = try? DocumentValue(json: text), (try? value.json()) == text, tag(of: value) == nil else {
      return [Tag.json: .text(text)]
    }
    return value
  }

  private func tagged(_ value: Value) -> DocumentValue {
    // A text in a column of another type would be read as a value of that type.
    if case .property = form, case .text(let text) = value { return [Tag.text: .text(text)] }
    switch value {
    case .null: return .null
    case .integer(let integer): return .integer(integer)
    case .real(let real): return real.isFinite ? .real(real) : [Tag.real: .text("\(real)")]
    case .text(let text): return .text(text)
    case .blob(let data): return [Tag.bytes: .text(data.base64EncodedString())]
    }
  }

  private static func tag(of value: DocumentValue) -> (name: String, text: String)? {
    guard let object = value.object, object.count == 1, let (name, value) = object.first, let text = value.text,
      name.hasPrefix("$")
    else { return nil }
    return (name, text)
  }

  /// Returns the stored value of JSON.
  ///
  /// - Throws: `StoreError`, or ``Failure`` for JSON that is no value of the column.
  func value(json: DocumentValue) throws -> Value {
    if let (name, text) = Self.tag(of: json), let value = Self.value(tag: name, text) { return value }
    switch json {
    case .null: return .null
    case .bool(let bool):
      return isJSON ? .text(bool ? "true" : "false") : .integer(bool ? 1 : 0)
    case .integer(let integer): return isJSON ? .text(String(integer)) : .integer(integer)
    case .real(let real): return isJSON ? .text(try json.json()) : .real(real)
    case .text(let text): return isJSON ? .text(try json.json()) : try value(text: text)
    case .array, .object:
      guard isJSON || isAny else {
        throw Failure("\(name) is \(json.array == nil ? "an object" : "an array"), and the column doesn't hold JSON.")
      }
      return .text(try json.json())
    }
  }

  private var isJSON: Bool {
    switch form {
    case .json: true
    case .property(let property): property.type == .json
    case .any, .date: false
    }
  }

  private var isAny: Bool { if case .any = form { true } else { false } }

  /// Returns the value of a text that isn't tagged.
  private func value(text: String) throws -> Value {
    switch form {
    case .any, .json: return .text(text)
    case .date: return try Self.value(date: text)
    case .property(let property): return try property.value(parsing: text)
    }
  }

  static func value(date text: String) throws -> Value {
    guard let date = DocumentValue.text(text).date else {
      throw Failure("A date of expiry isn't in ISO 8601, such as 2026-11-30T18:00:00Z.")
    }
    return .real(date.timeIntervalSinceReferenceDate)
  }

  private static func value(tag: String, _ text: String) -> Value? {
    switch tag {
    case Tag.bytes: Data(base64Encoded: text).map { .blob($0) }
    case Tag.integer: Int64(text).map { .integer($0) }
    case Tag.real: Double(text).flatMap { $0.isNaN ? nil : .real($0) }
    case Tag.text, Tag.json: .text(text)
    default: nil
    }
  }
}
