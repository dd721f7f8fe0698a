internal import Foundation

/// The entries of a member that has its type's name and version beside it.
///
/// ``Archived`` values have `$tag` in place of `$member`: their versions are in the header too, and their steps come
/// before those of the enclosing type, where those of members come after them.
enum MemberKey: String, CodingKey, CaseIterable {
  case tag = "$member"
  case version = "$version"
  case value = "$value"

  static let names = allCases.map(\.rawValue)
}

/// A container that has the version of its contents.
protocol VersionedContainer {}

/// An ``Archivable`` member whose version is not 1, as it is encoded. One of version 1 is encoded like this only if it
/// would look like this otherwise.
struct VersionedMember<Value: Encodable>: Encodable, VersionedContainer {
  let type: ArchiveHeader.TypeEntry
  let value: Value

  func encode(to encoder: any Encoder) throws {
    try type.check()
    var container = encoder.container(keyedBy: MemberKey.self)
    try container.encode(type.tag, forKey: .tag)
    try container.encode(type.version, forKey: .version)
    try container.encode(value, forKey: .value)
  }
}

/// How an archive knows the versions of a type's values, and of what they contain.
enum VersionedKind {
  /// A value without a version; that of the enclosing type covers it.
  case plain
  /// A member has its version beside it, unless it is 1.
  case archivable
  /// The contents have the version that the container has.
  case composed
  /// The same for the values of a dictionary; its keys are members.
  case composedOfMembers
  /// The contents have the version that is in the container.
  case versioned

  init(of type: Any.Type) {
    self =
      if type is any Archivable.Type {
        .archivable
      } else if type is any VersionedContainer.Type {
        .versioned
      } else if ArchiveTag.isComposed(type) {
        ArchiveTag.hasKeysWithVersions(type) ? .composedOfMembers : .composed
      } else {
        .plain
      }
  }

  /// Returns whether the contents of a value need no version of their own.
  func hasVersions(inVersioned isVersioned: Bool) -> Bool {
    switch self {
    case .plain, .archivable: false
    case .composed, .composedOfMembers: isVersioned
    case .versioned: true
    }
  }
}

/// The kinds of the types of one archive: each value asks, and finding one out takes some hundred nanoseconds.
final class VersionedKinds {
  private struct Known {
    var type: ObjectIdentifier?
    var kind = VersionedKind.plain
    var isClass = false
  }

  /// The types that were asked for last, at the places that their addresses give.
  private var known = [Known](repeating: Known(), count: 64)
  private var entries: [ObjectIdentifier: ArchiveHeader.TypeEntry] = [:]

  func kind(of type: Any.Type) -> VersionedKind { find(type).kind }

  /// Whether instances may have a subclass of the type.
  func isClass(_ type: Any.Type) -> Bool { find(type).isClass }

  private func find(_ type: Any.Type) -> Known {
    let identifier = ObjectIdentifier(type)
    let place = Int(bitPattern: UInt(bitPattern: identifier) >> 4 & 63)
    if known[place].type != identifier {
      known[place] = Known(type: identifier, kind: VersionedKind(of: type), isClass: type is AnyClass)
    }
    return known[place]
  }

  /// Returns the tag and the version of an ``Archivable`` type.
  func entry(of type: Any.Type) -> ArchiveHeader.TypeEntry {
    if let entry = entries[ObjectIdentifier(type)] { return entry }
    let entry = ArchiveTag.entry(of: type)
    entries[ObjectIdentifier(type)] = entry
    return entry
  }
}

/// The version that an archive names beside a member, and the object of the member.
struct MemberVersion {
  let type: ArchiveHeader.TypeEntry
  let value: Int

  /// Returns nil for an object without a version.
  ///
  /// Throws ``ArchiveError`` `.damaged` for one whose name or version isn't of the right type.
  init?(of number: Int, in list: BinaryPropertyList) throws {
    guard case .dictionary(let keys, let values) = try list.object(number), keys.count == MemberKey.allCases.count
    else { return nil }
    var objects: [MemberKey: Int] = [:]
    for place in 0..<keys.count {
      guard let key = MemberKey(rawValue: try list.text(list.object(list.reference(place, in: keys)))) else {
        return nil
      }
      objects[key] = try list.reference(place, in: values)
    }
    guard let tag = objects[.tag], let version = objects[.version], let value = objects[.value] else { return nil }
    guard let tag = try String.make(from: list.object(tag), in: list),
      let version = try Int.make(from: list.object(version), in: list), version >= 0
    else {
      throw ArchiveError(
        .damaged, "The archive names a type without a proper name or version. Restore it from a copy.")
    }
    type = ArchiveHeader.TypeEntry(tag: tag, version: version)
    self.value = value
  }
}

