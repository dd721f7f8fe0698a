import Foundation

extension Document {
  /// The document that a value of any `Encodable` type is, as a typed collection stores it: `try Document(encoding: person)`.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` for a value that isn't an object with properties, or holds what no document can.
  public init(encoding value: some Encodable) throws {
    guard case .object(let document) = try DocumentValue(encoding: value) else {
      throw StoreError(.invalidValue, "\(type(of: value)) does not encode as an object with properties. Wrap it in a struct, or use DocumentValue.")
    }
    self = document
  }

  /// The value of a `Decodable` type that the document is: `try document.decode(Person.self)`.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` if it does not decode as the type.
  public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try DocumentValue.object(self).decode(type)
  }
}

extension DocumentValue {
  /// The value that one of any `Encodable` type is in a document.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` if it holds what no document can.
  public init(encoding value: some Encodable) throws {
    do {
      self = try DocumentEncoder().encode(value)
    } catch let error as EncodingError {
      throw StoreError(.invalidValue, "A \(type(of: value)) cannot be a document's value: \(error.shortDescription). Store what encodes.")
    }
  }

  /// The value of a `Decodable` type that this is.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` if it does not decode as the type.
  public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    do {
      return try DocumentDecoder(self).decode(type)
    } catch let error as DecodingError {
      throw StoreError(
        .invalidValue, "The value does not decode as \(type): \(error.shortDescription). Correct it, or make the property optional.")
    }
  }
}
