internal import Foundation

/// A value of a keyed archive after its references were followed and its classes checked, and before anything was built.
indirect enum KeyedValue: Sendable {
  case plain(ArchiveValue)
  case url(URL)
  case list([KeyedValue])
  case pairs([Pair])
  case object(KeyedArchiveObject)

  struct Pair: Sendable {
    let key: KeyedValue
    let value: KeyedValue
  }

  var isNull: Bool {
    if case .plain(.null) = self { true } else { false }
  }

  /// The value as a type; see ``KeyedArchiveObject/decode(_:forKey:)``.
  func decode<T>(_ type: T.Type) throws -> T {
    if case .object(let object) = self {
      if let built = try object.build() as? T { return built }
    }
    if let direct = try direct(type) { return direct }
    if let container = type as? any KeyedContainer.Type, let value = try container.make(from: self) as? T { return value }
    if let decodable = type as? any Decodable.Type, let value = try tree().decode(decodable) as? T { return value }
    throw Self.mismatch(type)
  }

  /// The kinds that need no decoder.
  private func direct<T>(_ type: T.Type) throws -> T? {
    switch self {
    case .url(let url): return (url as? T) ?? (url.absoluteString as? T)
    case .plain(let value):
      switch value {
      case .string(let text):
        if type == UUID.self { return UUID(uuidString: text) as? T }
        if type == URL.self { return URL(string: text) as? T }
        return text as? T
      case .bool(let flag): return flag as? T
      case .data(let data): return data as? T
      case .date(let date): return date as? T
      case .integer(let number) where type == Bool.self && (number == 0 || number == 1): return (number == 1) as? T
      case .integer, .unsigned, .real:
        if type == Int.self { return value.integer as? T }
        if type == Double.self { return value.real as? T }
        return nil
      default: return nil
      }
    default: return nil
    }
  }

  /// The value as a tree, for Codable types.
  func tree() throws -> ArchiveValue {
    switch self {
    case .plain(let value): return value
    case .url(let url): return try ArchiveValue(encoding: url)
    case .list(let elements): return .array(try elements.map { try $0.tree() })
    case .pairs(let pairs):
      var entries: [String: ArchiveValue] = [:]
      for pair in pairs { entries[try pair.key.text()] = try pair.value.tree() }
      return .dictionary(entries)
    case .object(let object):
      guard let built = try object.build() as? any Encodable else {
        throw ArchiveError(
          .unsupported, type: object.className,
          "The class stands inside a Codable one and is built as a type that is not Codable. Make that type Codable.")
      }
      return try ArchiveValue(encoding: built)
    }
  }

  func text() throws -> String {
    switch self {
    case .plain(.string(let text)): return text
    case .plain(.integer(let number)): return String(number)
    default: throw ArchiveError(.invalidValue, "A dictionary has keys that are neither text nor integers. Decode its class with .building.")
    }
  }

  static func mismatch(_ type: Any.Type) -> ArchiveError {
    ArchiveError(.invalidValue, "The archive has another kind of value than \(type). Ask for the type that was encoded.")
  }
}

/// A container whose elements may be objects of mapped classes.
protocol KeyedContainer {
  static func make(from value: KeyedValue) throws -> Self
}

extension Array: KeyedContainer {
  static func make(from value: KeyedValue) throws -> [Element] {
    guard case .list(let elements) = value else { throw KeyedValue.mismatch(Self.self) }
    return try elements.map { try $0.decode(Element.self) }
  }
}

extension Set: KeyedContainer {
  static func make(from value: KeyedValue) throws -> Set<Element> { Set(try [Element].make(from: value)) }
}

extension Optional: KeyedContainer {
  static func make(from value: KeyedValue) throws -> Wrapped? { value.isNull ? nil : try value.decode(Wrapped.self) }
}

extension Dictionary: KeyedContainer {
  static func make(from value: KeyedValue) throws -> [Key: Value] {
    guard case .pairs(let pairs) = value else { throw KeyedValue.mismatch(Self.self) }
    var entries: [Key: Value] = [:]
    for pair in pairs { entries[try pair.key.decode(Key.self)] = try pair.value.decode(Value.self) }
    return entries
  }
}
