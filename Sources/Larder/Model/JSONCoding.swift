import Foundation

/// Stores any `Codable` as JSON text. Keys, elements of sets and pairs of dictionaries are sorted at every depth, so
/// that equal values have equal text.
@usableFromInline
enum JSONCoding {
  @usableFromInline
  static func encode<Input: Encodable>(_ value: Input) throws -> Value {
    if let optional = value as? any OptionalValue, optional.isNil { return .null }
    do {
      return .text(try CanonicalEncoding.json(of: value).text)
    } catch let error as EncodingError {
      throw ValueFailure(
        problem: "cannot be written as JSON: \(error.shortDescription)",
        remedy: "store only finite numbers and nested values that encode")
    }
  }

  /// Returns the JSON of a value with sets or dictionaries, whose parts other encoders write in any order; nil for
  /// every other value.
  static func unordered<Value: Codable & Sendable>(_ value: Value) throws -> UnorderedJSON? {
    guard !CanonicalEncoding.isOrdered(Value.self) else { return nil }
    if let optional = value as? any OptionalValue, optional.isNil { return nil }
    do {
      let (text, isUnordered) = try CanonicalEncoding.json(of: value)
      guard isUnordered else { return nil }
      return UnorderedJSON(text: text) { stored in
        try CanonicalEncoding.json(of: JSONDecoder().decode(Value.self, from: Data(stored.utf8))).text
      }
    } catch let error as EncodingError {
      throw ValueFailure(
        problem: "cannot be written as JSON: \(error.shortDescription)",
        remedy: "store only finite numbers and nested values that encode")
    }
  }

  /// Returns the value as SQLite extracts it from JSON written by ``encode(_:)``.
  static func scalar(_ value: some StoredValue) throws -> Value {
    switch value {
    case let uuid as UUID: .text(uuid.uuidString)
    case let data as Data: .text(data.base64EncodedString())
    case let decimal as Decimal: try number(decimal)
    // JSON has the shortest digits of the number, which denote another number at twice the width.
    case let float as Float: try Double("\(float)").map { .real($0) } ?? float.storedValue()
    default: try value.storedValue()
    }
  }

  /// Returns a number without a fraction as an integer if it fits, as SQLite parses JSON.
  private static func number(_ decimal: Decimal) throws -> Value {
    guard case .text(let digits) = try decimal.storedValue(), let real = Double(digits) else { return .null }
    return Int64(digits).map { .integer($0) } ?? .real(real)
  }

  @usableFromInline
  static func decode<Output: Decodable>(_ column: StoredColumn) throws -> Output {
    try decode(column.exactValue)
  }

  static func decode<Output: Decodable>(_ value: Value) throws -> Output {
    let json: Data
    switch value {
    case .text(let text): json = Data(text.utf8)
    case .blob(let data): json = data
    case .null where Output.self is any OptionalValue.Type: json = Data("null".utf8)
    // A JSON column written by another program may contain a bare number.
    case .integer(let integer): json = Data("\(integer)".utf8)
    case .real(let real): json = Data("\(real)".utf8)
    case .null: throw ValueFailure.unexpected(value, expected: "JSON of \(Output.self)")
    }
    do {
      return try JSONDecoder().decode(Output.self, from: json)
    } catch let error as DecodingError {
      throw ValueFailure(
        problem: "holds JSON that does not decode as \(Output.self): \(error.shortDescription)",
        remedy: "correct the JSON with a migration, or make the type accept it")
    }
  }
}

/// Common to all optionals, for code that has one as a generic `Codable`.
protocol OptionalValue {
  var isNil: Bool { get }
}

extension Optional: OptionalValue {
  var isNil: Bool { self == nil }
}

extension DecodingError {
  /// Returns what is wrong and where, without the values.
  var shortDescription: String {
    switch self {
    // What is missing is never the key of a dictionary.
    case .keyNotFound(let key, let context): "no value for \"\(key.stringValue)\"\(context.codingPath.place)"
    case .typeMismatch(let type, let context): "no \(type)\(context.codingPath.place)"
    case .valueNotFound(let type, let context): "null where \(type) is required\(context.codingPath.place)"
    case .dataCorrupted(let context):
      context.codingPath.isEmpty ? "not valid JSON" : "not valid\(context.codingPath.place)"
    @unknown default: "not valid"
    }
  }
}

extension EncodingError {
  var shortDescription: String {
    switch self {
    case .invalidValue(_, let context): "a value\(context.codingPath.place) has no JSON form"
    @unknown default: "a value has no JSON form"
    }
  }
}

extension [any CodingKey] {
  fileprivate var place: String {
    isEmpty ? "" : " at " + map(\.shown).joined(separator: ".")
  }
}

extension CodingKey {
  /// The key of a property by its name. The key of a dictionary is a stored value, which messages must not show.
  fileprivate var shown: String {
    // The position in an array. The key of a dictionary with integer keys is indistinguishable.
    if let intValue, stringValue != "\(intValue)" { return "[\(intValue)]" }
    return Mirror(reflecting: self).displayStyle == .enum ? stringValue : "[…]"
  }
}
