public import Foundation

/// Keyed archives of Codable values: versioned, checksummed, and opened only for types that are allowed.
///
/// ```swift
/// let data = try Archive.encode(creature)
/// let copy = try Archive.decode(Creature.self, from: data)
/// ```
///
/// An archive is a header and a binary property list. The header names every type that the archive holds with its version, and a CRC-64 of all bytes.
/// Numbers, dates and texts come back bit for bit, infinities, NaN and canonically equal texts included; `nil` is never taken for a text.
public enum Archive {
  /// Returns an archive of a value.
  ///
  /// A class is archived as what it is, not as what the variable says.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - limits: What the archive may cost; what is written within them is read within them.
  ///   - userInfo: What the `encode(to:)` of the types finds in the encoder's `userInfo`.
  /// - Throws: ``ArchiveError`` `.invalidValue` for what no property list can hold, `.limitExceeded` before more than the limits is kept, and for circles,
  ///   `.unsupported` for a tag of two types; what the value's own `encode(to:)` throws.
  /// - Complexity: O(values): an encoding, two copies of the result and a checksum over it.
  public static func encode<Value: Encodable>(
    _ value: Value, limits: Limits = .default, userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws -> Data {
    let context = ArchiveContext(limits: limits, userInfo: userInfo)
    try context.note(type(of: value as Any))
    let payload = try PropertyListPayload.encode(value, context: context)
    return try ArchiveHeader.seal(payload, types: context.table, limits: limits)
  }

  /// The value of an archive.
  ///
  /// Before anything is built, size, checksum, the tags of all types and the structure are checked. `type` itself is allowed; `allowing` adds subclasses of
  /// it and the types that ``Archived`` values inside may have. Older versions are brought up by `migrations` first.
  ///
  /// Throws ``ArchiveError``: `.notAnArchive`, `.damaged`, `.newerVersion`, `.limitExceeded`, `.notAllowed`, `.missingMigration`, `.invalidValue`;
  /// what the type's own `init(from:)` throws reaches you unchanged. Costs a checksum, one walk over the structure and a decoding in place.
  public static func decode<T: Decodable>(
    _ type: T.Type, from data: Data, allowing types: [any Decodable.Type] = [], migrations: [ArchiveMigration] = [], limits: Limits = .default,
    userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws -> T {
    let header = try data.withUnsafeBytes { try ArchiveHeader(of: $0, limits: limits) }
    let allowed = try ArchiveTag.table(of: types + [type])
    let headerTypes = header.types.map { ArchiveTag.current($0, allowed: allowed, migrations: migrations) }
    let plan = try MigrationPlan(for: headerTypes, allowed: allowed, migrations: migrations)
    // The tag was found in `allowed` just now.
    let root = allowed[plan.rootTag] ?? type
    let context = ArchiveContext(limits: limits, allowed: allowed, userInfo: userInfo)
    let start = data.startIndex + header.payload.lowerBound
    var payload = data[start...]
    try payload.withUnsafeBytes { bytes in
      let list = try BinaryPropertyList(bytes)
      try PropertyListValidator.validate(list, limits: limits)
    }
    if plan.isNeeded { payload = try plan.migrate(payload, root: headerTypes[0], context: context) }
    return try build(root, as: type, from: payload, context: context)
  }

  private static func build<Root: Decodable, T>(_ root: Root.Type, as type: T.Type, from payload: Data, context: ArchiveContext) throws -> T {
    // A metatype is cast and no value, so that nothing of another type is built.
    guard root is T.Type else { throw mismatch(root, type) }
    let value = try PropertyListPayload.decode(root, from: payload, context: context)
    guard let result = value as? T else { throw mismatch(root, type) }
    return result
  }

  private static func mismatch(_ root: Any.Type, _ type: Any.Type) -> ArchiveError {
    ArchiveError(
      .notAllowed, type: ArchiveTag.name(of: root), "The archive holds this type, which is no \(ArchiveTag.name(of: type)). Decode it as what it is.")
  }
}
