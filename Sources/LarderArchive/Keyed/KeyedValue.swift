internal import Foundation

/// A value of a keyed archive after its references were followed and its classes checked, and before anything was built.
indirect enum KeyedValue: Sendable {
  case plain(ArchiveValue)
  case url(URL)
  /// An NSURL of no characters, which no URL is: an empty text, or nil.
  case emptyURL
  case decimal(Decimal)
  /// What an NSCountedSet holds, and how often.
  case counted([Pair])
  case list([KeyedValue])
  case pairs([Pair])
  case object(KeyedArchiveObject)

  struct Pair: Sendable {
    let key: KeyedValue
    let value: KeyedValue
  }

  /// What an array or a set of the value has.
  var elements: [KeyedValue]? {
    switch self {
    case .list(let elements): elements
    case .counted(let pairs): pairs.map(\.key)
    default: nil
    }
  }

  /// What a dictionary of the value has; for a counted set the numbers.
  var pairs: [Pair]? {
    switch self {
    case .pairs(let pairs), .counted(let pairs): pairs
    default: nil
    }
  }

  var isNull: Bool {
    if case .plain(.null) = self { true } else { false }
  }

  /// The value as a type; see ``KeyedArchiveObject/decode(_:forKey:)``.
  ///
  /// - Parameter path: The keys that lead here from the object that holds the value, for errors.
  func decode<T>(_ type: T.Type, at path: [any CodingKey] = []) throws -> T {
    if case .object(let object) = self, object.keyedClass.makes(type) {
      if let built = try object.build() as? T { return built }
      throw Self.mismatch(type, at: path)
    }
    return try decodeDirectly(type, at: path)
  }

  /// The value as a type, without what its class is mapped to: that is what asks, when a type looks into the value of which it is made.
  func decodeDirectly<T>(_ type: T.Type, at path: [any CodingKey]) throws -> T {
    if let known = type as? any KeyedDecodable.Type, let value = try known.make(from: self, at: path) as? T { return value }
    if let decodable = type as? any Decodable.Type, let value = try self.value(decodable, at: path) as? T { return value }
    throw Self.mismatch(type, at: path)
  }

  /// Calls the type's own `init(from:)`.
  func value<T: Decodable>(_ type: T.Type, at path: [any CodingKey] = []) throws -> T {
    if case .object(let object) = self { try object.budget.spend() } else { try StackBounds.current.check() }
    do {
      return try T(from: KeyedValueDecoder(value: self, codingPath: path))
    } catch let error as DecodingError {
      throw ArchiveError(keyed: error)
    }
  }

  /// The number that the value is, where `T` can hold it.
  ///
  /// The archiver writes objects that are equal once, and to it the numbers 1, 1.0 and true are: any may stand where another was encoded.
  func integer<T: FixedWidthInteger>(_ type: T.Type, at path: [any CodingKey]) throws -> T {
    let number: T? =
      switch self {
      case .plain(.integer(let number)): T(exactly: number)
      case .plain(.unsigned(let number)): T(exactly: number)
      case .plain(.real(let number)): T(exactly: number)
      case .plain(.bool(let flag)): flag ? 1 : 0
      case .decimal(let decimal): T(decimal.description)
      default: nil
      }
    guard let number else { throw Self.mismatch(type, at: path) }
    return number
  }

  /// The value as a real number; as ``integer(_:at:)``.
  func real(at path: [any CodingKey]) throws -> Double {
    if case .plain(.bool(let flag)) = self { return flag ? 1 : 0 }
    if case .decimal(let number) = self { return NSDecimalNumber(decimal: number).doubleValue }
    guard case .plain(let value) = self, let number = value.real else { throw Self.mismatch(Double.self, at: path) }
    return number
  }

  /// The text that the value is as a key of a dictionary.
  var keyText: String? {
    switch self {
    case .plain(.string(let text)): text
    case .plain(.integer(let number)): String(number)
    default: nil
    }
  }

  static func mismatch(_ type: Any.Type, at path: [any CodingKey]) -> ArchiveError {
    ArchiveError(
      .invalidValue, keyPath: ArchiveError.keyPath(path),
      "The archive has another kind of value than \(type). Ask for the type that was encoded, or build the class with .building.")
  }
}
