internal import Foundation

/// The steps that update each type of one archive to its current version, planned before anything is built.
struct MigrationPlan {
  /// The root's tag after all steps.
  let rootTag: String
  private let paths: [ArchiveHeader.TypeEntry: Path]

  private struct Path {
    var steps: [ArchiveMigration]
    /// The structure of the values to which the steps apply.
    var shape: ComposedShape
    var end: ArchiveHeader.TypeEntry
  }

  var isNeeded: Bool { paths.values.contains { !$0.steps.isEmpty } }

  /// Throws ``ArchiveError`` `.notAllowed`, `.newerVersion` or `.missingMigration`; O(types × migrations).
  init(
    for types: [ArchiveHeader.TypeEntry], allowed: [String: any Decodable.Type], migrations: [ArchiveMigration]
  ) throws {
    var paths: [ArchiveHeader.TypeEntry: Path] = [:]
    for type in types { paths[type] = try Self.path(for: type, allowed: allowed, migrations: migrations) }
    self.paths = paths
    rootTag = types.first.flatMap { paths[$0]?.end.tag } ?? ""
  }

  private static func path(
    for type: ArchiveHeader.TypeEntry, allowed: [String: any Decodable.Type], migrations: [ArchiveMigration]
  ) throws -> Path {
    let (shape, innerTag, around) = ComposedShape.split(type.tag) { tag in migrations.contains { $0.tag == tag } }
    var path = Path(steps: [], shape: shape, end: type)
    var inner = innerTag
    while true {
      if let known = allowed[around(inner)], ArchiveTag.version(of: known) == path.end.version { break }
      guard let step = migrations.first(where: { $0.tag == inner && $0.version == path.end.version }) else {
        throw missing(around(inner), path.end.version, of: inner, written: type.version, allowed: allowed)
      }
      path.steps.append(step)
      inner = step.newTag
      path.end.version += 1
    }
    path.end.tag = around(inner)
    return path
  }

  /// - Parameters:
  ///   - tag: The tag that the steps lead to.
  ///   - version: The version that they lead to.
  ///   - inner: The tag of the type for which a step is missing.
  ///   - written: The version of the archive.
  private static func missing(
    _ tag: String, _ version: Int, of inner: String, written: Int, allowed: [String: any Decodable.Type]
  ) -> ArchiveError {
    guard let type = allowed[tag] else {
      return ArchiveError(
        .notAllowed, type: tag, "This type is not on the allow-list. Add it to allowing: if the archive may hold it.")
    }
    let today = ArchiveTag.version(of: type)
    if version > today {
      return ArchiveError(
        .newerVersion, type: tag,
        "The archive has version \(version), and this program knows up to \(today). Update the program.")
    }
    let led = version == written ? "" : ", and the migrations lead to version \(version)"
    return ArchiveError(
      .missingMigration, type: tag,
      "The archive has version \(written)\(led); the type has version \(today). Add an ArchiveMigration of \(inner) from version \(version)."
    )
  }

  /// Returns the payload in the current versions.
  func migrate(_ payload: Data, root: ArchiveHeader.TypeEntry, context: ArchiveContext) throws -> Data {
    var value = try payload.withUnsafeBytes { bytes in
      try ArchiveValue(PropertyListPayload.root(of: PropertyListNode(BinaryPropertyList(bytes))))
    }
    try migrateNested(&value, context)
    try apply(paths[root], to: &value, context)
    return try PropertyListPayload.encode(value, context: context)
  }

  /// Updates the values in ``Archived``, innermost first.
  private func migrateNested(_ value: inout ArchiveValue, _ context: ArchiveContext) throws {
    switch value {
    case .array(var elements):
      for index in elements.indices { try migrateNested(&elements[index], context) }
      value = .array(elements)
    case .dictionary(var entries):
      for key in entries.keys.sorted() {
        guard var entry = entries[key] else { continue }
        try migrateNested(&entry, context)
        entries[key] = entry
      }
      try migrateArchived(&entries, context)
      value = .dictionary(entries)
    default: break
    }
  }

  private func migrateArchived(_ entries: inout [String: ArchiveValue], _ context: ArchiveContext) throws {
    guard let tag = entries["$tag"]?.string, let version = entries["$version"]?.integer, var value = entries["$value"],
      let path = paths[ArchiveHeader.TypeEntry(tag: tag, version: version)]
        ?? paths[ArchiveHeader.TypeEntry(tag: ArchiveTag.stable(tag), version: version)]
    else { return }
    try apply(path, to: &value, context)
    entries = ["$tag": .string(path.end.tag), "$version": .integer(Int64(path.end.version)), "$value": value]
  }

  private func apply(_ path: Path?, to value: inout ArchiveValue, _ context: ArchiveContext) throws {
    guard let path, !path.steps.isEmpty else { return }
    try path.shape.forEach(in: &value) { value in
      for step in path.steps { try step.change(&value, context) }
    }
  }
}