extension PropertyListValueDecoder {
  /// Decodes an ``Archivable`` member, which its migrations update first.
  ///
  /// Throws ``ArchiveError`` `.newerVersion`, `.missingMigration`, `.notAllowed` for another type, and what the steps
  /// and `init(from:)` throw.
  func member<T: Decodable>(
    _ type: T.Type, _ number: Int, _ key: (any CodingKey)?
  ) throws -> T {
    let list = try source.open()
    let current = source.kinds.entry(of: type)
    // In an archive without versions of members, steps may have made some.
    let written = try MemberVersion(of: number, in: list)
    let value = written?.value ?? number
    let version = written?.type.version ?? (source.context.membersHaveVersions ? 1 : current.version)
    let steps = try MigrationPlan.steps(
      from: version, tag: written?.type.tag, to: current, migrations: source.context.migrations)
    guard !steps.isEmpty else {
      try source.spend(1)
      return try T(
        from: PropertyListValueDecoder(
          source: source, number: value, path: key.map { CodingPath(path, $0) } ?? path, hasVersions: false))
    }
    var tree = try ArchiveValue(PropertyListNode(list, number: value))
    try source.context.spend(tree.count)
    for step in steps { try step.change(&tree, source.context) }
    do {
      return try tree.decode(type, source.context)
    } catch let error as ArchiveError {
      throw error.within(CodingPath.keys(path, key).dropFirst())
    }
  }
}

extension MigrationPlan {
  /// Returns the steps that update a member.
  ///
  /// Members of version 1 have no tag in the archive. Where two types lead to the member's, the one with its tag is
  /// meant.
  ///
  /// - Parameters:
  ///   - version: The version of the member.
  ///   - tag: The tag of the member, if the archive has it.
  ///   - current: The tag and version of the type today.
  ///   - migrations: All steps.
  static func steps(
    from version: Int, tag: String?, to current: ArchiveHeader.TypeEntry, migrations: [ArchiveMigration]
  ) throws -> [ArchiveMigration] {
    guard version <= current.version else {
      throw ArchiveError(
        .newerVersion, type: current.tag,
        "The archive has version \(version), and this program knows up to \(current.version). Update the program.")
    }
    var deadEnds: Set<ArchiveHeader.TypeEntry> = []
    if let steps = chain(from: version, tag: tag, to: current, migrations, &deadEnds) { return steps }
    let missing = deadEnds.min { ($0.version, $0.tag) < ($1.version, $1.tag) } ?? current
    guard missing.version > version else {
      throw ArchiveError(
        .notAllowed, type: tag,
        "The archive holds this type as a member where \(current.tag) is expected. Add an ArchiveMigration of it to \(current.tag) if it was renamed."
      )
    }
    throw ArchiveError(
      .missingMigration, type: current.tag,
      "A member has version \(version), and the type has version \(current.version). Add an ArchiveMigration of \(missing.tag) from version \(missing.version - 1)."
    )
  }

  /// Returns the steps from a version to a type; nil if there are none.
  ///
  /// - Parameter deadEnds: The types and versions to which no steps lead from the version.
  private static func chain(
    from version: Int, tag: String?, to end: ArchiveHeader.TypeEntry, _ migrations: [ArchiveMigration],
    _ deadEnds: inout Set<ArchiveHeader.TypeEntry>
  ) -> [ArchiveMigration]? {
    guard !deadEnds.contains(end) else { return nil }
    if end.version == version, tag.map({ $0 == end.tag || ArchiveTag.stable($0) == end.tag }) ?? true { return [] }
    if end.version > version {
      let candidates = migrations.filter { $0.newTag == end.tag && $0.version == end.version - 1 }
      // A member of version 1 has no tag: most likely its type never had another one.
      let wanted = tag ?? end.tag
      for step in candidates.filter({ $0.tag == wanted }) + candidates.filter({ $0.tag != wanted }) {
        let start = ArchiveHeader.TypeEntry(tag: step.tag, version: step.version)
        if let steps = chain(from: version, tag: tag, to: start, migrations, &deadEnds) { return steps + [step] }
      }
    }
    deadEnds.insert(end)
    return nil
  }
}

extension ArchiveValue {
  /// The number of values, including keys.
  fileprivate var count: Int {
    switch self {
    case .array(let elements): elements.reduce(1) { $0 + $1.count }
    case .dictionary(let entries): entries.values.reduce(1) { $0 + 1 + $1.count }
    default: 1
    }
  }
}
