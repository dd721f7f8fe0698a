/// Decodes Codable types from a value of a keyed archive.
struct KeyedValueDecoder: Decoder {
  let value: KeyedValue
  let path: KeyedPath

  var codingPath: [any CodingKey] { path.keys }
  var userInfo: [CodingUserInfoKey: Any] { path.context.userInfo.mapValues { $0 as Any } }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Fields<Key>(fields: try fields(), path: path))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard let elements = value.elements else { throw KeyedValue.mismatch([Any].self, at: path) }
    try path.context.spend(elements.count)
    return Elements(elements: elements, path: path)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    Single(value: value, path: path)
  }

  private func fields() throws -> [String: KeyedValue] {
    switch value {
    case .object(let object):
      try path.context.spend(object.fields.count)
      return object.fields
    case .pairs(let pairs):
      try path.context.spend(pairs.count)
      var fields: [String: KeyedValue] = [:]
      for pair in pairs {
        guard let key = pair.key.keyText else {
          throw ArchiveError(
            .invalidValue, keyPath: ArchiveError.keyPath(codingPath),
            "A dictionary has keys that are neither text nor integers. Decode it as a Dictionary with such keys.")
        }
        fields[key] = pair.value
      }
      return fields
    default: throw KeyedValue.mismatch([String: Any].self, at: path)
    }
  }

  private struct Fields<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let fields: [String: KeyedValue]
    let path: KeyedPath

    var codingPath: [any CodingKey] { path.keys }

    var allKeys: [Key] { fields.keys.sorted().compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { fields[key.stringValue] != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try field(key).isNull }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
      try field(key).decode(type, at: path + key)
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
      try decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try decoder(PlainKey("super")) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

    private func decoder(_ key: any CodingKey) throws -> KeyedValueDecoder {
      try path.context.spend()
      return KeyedValueDecoder(value: try field(key), path: path + key)
    }

    private func field(_ key: any CodingKey) throws -> KeyedValue {
      guard let field = fields[key.stringValue] else {
        throw ArchiveError(
          .invalidValue, keyPath: ArchiveError.keyPath(codingPath + [key]),
          "The archive has no value for this key. Make the property optional, or build the class with .building, which may fill it."
        )
      }
      return field
    }
  }

  private struct Elements: UnkeyedDecodingContainer {
    let elements: [KeyedValue]
    let path: KeyedPath
    var currentIndex = 0

    init(elements: [KeyedValue], path: KeyedPath) {
      self.elements = elements
      self.path = path
    }

    var codingPath: [any CodingKey] { path.keys }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    mutating func decodeNil() throws -> Bool {
      guard try next().isNull else { return false }
      currentIndex += 1
      return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
      let value = try next().decode(type, at: path + PlainKey(currentIndex))
      currentIndex += 1
      return value
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested>
    {
      try decoder().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try decoder().unkeyedContainer() }

    mutating func superDecoder() throws -> any Decoder { try decoder() }

    private mutating func decoder() throws -> KeyedValueDecoder {
      try path.context.spend()
      let decoder = KeyedValueDecoder(value: try next(), path: path + PlainKey(currentIndex))
      currentIndex += 1
      return decoder
    }

    private func next() throws -> KeyedValue {
      guard !isAtEnd else {
        throw ArchiveError(
          .invalidValue, keyPath: ArchiveError.keyPath(codingPath + [PlainKey(currentIndex)]),
          "The archive has fewer elements than the type asks for. Ask for the type that was encoded.")
      }
      return elements[currentIndex]
    }
  }

  private struct Single: SingleValueDecodingContainer {
    let value: KeyedValue
    let path: KeyedPath

    var codingPath: [any CodingKey] { path.keys }

    func decodeNil() -> Bool { value.isNull }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try value.decodeDirectly(type, at: path) }
  }
}
