/// A step that updates archives from one version of a type to the next.
///
/// ```swift
/// let rename = ArchiveMigration(of: "Creature", from: 1) { value in
///   value["title"] = value["name"]
///   value["name"] = nil
/// }
/// ```
///
/// Steps are applied in sequence until the type's version is reached. They apply to the archived value itself, to the
/// elements of archived arrays, optionals and dictionaries with text keys, at any depth, to values in ``Archived``, and
/// to members that are ``Archivable``. The step of a type comes before those of its members. A member whose version is
/// above 1 is its entry `"$value"`, beside `"$member"` and `"$version"`. A member that a step adds has version 1, unless
/// it is such a dictionary: see ``ArchiveValue/init(encodingMember:userInfo:)``.
public struct ArchiveMigration: Sendable {
  let tag: String
  let version: Int
  let newTag: String
  let change: @Sendable (inout ArchiveValue, ArchiveContext) throws -> Void

  /// Creates a step that changes the tree of a value.
  ///
  /// - Parameters:
  ///   - tag: The tag of the type in the older archives.
  ///   - version: The version that this step reads. It produces the next one.
  ///   - newTag: The type's new tag, if it was renamed.
  ///   - change: The change. An error that it throws reaches the caller of ``Archive`` unchanged.
  public init(
    of tag: String, from version: Int, to newTag: String? = nil,
    _ change: @escaping @Sendable (inout ArchiveValue) throws -> Void
  ) {
    self.tag = tag
    self.version = version
    self.newTag = newTag ?? tag
    self.change = { value, _ in try change(&value) }
  }

  /// Creates a step that decodes the older type, and creates the next version's value from it.
  ///
  /// ``Archived`` members of the older type may contain the types that the call to ``Archive`` allows.
  ///
  /// - Parameters:
  ///   - old: The older type, an ``Archivable`` with the older version.
  ///   - newTag: The tag of the newer type, if it differs.
  ///   - make: Returns the newer value. An error that it throws reaches the caller of ``Archive`` unchanged.
  public init<Old: Archivable & Sendable, New: Encodable & Sendable>(
    from old: Old.Type, to newTag: String? = nil, _ make: @escaping @Sendable (Old) throws -> New
  ) {
    tag = Old.archiveTag
    version = Old.archiveVersion
    self.newTag = newTag ?? Old.archiveTag
    change = { value, context in
      value = try ArchiveValue(
        encoding: try make(try value.decode(Old.self, context)), userInfo: context.userInfo)
    }
  }
}
