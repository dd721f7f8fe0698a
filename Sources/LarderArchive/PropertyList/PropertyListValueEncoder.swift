internal import Foundation

/// Encodes one value as objects of a property list. nil is the format's null, so that every text is distinct from it.
final class PropertyListValueEncoder: Encoder {
  let writer: PropertyListWriter
  let userInfo: [CodingUserInfoKey: Any]
  private let path: CodingPath?
  /// The number of containers that enclose the value.
  private let depth: Int
  /// The number of encoders that lead here; one that passes the value on to another creates no container.
  private let level: Int
  /// Whether the elements of the value need no version of their own.
  private let hasVersions: Bool
  /// Whether the elements are decoded as their dynamic types: the value of the whole list, and that of ``Archived``.
  private let namesTypes: Bool
  /// Whether every other element is the key of a dictionary, and a member.
  private let keysAreMembers: Bool
  /// The number reserved for the value before it was known.
  private let reserved: Int?
  /// The object of the value; nil while nothing was encoded.
  private(set) var result: Int? {
    didSet {
      if let reserved, let result { writer.resolve(reserved, as: result) }
    }
  }

  private init(
    _ outer: PropertyListValueEncoder, path: CodingPath?, depth: Int, kind: VersionedKind = .plain,
    isMember: Bool = false, reserved: Int? = nil
  ) {
    hasVersions = kind.hasVersions(inVersioned: outer.hasVersions && !isMember)
    namesTypes = kind == .versioned
    keysAreMembers = kind == .composedOfMembers
    writer = outer.writer
    userInfo = outer.userInfo
    self.path = path
    self.depth = depth
    level = outer.level + 1
    self.reserved = reserved
  }

  /// The encoder whose elements are the values of the whole list.
  init(_ writer: PropertyListWriter, userInfo: [CodingUserInfoKey: Any]) {
    self.writer = writer
    self.userInfo = userInfo
    path = nil
    depth = 0
    level = 0
    // The value of the whole list has its version in the header.
    hasVersions = true
    namesTypes = true
    keysAreMembers = false
    reserved = nil
  }

  var codingPath: [any CodingKey] { CodingPath.keys(path) }

  /// Returns the number of an element's object, or, without a key, of the value itself.
  ///
  /// Throws ``ArchiveError`` `.limitExceeded`, and what the value's own `encode(to:)` throws.
  func add<T: Encodable>(
    _ value: T, _ key: @autoclosure () -> (any CodingKey)?, isElement: Bool = true, isDictionaryKey: Bool = false
  ) throws -> Int {
    try writer.check()
    if T.self == String.self, let text = value as? String { return writer.add(text) }
    if T.self == Int.self, let number = value as? Int { return writer.add(number) }
    if let scalar = value as? any PropertyListScalar, T.self is any PropertyListScalar.Type {
      return scalar.add(to: writer)
    }
    try checkLevel()
    let kind = writer.kinds.kind(of: T.self)
    if !namesTypes, writer.kinds.isClass(T.self) {
      try ArchiveTag.check(type(of: value as Any), in: T.self, at: CodingPath.keys(path, key()))
    }
    let isMember = kind == .archivable && (!hasVersions || isDictionaryKey)
    if isMember {
      let type = writer.kinds.entry(of: T.self)
      writer.hasArchivableMembers = true
      if type.version != 1 { return try add(VersionedMember(type: type, value: value), key(), isElement: isElement) }
    }
    let encoder = PropertyListValueEncoder(
      self, path: key().map { CodingPath(path, $0) } ?? path, depth: isElement ? depth + 1 : depth, kind: kind,
      isMember: isDictionaryKey)
    let deepest = writer.deepest
    if isMember { writer.deepest = 0 }
    try value.encode(to: encoder)
    var result = encoder.result ?? writer.addContainer(isDictionary: true, depth: encoder.depth)
    if isMember {
      if writer.hasKeys(result, MemberKey.names) {
        result = wrap(result, writer.kinds.entry(of: T.self), encoder.depth)
      }
      writer.deepest = max(deepest, writer.deepest)
    }
    try writer.check()
    return result
  }

  /// Returns a member of version 1, with its version beside it, whose own value looks as if it had one.
  private func wrap(_ value: Int, _ type: ArchiveHeader.TypeEntry, _ depth: Int) -> Int {
    // Everything in it lies one level deeper now.
    writer.deepest += 1
    if writer.deepest >= writer.limits.depth { writer.fail(.tooDeep(writer.limits)) }
    let member = writer.addContainer(isDictionary: true, depth: depth)
    writer.append(writer.add(type.tag), under: writer.add(MemberKey.tag.rawValue, isKey: true), to: member)
    writer.append(writer.add(type.version), under: writer.add(MemberKey.version.rawValue, isKey: true), to: member)
    writer.append(value, under: writer.add(MemberKey.value.rawValue, isKey: true), to: member)
    return member
  }

