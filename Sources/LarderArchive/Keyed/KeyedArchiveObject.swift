/// An object of a keyed archive: the name of its class, and what it encoded under which key.
public struct KeyedArchiveObject: Sendable {
  /// The class, as the archive names it.
  public let className: String
  let fields: [String: KeyedValue]
  let keyedClass: KeyedClass
  let budget: KeyedBudget

  /// The keys that the object was encoded with, in alphabetical order.
  public var keys: [String] { fields.keys.sorted() }

  /// Whether there is something under a key; `nil` that was encoded counts.
  public func contains(_ key: String) -> Bool { fields[key] != nil }

  /// What was encoded under a key.
  ///
  /// Numbers, texts, dates, data, URLs, UUIDs, arrays, dictionaries with text keys, sets, any Decodable, and what the class of a nested object is mapped to.
  /// Throws ``ArchiveError`` `.invalidValue`, with class and key, where there is nothing or something else.
  public func decode<T>(_ type: T.Type, forKey key: String) throws -> T {
    guard let value = fields[key] else {
      throw ArchiveError(
        .invalidValue, type: className, keyPath: key, "The object has no value for this key. Use decodeIfPresent where it may be missing.")
    }
    return try named { try value.decode(type, at: [PlainKey(key)]) }
  }

  /// What was encoded under a key, or nil where there is nothing or `nil`; throws as ``decode(_:forKey:)`` does for something else.
  public func decodeIfPresent<T>(_ type: T.Type, forKey key: String) throws -> T? {
    guard let value = fields[key], !value.isNull else { return nil }
    return try decode(type, forKey: key)
  }

  func build() throws -> any Sendable {
    try budget.spend()
    return try keyedClass.build(self)
  }

  /// The object as a Codable type whose coding keys are the keys of the archive.
  func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try named { try KeyedValue.object(self).value(type) }
  }

  /// Gives an error that has no type the name of this class: the innermost object is the one that an error names.
  private func named<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as ArchiveError where error.type == nil {
      throw ArchiveError(error.code, type: className, keyPath: error.keyPath, error.message)
    }
  }
}
