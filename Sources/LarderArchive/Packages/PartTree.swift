internal import Foundation

/// The parts of a package by folder.
struct PartTree {
  /// The source of a part's data.
  enum Source {
    /// The file of an older version of the package, by its path there.
    case old(path: String, PackageManifest.Part)
    case data(Data)
    case staged(StagedPart)
  }

  enum Entry {
    case part(Source)
    case folder(PartTree)
  }

  /// The contents of the folder by name on disk, which may have another normalization form.
  private(set) var entries: [String: Entry] = [:]

  init() {}

  /// Creates the tree of the parts in a list.
  init(_ manifest: PackageManifest) throws {
    for (path, part) in manifest.parts { try insert(path, .old(path: path, part)) }
  }

  /// Creates the tree of a package's parts after changes; `old` is the list of parts before them.
  init(_ changes: PackageParts, over old: PackageManifest?) throws {
    for (path, part) in old?.parts ?? [:] where !changes.replacesAll && changes.keeps(path) {
      try insert(path, .old(path: path, part))
    }
    for (path, content) in changes.changes.sorted(by: { $0.key < $1.key }) {
      switch content {
      case .removed: break
      case .data(let data): try insert(path, .data(data))
      case .staged(let part): try insert(path, .staged(part))
      }
    }
    try checkCase()
  }

  private mutating func insert(_ path: String, _ source: Source) throws {
    let components = path.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1)
    let name = String(Substring(components[0]))
    if components.count == 1 {
      guard entries[name] == nil else { throw Self.taken(path) }
      entries[name] = .part(source)
      return
    }
    var folder = PartTree()
    switch entries[name] {
    case .folder(let known): folder = known
    case .part: throw Self.taken(path)
    case nil: break
    }
    // An existing entry keeps the spelling of its name.
    entries[name] = .folder(PartTree())
    try folder.insert(String(Substring(components[1])), source)
    entries[name] = .folder(folder)
  }

  private static func taken(_ path: String) -> ArchiveError {
    ArchiveError(.invalidName, keyPath: path, "A part and a folder of parts have one name. Rename one.")
  }

  /// Throws ``ArchiveError`` `.invalidName` for two names in one folder that only differ in case.
  private func checkCase() throws {
    guard Set(entries.keys.map { $0.lowercased() }).count == entries.count else {
      throw ArchiveError(
        .invalidName,
        "Two parts have names that differ in nothing but case, which some file systems do not tell apart. Rename one.")
    }
    for case .folder(let folder) in entries.values { try folder.checkCase() }
  }

  /// Returns the entry of a folder, and the spelling of its name.
  func folder(_ name: String) -> (name: String, tree: PartTree)? {
    guard let index = entries.index(forKey: name), case .folder(let tree) = entries[index].value else { return nil }
    return (entries[index].key, tree)
  }

  /// The names of the folders, in order.
  var folderNames: [String] {
    entries.compactMap { entry in if case .folder = entry.value { entry.key } else { nil } }.sorted()
  }
}
