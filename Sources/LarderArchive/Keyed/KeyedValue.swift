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
  ///
  /// - Parameter path: The keys that lead here from the object that holds the value, for errors.
  func decode<T>(_ type: T.Type, at path: [any CodingKey] = []) throws -> T {
    if case .object(let object) = self {
      if let built = try object.build() as? T { return built }
      guard object.keyedClass.isCodable || type is any KeyedDecodable.Type else { throw Self.mismatch(type, at: path) }
    }
    if let known = type as? any KeyedDecodable.Type, let value = try known.make(from: self, at: path) as? T { return value }
    if let decodable = type as? any Decodable.Type, let value = try self.value(decodable, at: path) as? T { return value }
    throw Self.mismatch(type, at: path)
  }

  /// Calls the type's own `init(from:)`.
  func value<T: Decodable>(_ type: T.Type, at path: [any CodingKey] = []) throws -> T {
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
      default: nil
      }
    guard let number else { throw Self.mismatch(type, at: path) }
    return number
  }

  /// The value as a real number; as ``integer(_:at:)``.
  func real(at path: [any CodingKey]) throws -> Double {
    if case .plain(.bool(let flag)) = self { return flag ? 1 : 0 }
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