  /// A cycle of values that only pass the encoder on is endless without being deep.
  private func checkLevel() throws {
    if level > Self.deepest(writer.limits) { writer.fail(.tooDeep(writer.limits)) }
    if writer.stack.isUsedUp { writer.fail(StackBounds.usedUp) }
    try writer.check()
  }

  private static func deepest(_ limits: Archive.Limits) -> Int { 4 * min(limits.depth, 1 << 20) + 100 }

  private func superEncoder(_ key: any CodingKey) -> (encoder: PropertyListValueEncoder, number: Int) {
    try? checkLevel()
    checkStack()
    let number = writer.reserve()
    return (PropertyListValueEncoder(self, path: CodingPath(path, key), depth: depth + 1, reserved: number), number)
  }

  /// Records that the stack is used up, and ends the process before an endless recursion overflows it.
  ///
  /// No requirement of `Encoder` that returns an encoder or a container can throw, so the next call that can does.
  /// Values in a circle whose `encode(to:)` never gets to such a call leave no other way than to end the process.
  private func checkStack() {
    guard writer.stack.isUsedUp else { return }
    writer.fail(StackBounds.usedUp)
    precondition(
      !writer.stack.isOverrun,
      "Values hand their encoder on to each other in a circle, and encode nothing on the way. Break the circle.")
  }

  /// Returns the container of the value; a class and its superclass may request the same one.
  private func container(isDictionary: Bool) -> Int {
    checkStack()
    if let result, writer.isContainer(result, isDictionary: isDictionary) { return result }
    let number = writer.addContainer(isDictionary: isDictionary, depth: depth)
    result = number
    return number
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Fields<Key>(encoder: self, number: container(isDictionary: true)))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    Elements(encoder: self, number: container(isDictionary: false))
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    checkStack()
    return Single(encoder: self)
  }

  private struct Fields<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: PropertyListValueEncoder
    let number: Int

    var codingPath: [any CodingKey] { encoder.codingPath }

    private func set(_ value: Int, _ key: any CodingKey) {
      encoder.writer.append(value, under: encoder.writer.add(key.stringValue, isKey: true), to: number)
    }

    mutating func encodeNil(forKey key: Key) throws {
      try encoder.writer.check()
      set(encoder.writer.addNull(), key)
    }

    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws { set(try encoder.add(value, key), key) }

    // The default implementations don't throw for nil.
    mutating func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws { try encode(orNone: value, key) }
    mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encode(orNone: value, key) }
    mutating func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encode(orNone: value, key) }
    mutating func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encode(orNone: value, key) }
    mutating func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encode(orNone: value, key) }
    mutating func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encode(orNone: value, key) }
    mutating func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encode(orNone: value, key) }
    mutating func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encode(orNone: value, key) }
    mutating func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encode(orNone: value, key) }
    mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encode(orNone: value, key) }
    mutating func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encode(orNone: value, key) }
    mutating func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encode(orNone: value, key) }
    mutating func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encode(orNone: value, key) }
    mutating func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encode(orNone: value, key) }
    mutating func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encode(orNone: value, key) }

    private mutating func encode<T: Encodable>(orNone value: T?, _ key: Key) throws {
      try encoder.writer.check()
      if let value { try encode(value, forKey: key) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
      let (nested, number) = container(isDictionary: true, key)
      return KeyedEncodingContainer(Fields<Nested>(encoder: nested, number: number))
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      let (nested, number) = container(isDictionary: false, key)
      return Elements(encoder: nested, number: number)
    }

    /// Returns the container for a key, the same one each time.
    private func container(isDictionary: Bool, _ key: Key) -> (encoder: PropertyListValueEncoder, number: Int) {
      let writer = encoder.writer
      let nested = PropertyListValueEncoder(encoder, path: CodingPath(encoder.path, key), depth: encoder.depth + 1)
      let place = writer.add(key.stringValue, isKey: true)
      return (nested, writer.container(isDictionary: isDictionary, under: place, in: number, depth: nested.depth))
    }

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

    mutating func encodeNil() throws {
      try encoder.writer.check()
      encoder.writer.append(encoder.writer.addNull(), to: number)
    }

    mutating func encode<T: Encodable>(_ value: T) throws {
      let isDictionaryKey = encoder.keysAreMembers && count.isMultiple(of: 2)
      encoder.writer.append(try encoder.add(value, PlainKey(count), isDictionaryKey: isDictionaryKey), to: number)
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

    mutating func encodeNil() throws {
      try encoder.writer.check()
      encoder.result = encoder.writer.addNull()
    }

    mutating func encode<T: Encodable>(_ value: T) throws {
      encoder.result = try encoder.add(value, nil, isElement: false)
    }
  }
}
