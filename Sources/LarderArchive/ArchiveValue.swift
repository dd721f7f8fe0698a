public import Foundation

/// The contents of an archive as a tree without types, which an ``ArchiveMigration`` can change.
///
/// `nil` in an archive is ``null``. Integers are ``integer(_:)`` unless they are above `Int64.max`.
public indirect enum ArchiveValue: Sendable, Hashable {
  /// An encoded `nil`.
  case null
  /// True or false.
  case bool(Bool)
  /// An integer.
  case integer(Int64)
  /// An integer above `Int64.max`.
  case unsigned(UInt64)
  /// A real number, including an encoded `Float`.
  case real(Double)
  /// A date.
  case date(Date)
  /// Bytes.
  case data(Data)
  /// A text.
  case string(String)
  /// Elements in order.
  case array([ArchiveValue])
  /// Values by key.
  case dictionary([String: ArchiveValue])

  /// The value of a key, if this is a dictionary. Setting one replaces any other value with a dictionary.
  public subscript(key: String) -> ArchiveValue? {
    get { dictionary?[key] }
    set {
      var entries = dictionary ?? [:]
      entries[key] = newValue
      self = .dictionary(entries)
    }
  }

  /// The entries, if this is a dictionary.
  public var dictionary: [String: ArchiveValue]? {
    if case .dictionary(let entries) = self { entries } else { nil }
  }

  /// The elements, if this is an array.
  public var array: [ArchiveValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The text, if this is a text.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The number, if this is an integer that fits an `Int`.
  public var integer: Int? {
    switch self {
    case .integer(let number): Int(exactly: number)
    case .unsigned(let number): Int(exactly: number)
    default: nil
    }
  }

  /// The number, if this is a number.
  public var real: Double? {
    switch self {
    case .real(let number): number
    case .integer(let number): Double(number)
    case .unsigned(let number): Double(number)
    default: nil
    }
  }

  /// Creates the tree of an encodable value.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - userInfo: The `userInfo` of the encoder.
  /// - Throws: What the value's `encode(to:)` throws.
  /// - Complexity: O(*n*), where *n* is the number of values.
  public init(encoding value: some Encodable, userInfo: [CodingUserInfoKey: any Sendable] = [:]) throws {
    let payload = try PropertyListPayload.encode(value, context: .ofTree(userInfo))
    self = try payload.withUnsafeBytes { bytes in
      try ArchiveValue(PropertyListPayload.root(of: PropertyListNode(BinaryPropertyList(bytes))))
    }
  }

  /// Creates the tree of a member with its version, for a step that adds or replaces one.
  ///
  /// ```swift
  /// value["director"] = try ArchiveValue(encodingMember: Person(name: "unknown"))
  /// ```
  ///
  /// A step also creates members without a version: those have version 1, and take all steps of their type.
  ///
  /// - Parameters:
  ///   - value: The member.
  ///   - userInfo: The `userInfo` of the encoder.
  /// - Throws: What the value's `encode(to:)` throws.
  /// - Complexity: O(*n*), where *n* is the number of values.
  public init<Member: Archivable>(
    encodingMember value: Member, userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws {
    try self.init(
      encoding: VersionedMember(type: ArchiveTag.entry(of: Member.self), value: value), userInfo: userInfo)
  }

  /// Decodes the tree as a type.
  ///
  /// - Parameters:
  ///   - type: The type.
  ///   - userInfo: The `userInfo` of the decoder.
  /// - Returns: The decoded value.
  /// - Throws: ``ArchiveError`` `.invalidValue` if the tree doesn't fit the type, and what the type's `init(from:)`
  ///   throws.
  /// - Complexity: O(*n*), where *n* is the number of values.
  public func decode<T: Decodable>(
    _ type: T.Type, userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws -> T {
    try decode(type, .ofTree(userInfo))
  }

  /// Like ``decode(_:userInfo:)``, with the allow-list and the user info of the tree's archive.
  func decode<T: Decodable>(_ type: T.Type, _ context: ArchiveContext) throws -> T {
    try PropertyListPayload.decode(
      type, from: try PropertyListPayload.encode(self, context: .ofTree()), context: context)
  }

  /// Throws ``ArchiveError`` `.damaged` for a UID, which only occurs in keyed archives.
  init(_ node: PropertyListNode) throws {
    switch node {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .integer(let value): self = .integer(value)
    case .unsigned(let value): self = .unsigned(value)
    case .real(let value): self = .real(value)
    case .date(let value): self = .date(Date(timeIntervalSinceReferenceDate: value))
    case .data(let value): self = .data(Data(value))
    case .string(let value): self = .string(value)
    case .uid: throw BinaryPropertyList.damaged("has a UID where a value belongs")
    case .array(let elements):
      try StackBounds.current.check()
      self = .array(try elements.map { try ArchiveValue($0) })
    case .dictionary(let entries):
      try StackBounds.current.check()
      self = .dictionary(try entries.mapValues { try ArchiveValue($0) })
    }
  }
}

extension ArchiveValue: Encodable {
  /// Encodes the value that the tree represents.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .array(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
    case .dictionary(let entries):
      var container = encoder.container(keyedBy: PlainKey.self)
      for (key, value) in entries { try container.encode(value, forKey: PlainKey(key)) }
    default:
      var container = encoder.singleValueContainer()
      try encodeSingle(to: &container)
    }
  }

  private func encodeSingle(to container: inout any SingleValueEncodingContainer) throws {
    switch self {
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .unsigned(let value): try container.encode(value)
    case .real(let value): try container.encode(value)
    case .date(let value): try container.encode(value)
    case .data(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    default: try container.encodeNil()
    }
  }
}

extension ArchiveValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral
{
  /// A text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Creates an integer, which can also be decoded as a real number.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A real number.
  public init(floatLiteral value: Double) { self = .real(value) }
  /// True or false.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension ArchiveValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// An array.
  public init(arrayLiteral elements: ArchiveValue...) { self = .array(elements) }
  /// Creates a dictionary. If a key occurs twice, the last value counts.
  public init(dictionaryLiteral elements: (String, ArchiveValue)...) { self = .dictionary(Dictionary(elements) { $1 }) }
}
