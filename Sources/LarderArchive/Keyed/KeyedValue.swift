internal import Foundation

/// A value of a keyed archive with resolved references and checked classes, before anything is built.
indirect enum KeyedValue: Sendable {
  case plain(ArchiveValue)
  case url(URL)
  /// An NSURL without characters, which isn't a valid URL: decoded as an empty text or nil.
  case emptyURL
  case decimal(Decimal)
  /// The elements of an NSCountedSet, with their counts.
  case counted([Pair])
  case list([KeyedValue])
  case pairs([Pair])
  case object(KeyedArchiveObject)

  struct Pair: Sendable {
    let key: KeyedValue
    let value: KeyedValue
  }

  /// The elements of an array or set.
  var elements: [KeyedValue]? {
    switch self {
    case .list(let elements): elements
    case .counted(let pairs): pairs.map(\.key)
    default: nil
    }
  }

  /// The entries of a dictionary; for a counted set, the counts.
  var pairs: [Pair]? {
    switch self {
    case .pairs(let pairs), .counted(let pairs): pairs
    default: nil
    }
  }

  var isNull: Bool {
    if case .plain(.null) = self { true } else { false }
  }

  /// Decodes the value as a type. See ``KeyedArchiveObject/decode(_:forKey:)``.
  ///
  /// - Parameter path: The keys from the object that contains the value, for errors.
  func decode<T>(_ type: T.Type, at path: KeyedPath) throws -> T {
    if case .object(let object) = self, object.keyedClass.makes(type) {
      if let built = try object.build() as? T { return built }
      throw Self.mismatch(type, at: path)
    }
    return try decodeDirectly(type, at: path)
  }

  /// Decodes the value as a type, ignoring the mapping of its class, which is what calls this.
  func decodeDirectly<T>(_ type: T.Type, at path: KeyedPath) throws -> T {
    if let known = type as? any KeyedDecodable.Type, let value = try known.make(from: self, at: path) as? T {
      return value
    }
    if let decodable = type as? any Decodable.Type, let value = try self.value(decodable, at: path) as? T {
      return value
    }
    throw Self.mismatch(type, at: path)
  }

  /// Decodes the value with the type's `init(from:)`.
  func value<T: Decodable>(_ type: T.Type, at path: KeyedPath) throws -> T {
    try path.context.spend()
    do {
      return try T(from: KeyedValueDecoder(value: self, path: path))
    } catch let error as DecodingError {
      throw ArchiveError(keyed: error)
    }
  }

  /// Returns the value as an integer, if `T` can hold it.
  ///
  /// The archiver writes equal objects once, and considers 1, 1.0 and true equal, so each may appear where another was
  /// encoded.
  func integer<T: FixedWidthInteger>(_ type: T.Type, at path: KeyedPath) throws -> T {
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

  /// Returns the value as a real number, like ``integer(_:at:)``.
  func real(at path: KeyedPath) throws -> Double {
    if case .plain(.bool(let flag)) = self { return flag ? 1 : 0 }
    if case .decimal(let number) = self { return NSDecimalNumber(decimal: number).doubleValue }
    guard case .plain(let value) = self, let number = value.real else { throw Self.mismatch(Double.self, at: path) }
    return number
  }

  /// The text of the value as a dictionary key.
  var keyText: String? {
    switch self {
    case .plain(.string(let text)): text
    case .plain(.integer(let number)): String(number)
    default: nil
    }
  }

  static func mismatch(_ type: Any.Type, at path: KeyedPath) -> ArchiveError {
    ArchiveError(
      .invalidValue, keyPath: ArchiveError.keyPath(path.keys),
      "The archive has another kind of value than \(type). Ask for the type that was encoded, or build the class with .building."
    )
  }
}
