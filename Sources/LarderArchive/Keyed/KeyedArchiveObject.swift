/// An object of a keyed archive: the name of its class, and its encoded values by key.
public struct KeyedArchiveObject: Sendable {
  /// The name of the class in the archive.
  public let className: String
  /// The `userInfo` of the call that decodes the archive.
  public var userInfo: [CodingUserInfoKey: any Sendable] { context.userInfo }
  let fields: [String: KeyedValue]
  let keyedClass: KeyedClass
  let context: KeyedContext

  /// The keys of the encoded values, in alphabetical order.
  public var keys: [String] { fields.keys.sorted() }

  /// Returns whether a value was encoded for a key, including `nil`.
  ///
  /// - Parameter key: The key.
  public func contains(_ key: String) -> Bool { fields[key] != nil }

  /// Decodes the value of a key.
  ///
  /// - Parameters:
  ///   - type: The type: numbers, texts, dates, data, URLs, UUIDs, arrays, dictionaries with text keys, sets, any
  ///     Decodable, or the type that the class of a nested object is mapped to.
  ///   - key: The key.
  /// - Returns: The decoded value.
  /// - Throws: ``ArchiveError`` `.invalidValue`, with class and key, if there is no value or it doesn't fit the type.
  public func decode<T>(_ type: T.Type, forKey key: String) throws -> T {
    guard let value = fields[key] else {
      throw ArchiveError(
        .invalidValue, type: className, keyPath: key,
        "The object has no value for this key. Use decodeIfPresent where it may be missing.")
    }
    return try named { try value.decode(type, at: KeyedPath(context: context) + PlainKey(key)) }
  }

  /// Decodes the value of a key, if there is one.
  ///
  /// - Parameters:
  ///   - type: The type.
  ///   - key: The key.
  /// - Returns: The decoded value, or nil if there is none or it is `nil`.
  /// - Throws: ``ArchiveError`` `.invalidValue`, with class and key, if the value doesn't fit the type.
  public func decodeIfPresent<T>(_ type: T.Type, forKey key: String) throws -> T? {
    guard let value = fields[key], !value.isNull else { return nil }
    return try decode(type, forKey: key)
  }

  func build() throws -> any Sendable {
    try context.spend(1 + fields.count)
    return try keyedClass.build(self)
  }

  /// Decodes the object as a Codable type whose coding keys are the keys of the archive.
  func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try named { try KeyedValue.object(self).value(type, at: KeyedPath(context: context)) }
  }

  /// Adds the name of this class to an error without a type, so that an error names the innermost object.
  private func named<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as ArchiveError where error.type == nil {
      throw ArchiveError(error.code, type: className, keyPath: error.keyPath, error.message)
    }
  }
}
