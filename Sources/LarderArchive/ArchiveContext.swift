internal import Foundation
internal import Synchronization

/// The context of ``Archived`` values while one archive is encoded or decoded.
///
/// `@unchecked Sendable` because metatypes aren't Sendable: a context never leaves the call that created it, and its
/// allow-list never changes.
final class ArchiveContext: @unchecked Sendable {
  let limits: Archive.Limits
  /// The types that may be built, by their tags.
  private let allowed: [String: any Decodable.Type]
  /// The steps for members of older versions.
  let migrations: [ArchiveMigration]
  /// Whether a member without a version has version 1; otherwise, it has the current one.
  let membersHaveVersions: Bool
  let userInfo: [CodingUserInfoKey: any Sendable]
  private let types = Mutex(Types())
  /// The number of values that steps for members may still read.
  private let migrated: Mutex<Int>

  private struct Types {
    var table: [ArchiveHeader.TypeEntry] = []
    var tags: [String: ObjectIdentifier] = [:]
    var entries: [ObjectIdentifier: ArchiveHeader.TypeEntry] = [:]
    var hasArchivableMembers = false
  }

  init(
    limits: Archive.Limits, allowed: [String: any Decodable.Type] = [:], migrations: [ArchiveMigration] = [],
    membersHaveVersions: Bool = true, userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) {
    self.limits = limits
    self.allowed = allowed
    self.migrations = migrations
    self.membersHaveVersions = membersHaveVersions
    self.userInfo = userInfo
    migrated = Mutex(1000 + 8 * min(limits.count, Int.max / 16))
  }

  /// Throws ``ArchiveError`` `.limitExceeded`: a member that contains members of older versions is read once for each
  /// level of them.
  func spend(_ values: Int) throws {
    let isEnough = migrated.withLock { rest in
      rest -= values
      return rest >= 0
    }
    guard isEnough else {
      throw ArchiveError(
        .limitExceeded,
        "The archive has too many members of older versions within each other. Raise Archive.Limits.count if it is trusted."
      )
    }
  }

  /// A context for a tree that isn't part of an archive, and whose size isn't limited.
  static func ofTree(_ userInfo: [CodingUserInfoKey: any Sendable] = [:]) -> ArchiveContext {
    ArchiveContext(
      limits: Archive.Limits(size: .max, depth: 10_000, count: .max, expandedSize: .max), userInfo: userInfo)
  }

  /// The caller's user info, and this.
  var encodingInfo: [CodingUserInfoKey: Any] {
    userInfo.mapValues { $0 as Any }.merging([.archiveContext: self]) { $1 }
  }
  var decodingInfo: [CodingUserInfoKey: Any] { encodingInfo }

  /// The types of the archive, the root's first.
  var table: [ArchiveHeader.TypeEntry] { types.withLock { $0.table } }

  /// Records a type of the archive, and returns its name and version.
  ///
  /// Throws ``ArchiveError`` `.unsupported` if two types have the same tag.
  @discardableResult
  func note(_ type: Any.Type) throws -> ArchiveHeader.TypeEntry {
    if let known = types.withLock({ $0.entries[ObjectIdentifier(type)] }) { return known }
    try ArchiveTag.check(type)
    let entry = ArchiveTag.entry(of: type)
    try types.withLock { types in
      guard types.tags.updateValue(ObjectIdentifier(type), forKey: entry.tag) == nil else {
        throw ArchiveTag.taken(entry.tag)
      }
      types.entries[ObjectIdentifier(type)] = entry
      types.table.append(entry)
    }
    return entry
  }

  /// Whether a member that is ``Archivable`` was encoded.
  var hasArchivableMembers: Bool { types.withLock { $0.hasArchivableMembers } }

  func noteArchivableMembers() { types.withLock { $0.hasArchivableMembers = true } }

  /// Returns the allowed type for a tag.
  func type(of tag: String) -> (any Decodable.Type)? { allowed[tag] ?? allowed[ArchiveTag.stable(tag)] }
}

extension CodingUserInfoKey {
  static let archiveContext: CodingUserInfoKey = {
    guard let key = CodingUserInfoKey(rawValue: "LarderArchive.context") else {
      preconditionFailure("A key of user info takes any text.")
    }
    return key
  }()
}
