internal import Foundation

/// A hidden folder in which a document is made ready, to be moved to its place in one step.
///
/// It is locked while its maker lives, so that cleaning up takes only what a crash has left.
struct DocumentStaging: ~Copyable {
  static let prefix = ".larder-staging-"

  let path: String
  private let fileSystem: FileSystem
  private let lock: FileSystem.Lock

  /// - Parameter access: Who may read and write the document.
  init(in folder: String, access: FileSystem.Access, _ fileSystem: FileSystem) throws {
    // Somebody who cleans up may take a folder between its making and its lock; then another is made.
    for _ in 0..<100 {
      let path = folder + "/" + Self.prefix + UUID().uuidString
      try fileSystem.makeFolder(path, access: access)
      if let lock = fileSystem.tryLock(folder: path) {
        self.path = path
        self.fileSystem = fileSystem
        self.lock = lock
        return
      }
    }
    throw ArchiveError(.inputOutput, "A folder to make the document in could not be locked. Check that the file system knows flock.")
  }

  /// The document that is changed.
  struct Old {
    /// The open folder.
    let folder: Int32
    /// The list of parts; nil where that cannot be read.
    let manifest: DocumentManifest?
  }

  /// Writes the changed parts, takes the unchanged ones and the files of others over as links, and writes the list of all; durable when it returns.
  func fill(_ changes: DocumentParts, over old: Old?) throws {
    var manifest = DocumentManifest()
    let folder = try fileSystem.openFolder(path)
    if let old, let oldManifest = old.manifest {
      for (name, part) in oldManifest.parts.sorted(by: { $0.key < $1.key }) where !changes.replacesAll && changes.changes[name] == nil {
        do { try fileSystem.link(name, in: old.folder, to: folder.file) } catch let error as ArchiveError where error.code == .notFound {
          throw ArchiveError(
            .damaged, keyPath: name,
            "The file of this part is not there. Set or remove the part in the same change, or restore the document from a copy.")
        }
        manifest.parts[name] = part
      }
      try keepStrangers(from: old.folder, oldManifest, changes, in: folder.file)
    }
    for (name, data) in changes.changes.sorted(by: { $0.key < $1.key }) {
      guard let data else { continue }
      let access = fileSystem.access(forFile: name, in: old?.folder ?? folder.file)
      try data.withUnsafeBytes { try fileSystem.create(path + "/" + name, $0, access: access) }
      manifest.parts[name] = DocumentManifest.Part(size: data.count, checksum: CRC64.checksum(data))
    }
    guard Set(manifest.parts.keys.map { $0.lowercased() }).count == manifest.parts.count else {
      throw ArchiveError(.invalidName, "Two parts have names that differ in nothing but case, which some file systems do not tell apart. Rename one.")
    }
    let access = fileSystem.access(forFile: DocumentManifest.fileName, in: old?.folder ?? folder.file)
    try Archive.encode(manifest, limits: changes.limits).withUnsafeBytes {
      try fileSystem.create(path + "/" + DocumentManifest.fileName, $0, access: access)
    }
    if let old { try fileSystem.access(ofFolder: old.folder).apply(to: folder.file, path, fileSystem) }
    try fileSystem.syncFolder(path)
  }

  /// Takes over what lies in the document's folder and is no part of it: somebody else's files, and folders of them.
  private func keepStrangers(from old: Int32, _ manifest: DocumentManifest, _ changes: DocumentParts, in new: Int32) throws {
    for entry in try fileSystem.names(in: old) where entry.name != DocumentManifest.fileName && manifest.parts[entry.name] == nil {
      guard (changes.changes[entry.name] ?? nil) == nil else {
        throw ArchiveError(
          .invalidName, keyPath: entry.name,
          "There is a file of this name in the document's folder that is no part of it. Move it away, or choose another name for the part.")
      }
      try keep(entry.name, from: old, in: new)
    }
  }

  private func keep(_ name: String, from old: Int32, in new: Int32) throws {
    guard fileSystem.isFolder(name, in: old) else { return try fileSystem.link(name, in: old, to: new) }
    let source = try fileSystem.openFolder(name, in: old)
    let target = try fileSystem.makeFolder(name, in: new, like: source.file)
    for entry in try fileSystem.names(in: source.file) { try keep(entry.name, from: source.file, in: target.file) }
  }

  /// After the exchange: moves what was put into the old folder since it was listed to the new one.
  func keepLatecomers(of old: Old, in document: String) throws {
    guard let manifest = old.manifest else { return }
    for entry in try fileSystem.names(in: old.folder) where entry.name != DocumentManifest.fileName && manifest.parts[entry.name] == nil {
      try fileSystem.move(entry.name, from: old.folder, to: document)
    }
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
