import Foundation

extension Document {
  /// Creates the document that a typed collection stores for an `Encodable` value: `try Document(encoding: person)`.
  ///
  /// - Parameter value: A value that encodes as an object.
  /// - Throws: ``StoreError`` `.invalidValue` if the value doesn't encode as an object, or contains a value that a
  ///   document can't hold.
  public init(encoding value: some Encodable) throws {
    guard case .object(let document) = try DocumentValue(encoding: value) else {
      throw StoreError(
        .invalidValue,
        "\(type(of: value)) does not encode as an object with properties. Wrap it in a struct, or use DocumentValue.")
    }
    self = document
  }

  /// Decodes the document as a `Decodable` type: `try document.decode(Person.self)`.
  ///
  /// - Parameter type: The type to decode.
  /// - Returns: The decoded value.
  /// - Throws: ``StoreError`` `.invalidValue` if the document can't be decoded as the type.
  public func decode<Content: Decodable>(_ type: Content.Type) throws -> Content {
    try DocumentValue.object(self).decode(type)
  }
}

extension DocumentValue {
  /// Creates the document value for an `Encodable` value.
  ///
  /// - Parameter value: The value to encode.
  /// - Throws: ``StoreError`` `.invalidValue` if it contains a value that a document can't hold.
  public init(encoding value: some Encodable) throws {
    do {
      self = try DocumentEncoder().encode(value)
    } catch let error as EncodingError {
      throw StoreError(
        .invalidValue,
        "A \(type(of: value)) cannot be a document's value: \(error.shortDescription). Store what encodes.")
    }
  }

  /// Decodes this value as a `Decodable` type.
  ///
  /// - Parameter type: The type to decode.
  /// - Returns: The decoded value.
  /// - Throws: ``StoreError`` `.invalidValue` if the value can't be decoded as the type.
  public func decode<Content: Decodable>(_ type: Content.Type) throws -> Content {
    do {
      return try DocumentDecoder(self).decode(type)
    } catch let error as DecodingError {
      throw StoreError(
        .invalidValue,
        "The value does not decode as \(type): \(error.shortDescription). Correct it, or make the property optional.")
    }
  }
}
