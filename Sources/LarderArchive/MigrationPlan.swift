internal import Foundation

/// The steps that bring each type of one archive to today's version, made before anything is built.
struct MigrationPlan {
  /// The root's tag after all steps.
  let rootTag: String
  private let paths: [ArchiveHeader.TypeEntry: Path]

  private struct Path {
    var steps: [ArchiveMigration]
    /// Whether the steps are for the elements of an array.
    var isForElements: Bool
    var end: ArchiveHeader.TypeEntry
  }

  var isNeeded: Bool { paths.values.contains { !$0.steps.isEmpty } }

  /// Throws ``ArchiveError`` `.notAllowed`, `.newerVersion` or `.missingMigration`; O(types × migrations).
  init(for types: [ArchiveHeader.TypeEntry], allowed: [String: any Decodable.Type], migrations: [ArchiveMigration]) throws {
    var paths: [ArchiveHeader.TypeEntry: Path] = [:]
    for type in types { paths[type] = try Self.path(for: type, allowed: allowed, migrations: migrations) }
    self.paths = paths
    rootTag = types.first.flatMap { paths[$0]?.end.tag } ?? ""
  }

  private static func path(for type: ArchiveHeader.TypeEntry, allowed: [String: any Decodable.Type], migrations: [ArchiveMigration]) throws -> Path {
    let isArray = type.tag.hasPrefix("[") && type.tag.hasSuffix("]") && !migrations.contains { $0.tag == type.tag }
    func outer(_ tag: String) -> String { isArray ? "[\(tag)]" : tag }
    var path = Path(steps: [], isForElements: isArray, end: type)
    var inner = isArray ? String(type.tag.dropFirst().dropLast()) : type.tag
    while true {
      if let known = allowed[outer(inner)], ArchiveTag.version(of: known) == path.end.version { break }
      guard let step = migrations.first(where: { $0.tag == inner && $0.version == path.end.version }) else {
        throw missing(outer(inner), path.end.version, allowed: allowed)
      }
      path.steps.append(step)
      inner = step.newTag
      path.end.version += 1
    }
    path.end.tag = outer(inner)
    return path
  }

  private static func missing(_ tag: String, _ version: Int, allowed: [String: any Decodable.Type]) -> ArchiveError {
    guard let type = allowed[tag] else {
      return ArchiveError(.notAllowed, type: tag, "This type is not on the allow-list. Add it to allowing: if the archive may hold it.")
    }
    let today = ArchiveTag.version(of: type)
    if version > today {
      return ArchiveError(.newerVersion, type: tag, "The archive has version \(version), and this program knows up to \(today). Update the program.")
    }
    return ArchiveError(
      .missingMigration, type: tag, "The archive has version \(version), the type version \(today). Add an ArchiveMigration from version \(version).")
  }

  /// The payload as today's types read it.
  func migrate(_ payload: Data, root: ArchiveHeader.TypeEntry) throws -> Data {
    var value = try payload.withUnsafeBytes { bytes in
      try ArchiveValue(PropertyListPayload.root(of: PropertyListNode(BinaryPropertyList(bytes))))
    }
    try migrateNested(&value)
    try apply(paths[root], to: &value)
    return try PropertyListPayload.encode(value)
  }

  /// Brings up what stands in ``Archived``, innermost first.
  private func migrateNested(_ value: inout ArchiveValue) throws {
    switch value {
    case .array(var elements):
      for index in elements.indices { try migrateNested(&elements[index]) }
      value = .array(elements)
    case .dictionary(var entries):
      for key in entries.keys.sorted() {
        guard var entry = entries[key] else { continue }
        try migrateNested(&entry)
        entries[key] = entry
      }
      try migrateArchived(&entries)
      value = .dictionary(entries)
    default: break
    }
  }

  private func migrateArchived(_ entries: inout [String: ArchiveValue]) throws {
    guard let tag = entries["$tag"]?.string, let version = entries["$version"]?.integer, var value = entries["$value"],
      let path = paths[ArchiveHeader.TypeEntry(tag: tag, version: version)]
    else { return }
    try apply(path, to: &value)
    entries = ["$tag": .string(path.end.tag), "$version": .integer(Int64(path.end.version)), "$value": value]
  }

  private func apply(_ path: Path?, to value: inout ArchiveValue) throws {
    guard let path else { return }
    if path.isForElements, case .array(var elements) = value {
      for index in elements.indices {
        for step in path.steps { try step.change(&elements[index]) }
      }
      value = .array(elements)
    } else {
      for step in path.steps { try step.change(&value) }
    }
  }
}
