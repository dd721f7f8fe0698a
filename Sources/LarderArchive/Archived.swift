/// A value of a type that is known only when it is archived: an existential, or a class that may be a subclass.
///
/// ```swift
/// struct Zoo: Codable {
///   var creatures: [Archived<any Animal>]
/// }
/// let zoo = try Archive.decode(Zoo.self, from: data, allowing: [Dog.self, Cat.self])
/// ```
///
/// Its tag stands in the archive's header, where it is checked before anything is built, and again beside the value.
public struct Archived<Base> {
  /// The value.
  public var value: Base

  /// Holds a value; whether it can be encoded is known when it is.
  public init(_ value: Base) {
    self.value = value
  }
}

extension Archived: Sendable where Base: Sendable {}
extension Archived: Equatable where Base: Equatable {}
extension Archived: Hashable where Base: Hashable {}

extension Archived: Codable {
  enum Key: String, CodingKey {
    case tag = "$tag"
    case version = "$version"
    case value = "$value"
  }

  /// Throws ``ArchiveError`` `.notAllowed` where the tag is not on the allow-list of the call to ``Archive``, before the value is built.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let tag = try container.decode(String.self, forKey: .tag)
    guard let context = decoder.userInfo[.archiveContext] as? ArchiveContext, let type = context.type(of: tag) else {
      throw ArchiveError(.notAllowed, type: tag, "This type is not on the allow-list. Add it to allowing: if the archive may hold it.")
    }
    guard try container.decode(Int.self, forKey: .version) == ArchiveTag.version(of: type) else {
      throw ArchiveError(.damaged, type: tag, "The value has another version than the archive's header says. Restore the archive from a copy.")
    }
    // Of a protocol only the value can say whether it conforms; what is built is on the allow-list in any case.
    guard type is Base.Type || !(Base.self is AnyClass) else { throw Self.mismatch(tag) }
    guard let value = try container.decode(type, forKey: .value) as? Base else { throw Self.mismatch(tag) }
    self.value = value
  }

  /// Throws ``ArchiveError`` `.unsupported` for a value that is not Codable, and for a type whose tag is that of another one.
  public func encode(to encoder: any Encoder) throws {
    guard let encodable = value as? any Encodable, value is any Decodable else {
      throw ArchiveError(.unsupported, type: String(reflecting: type(of: value as Any)), "The value is not Codable. Make its type Codable.")
    }
    let type = type(of: encodable as Any)
    let entry = try (encoder.userInfo[.archiveContext] as? ArchiveContext)?.note(type) ?? ArchiveTag.entry(of: type)
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(entry.tag, forKey: .tag)
    try container.encode(entry.version, forKey: .version)
    try container.encode(encodable, forKey: .value)
  }

  private static func mismatch(_ tag: String) -> ArchiveError {
    ArchiveError(.notAllowed, type: tag, "This type is allowed, but not as \(Base.self). Restore the archive from a copy.")
  }
}
