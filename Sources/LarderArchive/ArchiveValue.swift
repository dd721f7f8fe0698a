public import Foundation

/// What an archive holds, as a tree that needs no type: what an ``ArchiveMigration`` changes.
///
/// `nil` inside an archive is ``null``. Integers are ``integer(_:)`` unless they are above `Int64.max`.
public indirect enum ArchiveValue: Sendable, Hashable {
  /// Nothing: `nil` that was encoded.
  case null
  /// True or false.
  case bool(Bool)
  /// A whole number.
  case integer(Int64)
  /// A whole number above `Int64.max`.
  case unsigned(UInt64)
  /// A real number, also where a `Float` was encoded.
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

  /// The value of a key, where this is a dictionary; setting one makes a dictionary of anything else.
  public subscript(key: String) -> ArchiveValue? {
    get { dictionary?[key] }
    set {
      var entries = dictionary ?? [:]
      entries[key] = newValue
      self = .dictionary(entries)
    }
  }

  /// The entries, where this is a dictionary.
  public var dictionary: [String: ArchiveValue]? {
    if case .dictionary(let entries) = self { entries } else { nil }
  }

  /// The elements, where this is an array.
  public var array: [ArchiveValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The text, where this is one.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The number, where this is an integer that fits.
  public var integer: Int? {
    switch self {
    case .integer(let number): Int(exactly: number)
    case .unsigned(let number): Int(exactly: number)
    default: nil
    }
  }

  /// The number, where this is one.
  public var real: Double? {
    switch self {
    case .real(let number): number
    case .integer(let number): Double(number)
    case .unsigned(let number): Double(number)
    default: nil
    }
  }

  /// The tree of a Codable value. Throws what its `encode(to:)` throws; O(values).
  public init(encoding value: some Encodable) throws {
    let payload = try PropertyListPayload.encode(value, context: .ofTree)
    self = try payload.withUnsafeBytes { bytes in try ArchiveValue(PropertyListPayload.root(of: PropertyListNode(BinaryPropertyList(bytes)))) }
  }

  /// The Codable value of the tree.
  ///
  /// Throws ``ArchiveError`` `.invalidValue` where the tree does not fit the type, and what its `init(from:)` throws. O(values).
  public func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try PropertyListPayload.decode(type, from: try PropertyListPayload.encode(self, context: .ofTree), context: .ofTree)
  }

  /// As ``decode(_:)``, with the allow-list and the user info of the archive that the tree comes from.
  func decode<T: Decodable>(_ type: T.Type, _ context: ArchiveContext) throws -> T {
    try PropertyListPayload.decode(type, from: try PropertyListPayload.encode(self, context: .ofTree), context: context)
  }

  /// Throws ``ArchiveError`` `.damaged` for a UID, which stands in keyed archives only.
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
  /// Encodes what the tree stands for; throws what the encoder throws.
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

extension ArchiveValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral {
  /// A text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// An integer; decoded as a real number as well.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A real number.
  public init(floatLiteral value: Double) { self = .real(value) }
  /// True or false.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension ArchiveValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// An array.
  public init(arrayLiteral elements: ArchiveValue...) { self = .array(elements) }
  /// A dictionary. Of a key that is there twice, the last value counts.
  public init(dictionaryLiteral elements: (String, ArchiveValue)...) { self = .dictionary(Dictionary(elements) { $1 }) }
}
