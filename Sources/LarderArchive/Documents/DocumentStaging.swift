internal import Foundation

/// A hidden folder in which a document is made ready, to be moved to its place in one step.
///
/// It is locked while its maker lives, so that cleaning up takes only what a crash has left.
struct DocumentStaging: ~Copyable {
  static let prefix = ".larder-staging-"

  let path: String
  private let fileSystem: FileSystem
  private let lock: FileSystem.Lock

  init(in folder: String, _ fileSystem: FileSystem) throws {
    // Somebody who cleans up may take a folder between its making and its lock; then another is made.
    for _ in 0..<100 {
      let path = folder + "/" + Self.prefix + UUID().uuidString
      try fileSystem.makeFolder(path)
      if let lock = fileSystem.tryLock(folder: path) {
        self.path = path
        self.fileSystem = fileSystem
        self.lock = lock
        return
      }
    }
    throw ArchiveError(.inputOutput, "A folder to make the document in could not be locked. Check that the file system knows flock.")
  }

  /// Writes the changed parts, takes the unchanged ones over as links, and writes the list of all; durable when it returns.
  func fill(_ changes: DocumentParts, over old: (path: String, manifest: DocumentManifest)?) throws {
    var manifest = DocumentManifest()
    if let old, !changes.replacesAll {
      for (name, part) in old.manifest.parts.sorted(by: { $0.key < $1.key }) where changes.changes[name] == nil {
        try fileSystem.link(old.path + "/" + name, to: path + "/" + name)
        manifest.parts[name] = part
      }
    }
    for (name, data) in changes.changes.sorted(by: { $0.key < $1.key }) {
      guard let data else { continue }
      try data.withUnsafeBytes { try fileSystem.create(path + "/" + name, $0) }
      manifest.parts[name] = DocumentManifest.Part(size: data.count, checksum: CRC64.checksum(data))
    }
    guard Set(manifest.parts.keys.map { $0.lowercased() }).count == manifest.parts.count else {
      throw ArchiveError(.invalidName, "Two parts have names that differ in nothing but case, which some file systems do not tell apart. Rename one.")
    }
    try Archive.encode(manifest).withUnsafeBytes { try fileSystem.create(path + "/" + DocumentManifest.fileName, $0) }
    try fileSystem.syncFolder(path)
  }

  /// Deletes what crashes have left in a folder of documents, and says how many.
  static func clean(_ folder: String, _ fileSystem: FileSystem) throws -> Int {
    var count = 0
    for entry in try fileSystem.names(in: folder) where entry.name.hasPrefix(prefix) {
      let path = folder + "/" + entry.name
      guard let lock = fileSystem.tryLock(folder: path) else { continue }
      try fileSystem.remove(path)
      _ = consume lock
      count += 1
    }
    return count
  }
}
