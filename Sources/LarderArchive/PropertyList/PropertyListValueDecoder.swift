internal import Foundation

/// Decodes a value from the objects of a property list that a ``PropertyListValidator`` has passed.
struct PropertyListValueDecoder: Decoder {
  /// The bytes to decode from, valid during the call that decodes.
  final class Source {
    private var list: BinaryPropertyList?
    let context: ArchiveContext
    let userInfo: [CodingUserInfoKey: Any]
    let stack = StackBounds.current
    let kinds = VersionedKinds()
    /// The number of values and keys that the types may still request.
    private var budget: Int

    /// The number of times that a type may request a value as another type, for all values of an archive.
    private static let attempts = 8

    init(_ list: BinaryPropertyList, context: ArchiveContext) {
      self.list = list
      self.context = context
      userInfo = context.decodingInfo
      budget = 1000 + Self.attempts * min(context.limits.count, Int.max / 16)
    }

    /// Discards the bytes, so that a decoder that a type has kept reads nothing any more.
    func close() { list = nil }

    /// Throws ``ArchiveError`` `.unsupported` after the call that decodes.
    func open() throws -> BinaryPropertyList {
      guard let list else {
        throw ArchiveError(
          .unsupported, "The decoder was used after the archive was decoded. Decode everything in init(from:).")
      }
      return list
    }

    /// Nested types that try one kind of value after another would take time that doubles with each level.
    func spend(_ count: Int) throws {
      budget -= count
      guard budget >= 0 else {
        throw ArchiveError(
          .limitExceeded,
          "The type asks for the values of the archive again and again. Decode each once, or raise Archive.Limits.count."
        )
      }
      try stack.check()
    }
  }

  let source: Source
  /// The number of the object.
  let number: Int
  let path: CodingPath?
  /// Whether the elements of the value need no version of their own.
  let hasVersions: Bool
  /// Whether every other element is the key of a dictionary, and a member.
  var keysAreMembers = false

  var codingPath: [any CodingKey] { CodingPath.keys(path) }
  var userInfo: [CodingUserInfoKey: Any] { source.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    let list = try source.open()
    guard case .dictionary(let keys, let values) = try list.object(number) else { throw mismatch([String: Any].self) }
    try source.spend(keys.count)
    return KeyedDecodingContainer(try PropertyListFields<Key>(decoder: self, keys: keys, values: values, list: list))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = try source.open().object(number) else { throw mismatch([Any].self) }
    try source.spend(elements.count)
    return PropertyListElements(decoder: self, elements: elements)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { Single(decoder: self) }

  /// Decodes the object with a number as a type.
  func value<T: Decodable>(
    _ type: T.Type, _ number: Int, _ key: @autoclosure () -> (any CodingKey)?, isDictionaryKey: Bool = false
  ) throws -> T {
    if T.self is any PropertyListScalar.Type, let scalar = T.self as? any PropertyListScalar.Type {
      let list = try source.open()
      let object = try list.object(number)
      if let value = try scalar.make(from: object, in: list) as? T { return value }
      let context = DecodingError.Context(codingPath: CodingPath.keys(path, key()), debugDescription: "")
      if case .null = object { throw DecodingError.valueNotFound(type, context) }
      throw DecodingError.typeMismatch(type, context)
    }
    let kind = source.kinds.kind(of: T.self)
    if kind == .archivable, !hasVersions || isDictionaryKey { return try member(type, number, key()) }
    try source.spend(1)
    return try T(
      from: PropertyListValueDecoder(
        source: source, number: number, path: key().map { CodingPath(path, $0) } ?? path,
        hasVersions: kind.hasVersions(inVersioned: hasVersions && !isDictionaryKey),
        keysAreMembers: kind == .composedOfMembers))
  }

  func isNull(_ number: Int) throws -> Bool {
    if case .null = try source.open().object(number) { true } else { false }
  }

  private func mismatch(_ type: Any.Type) -> DecodingError {
    let context = DecodingError.Context(codingPath: codingPath, debugDescription: "")
    return (try? isNull(number)) == true ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }

  private struct Single: SingleValueDecodingContainer {
    let decoder: PropertyListValueDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { (try? decoder.isNull(decoder.number)) ?? false }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.value(type, decoder.number, nil) }
  }
}
