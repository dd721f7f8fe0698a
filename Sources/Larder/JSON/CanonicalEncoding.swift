import Foundation

/// Writes JSON with the elements of sets and dictionaries in a canonical order, at every depth.
///
/// `JSONEncoder` only sorts the keys of objects. It still does the work; a wrapper sees each nested value, and passes
/// on a set, or a dictionary that JSON represents as an array of alternating keys and values, sorted by its elements'
/// JSON.
enum CanonicalEncoding {
  /// The version of the canonical order. Files with an earlier one may hold the parts of equal values in any order.
  static let version = 1

  /// Returns the JSON, and whether it has unordered parts.
  static func json<Input: Encodable>(of value: Input) throws -> (text: String, isUnordered: Bool) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if isOrdered(Input.self) { return (String(decoding: try encoder.encode(value), as: UTF8.self), false) }
    let notes = Notes()
    let json = try encoder.encode(CanonicalValue(value: value, notes: notes))
    return (String(decoding: json, as: UTF8.self), notes.isUnordered)
  }

  /// Whether values of the type are known to have no unordered parts. This is true for most JSON columns, and for all
  /// values that encode themselves as a single value.
  static func isOrdered(_ type: Any.Type) -> Bool { ordered.contains(ObjectIdentifier(type)) }

  private static let ordered: Set<ObjectIdentifier> = {
    func types<Element>(_ type: Element.Type) -> [ObjectIdentifier] {
      [
        ObjectIdentifier(type), ObjectIdentifier(Element?.self), ObjectIdentifier([Element].self),
        ObjectIdentifier([Element]?.self),
        ObjectIdentifier([[Element]].self), ObjectIdentifier([String: Element].self),
        ObjectIdentifier([String: Element]?.self),
        ObjectIdentifier([Int: Element].self),
      ]
    }
    return Set(
      types(String.self) + types(Int.self) + types(Int64.self) + types(Double.self) + types(Bool.self)
        + types(UUID.self) + types(Date.self)
        + types(Decimal.self) + types(Data.self) + types(URL.self) + types(Float.self) + types(Int8.self)
        + types(Int16.self) + types(Int32.self)
        + types(UInt.self) + types(UInt8.self) + types(UInt16.self) + types(UInt32.self) + types(UInt64.self)
        + types(Int128.self)
        + types(UInt128.self))
  }()

  /// The state of one encoding.
  final class Notes {
    var isUnordered = false
  }
}

/// A value whose parts are encoded in a canonical order.
private struct CanonicalValue<Input: Encodable>: Encodable {
  let value: Input
  let notes: CanonicalEncoding.Notes

  func encode(to encoder: any Encoder) throws {
    if let parts = try (value as? any UnorderedElements)?.parts() {
      var container = encoder.unkeyedContainer()
      if parts.count > 1 { notes.isUnordered = true }
      for element in parts.flatMap(\.self) { try element.encode(to: &container, notes) }
    } else if CanonicalEncoding.isOrdered(Input.self) {
      // The encoder has its own formats for dates, data, decimals and URLs, and the standard library's numbers encode
      // as themselves.
      var container = encoder.singleValueContainer()
      try container.encode(value)
    } else {
      try value.encode(to: CanonicalEncoder(base: encoder, notes: notes))
    }
  }
}

extension Encodable {
  fileprivate func encode(to container: inout any UnkeyedEncodingContainer, _ notes: CanonicalEncoding.Notes) throws {
    try container.encode(CanonicalValue(value: self, notes: notes))
  }
}

/// A collection that is encoded as an array, in an order that varies.
private protocol UnorderedElements {
  /// Returns the elements, each as its values in the array, sorted by their JSON; nil for a dictionary that JSON
  /// represents as an object.
  func parts() throws -> [[any Encodable]]?
}

extension Set: UnorderedElements where Element: Encodable {
  func parts() throws -> [[any Encodable]]? {
    try map { (try CanonicalEncoding.json(of: [$0]).text, $0) }.sorted { $0.0 < $1.0 }.map { [$0.1 as any Encodable] }
  }
}

extension Dictionary: UnorderedElements where Key: Encodable, Value: Encodable {
  func parts() throws -> [[any Encodable]]? {
    guard !Self.isJSONObject else { return nil }
    return try map { (try CanonicalEncoding.json(of: [$0.key]).text, $0) }.sorted { $0.0 < $1.0 }.map {
      [$0.1.key, $0.1.value] as [any Encodable]
    }
  }
}

