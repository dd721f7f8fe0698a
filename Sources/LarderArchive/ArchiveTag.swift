/// A type that has a name and a version of its own in archives.
///
/// Types without it are archived too, under the name that Swift gives them, module included, and version 1; two private types of one name have one tag. Conform to keep archives readable after the
/// type was renamed or moved, and to be able to change it with ``ArchiveMigration``.
///
/// ```swift
/// struct Creature: Archivable {
///   static let archiveTag = "Creature"
///   static let archiveVersion = 2
/// ```
public protocol Archivable: Codable {
  /// The name in archives; 1 to 1,024 bytes, the same for ever, and of no other type.
  static var archiveTag: String { get }
  /// The version that this type writes, 1 if you say nothing; raise it when the type no longer reads what it wrote.
  static var archiveVersion: Int { get }
}

extension Archivable {
  /// The name that Swift gives the type, module included; it changes when the type is renamed or moved.
  public static var archiveTag: String { ArchiveTag.stable(String(reflecting: Self.self)) }
  /// The first version.
  public static var archiveVersion: Int { 1 }
}

/// The names of types in archives.
package enum ArchiveTag {
  package static func name(of type: Any.Type) -> String {
    if let archivable = type as? any Archivable.Type { return archivable.archiveTag }
    if let composed = type as? any ComposedTag.Type { return composed.composedTag }
    return stable(String(reflecting: type))
  }

  /// Throws ``ArchiveError`` `.unsupported` for a class that has its tag from its superclass, as which it would come back.
  static func check(_ type: Any.Type) throws {
    guard let subclass = type as? AnyClass, let archivable = type as? any Archivable.Type, let superclass = _getSuperclass(subclass),
      let inherited = superclass as? any Archivable.Type, inherited.archiveTag == archivable.archiveTag
    else { return }
    throw ArchiveError(
      .unsupported, type: String(reflecting: type),
      "The class has the archiveTag of its superclass, and would come back as that. Override archiveTag with a name of its own.")
  }

  static func taken(_ tag: String) -> ArchiveError {
    ArchiveError(.unsupported, type: tag, "Two types have this tag. Conform them to Archivable, and give each an archiveTag of its own.")
  }

  /// The allow-list by tags.
  ///
  /// Throws ``ArchiveError`` `.unsupported` where two types have one tag.
  static func table(of types: [any Decodable.Type]) throws -> [String: any Decodable.Type] {
    var table: [String: any Decodable.Type] = [:]
    for type in types {
      let tag = name(of: type)
      if let other = table.updateValue(type, forKey: tag), other != type { throw taken(tag) }
    }
    return table
  }

  /// A type as this launch, on this platform, calls it.
  static func current(
    _ entry: ArchiveHeader.TypeEntry, allowed: [String: any Decodable.Type], migrations: [ArchiveMigration]
  ) -> ArchiveHeader.TypeEntry {
    if allowed[entry.tag] != nil || migrations.contains(where: { $0.tag == entry.tag }) { return entry }
    return ArchiveHeader.TypeEntry(tag: stable(entry.tag), version: entry.version)
  }

  /// The version of a type; for a container, that of what it contains.
  package static func version(of type: Any.Type) -> Int {
    if let archivable = type as? any Archivable.Type { return archivable.archiveVersion }
    if let composed = type as? any ComposedTag.Type { return composed.composedVersion }
    return 1
  }

  package static func entry(of type: Any.Type) -> ArchiveHeader.TypeEntry {
    ArchiveHeader.TypeEntry(tag: name(of: type), version: version(of: type))
  }
}

/// A container whose name in archives is made of the name of what it contains.
private protocol ComposedTag {
  static var composedTag: String { get }
  static var composedVersion: Int { get }
}

extension Array: ComposedTag {
  fileprivate static var composedTag: String { "[\(ArchiveTag.name(of: Element.self))]" }
  fileprivate static var composedVersion: Int { ArchiveTag.version(of: Element.self) }
}

extension Optional: ComposedTag {
  fileprivate static var composedTag: String { "\(ArchiveTag.name(of: Wrapped.self))?" }
  fileprivate static var composedVersion: Int { ArchiveTag.version(of: Wrapped.self) }
}

extension Dictionary: ComposedTag {
  fileprivate static var composedTag: String { "[\(ArchiveTag.name(of: Key.self)): \(ArchiveTag.name(of: Value.self))]" }
  fileprivate static var composedVersion: Int { ArchiveTag.version(of: Value.self) }
}
