/// A type with its own name and version in archives.
///
/// Other types are archived under their Swift name, including the module, with version 1; two private types of the same
/// name have the same tag. Conform to keep archives readable after the type is renamed or moved, and to change its
/// archives with ``ArchiveMigration``.
///
/// ```swift
/// struct Creature: Archivable {
///   static let archiveTag = "Creature"
///   static let archiveVersion = 2
///   var name: String
/// }
/// ```
public protocol Archivable: Codable {
  /// The name in archives: 1 to 1,024 bytes, permanent, and not shared with another type.
  static var archiveTag: String { get }
  /// The version that this type writes; 1 by default. Increase it when the type can no longer read what it wrote.
  static var archiveVersion: Int { get }
}

extension Archivable {
  /// The type's Swift name, including the module. It changes if the type is renamed or moved.
  public static var archiveTag: String { ArchiveTag.stable(String(reflecting: Self.self)) }
  /// The first version, 1.
  public static var archiveVersion: Int { 1 }
}

/// The names of types in archives.
package enum ArchiveTag {
  package static func name(of type: Any.Type) -> String {
    if let archivable = type as? any Archivable.Type { return archivable.archiveTag }
    if let composed = type as? any ComposedTag.Type { return composed.composedTag }
    return stable(String(reflecting: type))
  }

  /// Throws ``ArchiveError`` `.unsupported` for a class that inherits its tag from its superclass, and would be decoded
  /// as that.
  static func check(_ type: Any.Type) throws {
    guard let subclass = type as? AnyClass, let archivable = type as? any Archivable.Type,
      let superclass = _getSuperclass(subclass),
      let inherited = superclass as? any Archivable.Type, inherited.archiveTag == archivable.archiveTag
    else { return }
    throw ArchiveError(
      .unsupported, type: String(reflecting: type),
      "The class has the archiveTag of its superclass, and would come back as that. Override archiveTag with a name of its own."
    )
  }

  /// Throws ``ArchiveError`` `.unsupported` for a subclass with a tag, its own or an inherited one, where the archive
  /// has only the declared type: it would be decoded as its superclass.
  ///
  /// Classes without tags are encoded as other encoders do it.
  static func check(_ type: Any.Type, in declared: Any.Type, at path: @autoclosure () -> [any CodingKey]) throws {
    guard type != declared, type is any Archivable.Type else { return }
    throw ArchiveError(
      .unsupported, type: String(reflecting: type), keyPath: ArchiveError.keyPath(path().dropFirst()),
      "The instance is declared as its superclass \(declared), and would come back as that. Declare it as Archived<\(declared)>, and give the subclass an archiveTag of its own."
    )
  }

  static func taken(_ tag: String) -> ArchiveError {
    ArchiveError(
      .unsupported, type: tag,
      "Two types have this tag. Conform them to Archivable, and give each an archiveTag of its own.")
  }

  /// Returns the allow-list by tag.
  ///
  /// Throws ``ArchiveError`` `.unsupported` if two types have the same tag.
  static func table(of types: [any Decodable.Type]) throws -> [String: any Decodable.Type] {
    var table: [String: any Decodable.Type] = [:]
    for type in types {
      let tag = name(of: type)
      if let other = table.updateValue(type, forKey: tag), other != type { throw taken(tag) }
    }
    return table
  }

  /// Returns the tag of a type in this launch and on this platform.
  static func current(
    _ entry: ArchiveHeader.TypeEntry, allowed: [String: any Decodable.Type], migrations: [ArchiveMigration]
  ) -> ArchiveHeader.TypeEntry {
    if allowed[entry.tag] != nil || migrations.contains(where: { $0.tag == entry.tag }) { return entry }
    return ArchiveHeader.TypeEntry(tag: stable(entry.tag), version: entry.version)
  }

  /// Returns the version of a type; for a container, that of its contents.
  package static func version(of type: Any.Type) -> Int {
    if let archivable = type as? any Archivable.Type { return archivable.archiveVersion }
    if let composed = type as? any ComposedTag.Type { return composed.composedVersion }
    return 1
  }

  /// Returns whether the tag of a type is composed with that of its contents, which then have its version.
  static func isComposed(_ type: Any.Type) -> Bool { type is any ComposedTag.Type }

  /// Returns whether a type is a dictionary whose keys are ``Archivable``, or containers of such types. The version of
  /// a dictionary is that of its values.
  static func hasKeysWithVersions(_ type: Any.Type) -> Bool {
    (type as? any ComposedTag.Type)?.keyType.map(hasVersions) ?? false
  }

  private static func hasVersions(_ type: Any.Type) -> Bool {
    if type is any Archivable.Type { return true }
    guard let composed = type as? any ComposedTag.Type else { return false }
    return hasVersions(composed.valueType) || composed.keyType.map(hasVersions) ?? false
  }

  package static func entry(of type: Any.Type) -> ArchiveHeader.TypeEntry {
    ArchiveHeader.TypeEntry(tag: name(of: type), version: version(of: type))
  }
}

/// A container whose name in archives is composed with the name of its contents.
private protocol ComposedTag {
  static var composedTag: String { get }
  static var composedVersion: Int { get }
  static var valueType: Any.Type { get }
  /// The type of the keys of a dictionary.
  static var keyType: Any.Type? { get }
}

extension Array: ComposedTag {
  fileprivate static var composedTag: String { "[\(ArchiveTag.name(of: Element.self))]" }
  fileprivate static var composedVersion: Int { ArchiveTag.version(of: Element.self) }
  fileprivate static var valueType: Any.Type { Element.self }
  fileprivate static var keyType: Any.Type? { nil }
}

extension Optional: ComposedTag {
  fileprivate static var composedTag: String { "\(ArchiveTag.name(of: Wrapped.self))?" }
  fileprivate static var composedVersion: Int { ArchiveTag.version(of: Wrapped.self) }
  fileprivate static var valueType: Any.Type { Wrapped.self }
  fileprivate static var keyType: Any.Type? { nil }
}

extension Dictionary: ComposedTag {
  fileprivate static var composedTag: String {
    "[\(ArchiveTag.name(of: Key.self)): \(ArchiveTag.name(of: Value.self))]"
  }
  fileprivate static var composedVersion: Int { ArchiveTag.version(of: Value.self) }
  fileprivate static var valueType: Any.Type { Value.self }
  fileprivate static var keyType: Any.Type? { Key.self }
}