/// An encoder that forwards everything to another one, with each value wrapped in a ``CanonicalValue``.
private struct CanonicalEncoder: Encoder {
  let base: any Encoder
  let notes: CanonicalEncoding.Notes
  var codingPath: [any CodingKey] { base.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Keyed(base: base.container(keyedBy: type), notes: notes))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { Unkeyed(base: base.unkeyedContainer(), notes: notes) }
  func singleValueContainer() -> any SingleValueEncodingContainer {
    Single(base: base.singleValueContainer(), notes: notes)
  }

  private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    var base: KeyedEncodingContainer<Key>
    let notes: CanonicalEncoding.Notes
    var codingPath: [any CodingKey] { base.codingPath }

    mutating func encodeNil(forKey key: Key) throws { try base.encodeNil(forKey: key) }
    mutating func encode(_ value: some Encodable, forKey key: Key) throws {
      try base.encode(CanonicalValue(value: value, notes: notes), forKey: key)
    }
    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
      KeyedEncodingContainer(Keyed<Nested>(base: base.nestedContainer(keyedBy: type, forKey: key), notes: notes))
    }
    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      Unkeyed(base: base.nestedUnkeyedContainer(forKey: key), notes: notes)
    }
    mutating func superEncoder() -> any Encoder { CanonicalEncoder(base: base.superEncoder(), notes: notes) }
    mutating func superEncoder(forKey key: Key) -> any Encoder {
      CanonicalEncoder(base: base.superEncoder(forKey: key), notes: notes)
    }
  }

  private struct Unkeyed: UnkeyedEncodingContainer {
    var base: any UnkeyedEncodingContainer
    let notes: CanonicalEncoding.Notes
    var codingPath: [any CodingKey] { base.codingPath }
    var count: Int { base.count }

    mutating func encodeNil() throws { try base.encodeNil() }
    mutating func encode(_ value: some Encodable) throws { try base.encode(CanonicalValue(value: value, notes: notes)) }
    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
      KeyedEncodingContainer(Keyed<Nested>(base: base.nestedContainer(keyedBy: type), notes: notes))
    }
    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
      Unkeyed(base: base.nestedUnkeyedContainer(), notes: notes)
    }
    mutating func superEncoder() -> any Encoder { CanonicalEncoder(base: base.superEncoder(), notes: notes) }
  }

  private struct Single: SingleValueEncodingContainer {
    var base: any SingleValueEncodingContainer
    let notes: CanonicalEncoding.Notes
    var codingPath: [any CodingKey] { base.codingPath }

    mutating func encodeNil() throws { try base.encodeNil() }
    mutating func encode(_ value: some Encodable) throws { try base.encode(CanonicalValue(value: value, notes: notes)) }
  }
}

/// JSON of a value with unordered parts, which may be in another order in the file.
@usableFromInline
struct UnorderedJSON: Sendable, Hashable {
  let text: String
  /// Returns a text of the file as Larder would write the same value.
  let canonical: @Sendable (String) throws -> String

  /// Returns a matcher for texts of the file that are the JSON of a value that equals one of these, which have one type.
  static func matcher(of list: [UnorderedJSON]) -> RegexMatcher {
    guard let canonical = list.first?.canonical else { return RegexMatcher { _ in false } }
    // JSON in another order has the same characters.
    let characters = Set(list.map { $0.text.utf8.sorted() })
    let lengths = Set(characters.map(\.count))
    let texts = Set(list.map { ExactText($0.text) })
    return RegexMatcher { stored in
      guard lengths.contains(stored.utf8.count), characters.contains(stored.utf8.sorted()) else { return false }
      return texts.contains(ExactText(try canonical(stored)))
    }
  }

  @usableFromInline
  static func == (left: UnorderedJSON, right: UnorderedJSON) -> Bool { left.text == right.text }

  @usableFromInline
  func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// A dictionary of unknown types.
protocol DictionaryValue {
  static var isJSONObject: Bool { get }
}

extension Dictionary: DictionaryValue {
  static var isJSONObject: Bool {
    Key.self is String.Type || Key.self is Int.Type || Key.self is any CodingKeyRepresentable.Type
  }
}
