/// A value whose type is only known when it is archived: an existential, or a class that may be a subclass.
///
/// ```swift
/// struct Zoo: Codable {
///   var creatures: [Archived<any Animal>]
/// }
/// let zoo = try Archive.decode(Zoo.self, from: data, allowing: [Dog.self, Cat.self])
/// ```
///
/// Its tag is in the archive's header, where it is checked before anything is built, and again beside the value.
public struct Archived<Base> {
  /// The value.
  public var value: Base

  /// Wraps a value. Encoding it throws if it isn't Codable.
  ///
  /// - Parameter value: The value.
  public init(_ value: Base) {
    self.value = value
  }
}

extension Archived: Sendable where Base: Sendable {}
extension Archived: Equatable where Base: Equatable {}
extension Archived: Hashable where Base: Hashable {}

extension Archived: Codable, VersionedContainer {
  private enum Key: String, CodingKey {
    case tag = "$tag"
    case version = "$version"
    case value = "$value"
  }

  /// Decodes the value. Throws ``ArchiveError`` `.notAllowed` before it is built if its tag isn't on the allow-list of
  /// the call to ``Archive``.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let tag = try container.decode(String.self, forKey: .tag)
    guard let context = decoder.userInfo[.archiveContext] as? ArchiveContext, let type = context.type(of: tag) else {
      throw ArchiveError(
        .notAllowed, type: tag, "This type is not on the allow-list. Add it to allowing: if the archive may hold it.")
    }
    guard try container.decode(Int.self, forKey: .version) == ArchiveTag.version(of: type) else {
      throw ArchiveError(
        .damaged, type: tag,
        "The value has another version than the archive's header says. Restore the archive from a copy.")
    }
    // Only the value can tell whether it conforms to a protocol; its type is on the allow-list in any case.
    guard type is Base.Type || !(Base.self is AnyClass) else { throw Self.mismatch(tag) }
    guard let value = try container.decode(type, forKey: .value) as? Base else { throw Self.mismatch(tag) }
    self.value = value
  }

  /// Encodes the value. Throws ``ArchiveError`` `.unsupported` if it isn't Codable, or its tag is that of another type.
  public func encode(to encoder: any Encoder) throws {
    guard let encodable = value as? any Encodable, value is any Decodable else {
      throw ArchiveError(
        .unsupported, type: String(reflecting: type(of: value as Any)),
        "The value is not Codable. Make its type Codable.")
    }
    let type = type(of: encodable as Any)
    let entry = try (encoder.userInfo[.archiveContext] as? ArchiveContext)?.note(type) ?? ArchiveTag.entry(of: type)
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(entry.tag, forKey: .tag)
    try container.encode(entry.version, forKey: .version)
    try container.encode(encodable, forKey: .value)
  }

  private static func mismatch(_ tag: String) -> ArchiveError {
    ArchiveError(
      .notAllowed, type: tag, "This type is allowed, but not as \(Base.self). Restore the archive from a copy.")
  }
}
