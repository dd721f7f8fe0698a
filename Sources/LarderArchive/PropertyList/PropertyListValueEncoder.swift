internal import Foundation

/// Encodes one value into the objects of a property list; nil is the null of the format, so every text is a text.
final class PropertyListValueEncoder: Encoder {
  let writer: PropertyListWriter
  let userInfo: [CodingUserInfoKey: Any]
  private let path: CodingPath?
  private let depth: Int
  /// The number that the value is to have, where that was given away before the value was known.
  private let reserved: Int?
  /// The object of the value; nil while it has encoded nothing.
  private(set) var result: Int? {
    didSet {
      if let reserved, let result { writer.resolve(reserved, as: result) }
    }
  }

  /// Each level costs some kilobytes of stack at most.
  private static let deepest = 1000

  init(
    _ writer: PropertyListWriter, userInfo: [CodingUserInfoKey: Any], path: CodingPath? = nil, depth: Int = 0, reserved: Int? = nil
  ) {
    self.writer = writer
    self.userInfo = userInfo
    self.path = path
    self.depth = depth
    self.reserved = reserved
  }

  var codingPath: [any CodingKey] { CodingPath.keys(path) }

  /// The number of a value's object.
  func add<T: Encodable>(_ value: T, _ key: @autoclosure () -> (any CodingKey)?) throws -> Int {
    if T.self == String.self, let text = value as? String { return writer.add(text) }
    if T.self == Int.self, let number = value as? Int { return writer.add(number) }
    if let scalar = value as? any PropertyListScalar, T.self is any PropertyListScalar.Type { return scalar.add(to: writer) }
    guard depth < Self.deepest else {
      throw ArchiveError(
        .unsupported, "The value is more than \(Self.deepest) containers deep. Break the chain, or the circle, of references, and archive an array.")
    }
    let encoder = PropertyListValueEncoder(writer, userInfo: userInfo, path: key().map { CodingPath(path, $0) } ?? path, depth: depth + 1)
    try value.encode(to: encoder)
    return encoder.result ?? writer.addContainer(isDictionary: true)
  }

  private func superEncoder(_ key: any CodingKey) -> (encoder: PropertyListValueEncoder, number: Int) {
    let number = writer.reserve()
    return (PropertyListValueEncoder(writer, userInfo: userInfo, path: CodingPath(path, key), depth: depth + 1, reserved: number), number)
  }

  /// The container of the value; a class and its superclass may ask for the same one.
  private func container(isDictionary: Bool) -> Int {
    if let result, writer.isContainer(result, isDictionary: isDictionary) { return result }
    let number = writer.addContainer(isDictionary: isDictionary)
    result = number
    return number
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Fields<Key>(encoder: self, number: container(isDictionary: true)))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { Elements(encoder: self, number: container(isDictionary: false)) }

  func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }

  private struct Fields<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: PropertyListValueEncoder
    let number: Int

    var codingPath: [any CodingKey] { encoder.codingPath }

    private func set(_ value: Int, _ key: any CodingKey) {
      encoder.writer.append(value, under: encoder.writer.add(key.stringValue), to: number)
    }

    mutating func encodeNil(forKey key: Key) { set(encoder.writer.addNull(), key) }

    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws { set(try encoder.add(value, key), key) }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
      nested(key).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { nested(key).unkeyedContainer() }

    mutating func superEncoder() -> any Encoder { nested(PlainKey("super")) }

    mutating func superEncoder(forKey key: Key) -> any Encoder { nested(key) }

    private func nested(_ key: any CodingKey) -> PropertyListValueEncoder {
      let (nested, value) = encoder.superEncoder(key)
      set(value, key)
      return nested
    }
  }

  private struct Elements: UnkeyedEncodingContainer {
    let encoder: PropertyListValueEncoder
    let number: Int

    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.writer.count(of: number) }

    mutating func encodeNil() { encoder.writer.append(encoder.writer.addNull(), to: number) }

    mutating func encode<T: Encodable>(_ value: T) throws {
      encoder.writer.append(try encoder.add(value, PlainKey(count)), to: number)
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
      nested().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }

    mutating func superEncoder() -> any Encoder { nested() }

    private func nested() -> PropertyListValueEncoder {
      let (nested, value) = encoder.superEncoder(PlainKey(count))
      encoder.writer.append(value, to: number)
      return nested
    }
  }

  private struct Single: SingleValueEncodingContainer {
    let encoder: PropertyListValueEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    mutating func encodeNil() { encoder.result = encoder.writer.addNull() }

    mutating func encode<T: Encodable>(_ value: T) throws { encoder.result = try encoder.add(value, nil) }
  }
}
