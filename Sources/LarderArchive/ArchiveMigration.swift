/// One step from a version of a type in archives to the next.
///
/// ```swift
/// let rename = ArchiveMigration(of: "Creature", from: 1) { value in
///   value["title"] = value["name"]
///   value["name"] = nil
/// }
/// ```
///
/// Steps are chained until the type's version is reached. They apply to the archive's own value, to what arrays, optionals and dictionaries with text
/// keys that are archived hold, in one another as well, and to values in ``Archived``. A plain member has no version in the file: the step of its
/// holder changes it.
public struct ArchiveMigration: Sendable {
  let tag: String
  let version: Int
  let newTag: String
  let change: @Sendable (inout ArchiveValue, ArchiveContext) throws -> Void

  /// A step that changes the tree of a value.
  ///
  /// - Parameters:
  ///   - tag: The name of the type in the older archives.
  ///   - version: The version that this step reads; it makes the next one of it.
  ///   - newTag: The type's new name, where it was renamed.
  ///   - change: What changes the tree; what it throws reaches the caller of ``Archive`` unchanged.
  public init(of tag: String, from version: Int, to newTag: String? = nil, _ change: @escaping @Sendable (inout ArchiveValue) throws -> Void) {
    self.tag = tag
    self.version = version
    self.newTag = newTag ?? tag
    self.change = { value, _ in try change(&value) }
  }

  /// A step that decodes the older type, and makes the next version's value of it.
  ///
  /// ``Archived`` members of the older type may hold what the call to ``Archive`` allows.
  ///
  /// - Parameters:
  ///   - old: The older type, an ``Archivable`` with the older version.
  ///   - tag: The name of the newer type, where it is another.
  public init<Old: Archivable & Sendable, New: Encodable & Sendable>(
    from old: Old.Type, to newTag: String? = nil, _ make: @escaping @Sendable (Old) throws -> New
  ) {
    tag = Old.archiveTag
    version = Old.archiveVersion
    self.newTag = newTag ?? Old.archiveTag
    change = { value, context in
      value = try ArchiveValue(encoding: try make(try value.decode(Old.self, context)))
    }
  }
}
