public import Foundation

/// Keyed archives of Codable values: versioned, checksummed, and decoded only as allowed types.
///
/// ```swift
/// let data = try Archive.encode(creature)
/// let copy = try Archive.decode(Creature.self, from: data)
/// ```
///
/// An archive consists of a header and a binary property list. The header has the name and version of every type in the
/// archive, and a CRC-64 of all bytes. Numbers, dates and texts are preserved exactly, including infinities, NaN and
/// canonically equal texts; `nil` is distinct from every text.
public enum Archive {
  /// Returns an archive of a value.
  ///
  /// A class instance is archived as its dynamic type.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - limits: The limits of the archive. What is written within them can be read within them.
  ///   - userInfo: The `userInfo` of the encoder.
  /// - Returns: The archive.
  /// - Throws: ``ArchiveError`` `.invalidValue` for a value that a property list can't hold, `.limitExceeded` if a
  ///   limit is exceeded or objects refer to each other in a cycle, `.unsupported` if two types have the same tag or an
  ///   ``Archivable`` subclass is declared as its superclass; and what the value's `encode(to:)` throws.
  /// - Complexity: O(*n*), where *n* is the number of values: one encoding, two copies of the result and a checksum.
  public static func encode<Value: Encodable>(
    _ value: Value, limits: Limits = .default, userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws -> Data {
    let context = ArchiveContext(limits: limits, userInfo: userInfo)
    try context.note(type(of: value as Any))
    let payload = try PropertyListPayload.encode(value, context: context)
    return try ArchiveHeader.seal(
      payload, types: context.table, membersHaveVersions: context.hasArchivableMembers, limits: limits)
  }

  /// Decodes the value of an archive.
  ///
  /// Before anything is built, the size, the checksum, the tags of all types and the structure are checked. `type`
  /// itself is allowed; `allowing` adds its subclasses and the types of ``Archived`` values. `migrations` update older
  /// versions first.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - data: The archive.
  ///   - types: Additional types that may be decoded.
  ///   - migrations: The steps that update older versions.
  ///   - limits: The limits of the archive.
  ///   - userInfo: The `userInfo` of the decoder.
  /// - Returns: The decoded value.
  /// - Throws: ``ArchiveError`` `.notAnArchive`, `.damaged`, `.newerVersion`, `.limitExceeded`, `.notAllowed`,
  ///   `.missingMigration` or `.invalidValue`; and what the type's `init(from:)` throws.
  /// - Complexity: O(*n*), where *n* is the number of values: a checksum, one pass over the structure and a decoding in
  ///   place.
  public static func decode<T: Decodable>(
    _ type: T.Type, from data: Data, allowing types: [any Decodable.Type] = [], migrations: [ArchiveMigration] = [],
    limits: Limits = .default,
    userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws -> T {
    let header = try data.withUnsafeBytes { try ArchiveHeader(of: $0, limits: limits) }
    let allowed = try ArchiveTag.table(of: types + [type])
    let headerTypes = header.types.map { ArchiveTag.current($0, allowed: allowed, migrations: migrations) }
    let plan = try MigrationPlan(for: headerTypes, allowed: allowed, migrations: migrations)
    // The tag was found in `allowed` just now.
    let root = allowed[plan.rootTag] ?? type
    let context = ArchiveContext(
      limits: limits, allowed: allowed, migrations: migrations, membersHaveVersions: header.membersHaveVersions,
      userInfo: userInfo)
    let start = data.startIndex + header.payload.lowerBound
    var payload = data[start...]
    try payload.withUnsafeBytes { bytes in
      let list = try BinaryPropertyList(bytes)
      // Steps see a tree.
      try PropertyListValidator.validate(list, limits: migrations.isEmpty ? limits : limits.forTree)
    }
    if plan.isNeeded { payload = try plan.migrate(payload, root: headerTypes[0], context: context) }
    return try build(root, as: type, from: payload, context: context)
  }

  private static func build<Root: Decodable, T>(
    _ root: Root.Type, as type: T.Type, from payload: Data, context: ArchiveContext
  ) throws -> T {
    // The metatype is cast rather than a value, so that no value of another type is built.
    guard root is T.Type else { throw mismatch(root, type) }
    let value = try PropertyListPayload.decode(root, from: payload, context: context)
    guard let result = value as? T else { throw mismatch(root, type) }
    return result
  }

  private static func mismatch(_ root: Any.Type, _ type: Any.Type) -> ArchiveError {
    ArchiveError(
      .notAllowed, type: ArchiveTag.name(of: root),
      "The archive holds this type, which is no \(ArchiveTag.name(of: type)). Decode it as what it is.")
  }
}
