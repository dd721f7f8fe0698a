/// The entries of a dictionary being decoded.
struct PropertyListFields<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let decoder: PropertyListValueDecoder
  private let values: BinaryPropertyList.References
  private let names: [String]
  /// The positions of the names, if there are too many for a linear search.
  private let places: [ExactText: Int]

  /// O(entries).
  init(
    decoder: PropertyListValueDecoder, keys: BinaryPropertyList.References, values: BinaryPropertyList.References,
    list: BinaryPropertyList
  ) throws {
    self.decoder = decoder
    self.values = values
    let names = try (0..<keys.count).map { try list.text(list.object(list.reference($0, in: keys))) }
    self.names = names
    places =
      names.count > 16 ? Dictionary(zip(names.lazy.map(ExactText.init), names.indices)) { first, _ in first } : [:]
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { names.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { place(key) != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try decoder.isNull(number(key)) }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try decoder.value(type, number(key), key) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try nested(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try nested(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try nested(PlainKey("super")) }

  func superDecoder(forKey key: Key) throws -> any Decoder { try nested(key) }

  private func nested(_ key: any CodingKey) throws -> PropertyListValueDecoder {
    try decoder.source.spend(1)
    return PropertyListValueDecoder(
      source: decoder.source, number: try number(key), path: CodingPath(decoder.path, key), hasVersions: false)
  }

  private func place(_ key: any CodingKey) -> Int? {
    let name = key.stringValue
    return names.count > 16 ? places[ExactText(text: name)] : names.firstIndex { $0.isExactly(name) }
  }

  private func number(_ key: any CodingKey) throws -> Int {
    guard let place = place(key) else {
      throw DecodingError.keyNotFound(key, DecodingError.Context(codingPath: codingPath, debugDescription: ""))
    }
    return try decoder.source.open().reference(place, in: values)
  }
}

/// The elements of an array being decoded.
struct PropertyListElements: UnkeyedDecodingContainer {
  private let decoder: PropertyListValueDecoder
  private let elements: BinaryPropertyList.References
  private(set) var currentIndex = 0

  init(decoder: PropertyListValueDecoder, elements: BinaryPropertyList.References) {
    self.decoder = decoder
    self.elements = elements
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  mutating func decodeNil() throws -> Bool {
    guard try decoder.isNull(number(Any?.self)) else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let value = try decoder.value(
      type, number(type), PlainKey(currentIndex),
      isDictionaryKey: decoder.keysAreMembers && currentIndex.isMultiple(of: 2))
    currentIndex += 1
    return value
  }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
    try nested().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try nested().unkeyedContainer() }

  mutating func superDecoder() throws -> any Decoder { try nested() }

  private mutating func nested() throws -> PropertyListValueDecoder {
    let number = try number([Any].self)
    try decoder.source.spend(1)
    defer { currentIndex += 1 }
    return PropertyListValueDecoder(
      source: decoder.source, number: number, path: CodingPath(decoder.path, PlainKey(currentIndex)), hasVersions: false
    )
  }

  private func number(_ type: Any.Type) throws -> Int {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        type,
        DecodingError.Context(codingPath: CodingPath.keys(decoder.path, PlainKey(currentIndex)), debugDescription: ""))
    }
    return try decoder.source.open().reference(currentIndex, in: elements)
  }
}
