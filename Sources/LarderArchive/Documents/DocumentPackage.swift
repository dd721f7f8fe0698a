public import Foundation
internal import Synchronization

/// A document of a ``DocumentFolder``: a folder with named parts, each read when it is first asked for.
///
/// What was read stays in memory until ``reload()``, a change through this object, or the end of it.
public final class DocumentPackage: Sendable {
  /// The name, without extension; a number for documents that ``DocumentFolder/add(_:)`` made.
  public let name: String
  let folder: DocumentFolder
  private let cache = Mutex(Cache())

  private struct Cache {
    var manifest: DocumentManifest?
    var parts: [String: Data] = [:]
  }

  init(name: String, folder: DocumentFolder) {
    self.name = name
    self.folder = folder
  }

  /// Where the document's folder is.
  public var url: URL { URL(filePath: path, directoryHint: .isDirectory) }

  private var path: String { folder.path(of: name) }
  private var fileSystem: FileSystem { folder.fileSystem }

  /// The names of the parts, in alphabetical order; reads the list of parts, and none of them.
  ///
  /// Throws ``ArchiveError`` `.damaged` where the list cannot be read; ``inspect()`` says what can.
  public func partNames() throws -> [String] { try manifest().parts.keys.sorted() }

  /// The bytes of a part, read when they are first asked for and checked against the checksum in the list of parts.
  ///
  /// Throws ``ArchiveError`` `.invalidName`, `.notFound`, `.damaged`, `.limitExceeded`.
  public func data(for part: String) throws -> Data {
    try PartName.checkPart(part)
    if let known = cache.withLock({ $0.parts[part] }) { return known }
    do {
      return try load(part)
    } catch let error as ArchiveError where error.code == .damaged || error.code == .notFound {
      // Somebody else may have replaced the document since the list was read: look once more, at both, in a document that stays as it is.
      reload()
      let snapshot = try snapshot()
      let data = try snapshot.data(for: part)
      cache.withLock {
        $0.manifest = snapshot.manifest
        $0.parts[part] = data
      }
      return data
    }
  }

  /// Returns the document as it is now, whose parts stay together whatever is changed meanwhile.
  ///
  /// - Throws: ``ArchiveError`` `.notFound` for a document that was deleted, and `.damaged` for one whose list of parts cannot be read.
  /// - Complexity: Reads the list of parts.
  public func snapshot() throws -> DocumentSnapshot { try DocumentSnapshot(name: name, folder: folder) }

  /// The value of a part that was set with ``DocumentParts/setValue(_:for:userInfo:)``; decoded at each call.
  ///
  /// Throws what ``data(for:)`` and ``Archive/decode(_:from:allowing:migrations:limits:userInfo:)`` throw.
  public func value<T: Decodable>(
    _ type: T.Type, for part: String, allowing types: [any Decodable.Type] = [], migrations: [ArchiveMigration] = [],
    userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws -> T {
    try Archive.decode(type, from: try data(for: part), allowing: types, migrations: migrations, limits: folder.limits, userInfo: userInfo)
  }

  /// Forgets what was read, so that it is read again when it is asked for; reads nothing.
  public func reload() {
    cache.withLock { $0 = Cache() }
  }

  /// Changes parts in one step: afterwards all changes are on the disk, or none.
  ///
  /// Throws ``ArchiveError`` of the file system, `.notFound` for a document that was deleted, `.damaged` for one whose list of parts cannot be read, and what
  /// `change` throws; then the document is as it was. Only where syncing the folder fails at the very end is the change there and may yet be lost in a power cut,
  /// which leaves the old document; the error says so.
  ///
  /// Files in the document's folder that are no parts of it stay; a part cannot take the place of one. Permissions of the folder and of parts stay as well.
  ///
  /// Waits for other changes in the folder. Costs a synced file for each changed part and one for the list, and a link for each part that stays.
  public func edit(_ change: (inout DocumentParts) throws -> Void) throws {
    var parts = DocumentParts(of: folder)
    try change(&parts)
    try commit(parts)
  }

  /// Replaces all parts in one step: parts that are not set go. Also mends a damaged document.
  ///
  /// Files that are no parts stay, unless the list of parts cannot be read: then nobody can say which those are, and all go.
  ///
  /// Throws as ``edit(_:)`` does, except `.damaged`. Costs a synced file for each part and one for the list.
  public func replaceAll(_ make: (inout DocumentParts) throws -> Void) throws {
    var parts = DocumentParts(of: folder)
    parts.replacesAll = true
    try make(&parts)
    try commit(parts)
  }

  private func commit(_ parts: DocumentParts) throws {
    try folder.locked {
      reload()
      guard fileSystem.isFolder(path) else { throw ArchiveError(.notFound, "The document was deleted. Restore it, or add it again.") }
      let opened = try fileSystem.openFolder(path)
      let manifest = parts.replacesAll ? try? self.manifest(in: opened.file) : try self.manifest(in: opened.file)
      let old = DocumentStaging.Old(folder: opened.file, manifest: manifest)
      let staging = try DocumentStaging(in: folder.path, access: fileSystem.access(ofFolder: opened.file), fileSystem)
      do {
        try staging.fill(parts, over: old)
        try fileSystem.exchange(staging.path, path)
      } catch {
        try? fileSystem.remove(staging.path)
        throw error
      }
      reload()
      try fileSystem.syncFolder(folder.path, after: "The change is in its place")
      try staging.keepLatecomers(of: old)
      // What has changed places with the new document; a crash before this leaves it to be cleaned up, as does somebody who has a snapshot of it.
      guard let lock = fileSystem.tryLock(folder: staging.path) else { return }
      defer { _ = lock.file }
      try fileSystem.remove(staging.path)
    }
  }

  /// The list of parts, read unless it is known.
  private func manifest(in opened: Int32) throws -> DocumentManifest {
    if let known = cache.withLock({ $0.manifest }) { return known }
    let manifest = try DocumentManifest(in: opened, of: folder)
    cache.withLock { $0.manifest = manifest }
    return manifest
  }

  private func manifest() throws -> DocumentManifest {
    if let known = cache.withLock({ $0.manifest }) { return known }
    let opened = try fileSystem.openFolder(path)
    return try manifest(in: opened.file)
  }

  private func load(_ name: String) throws -> Data {
    let opened = try fileSystem.openFolder(path)
    let data = try manifest(in: opened.file).data(of: name, in: opened.file, of: folder)
    cache.withLock { $0.parts[name] = data }
    return data
  }

  /// Reads every part and says which are whole; keeps none in memory.
  ///
  /// Throws ``ArchiveError`` `.notFound` where there is no document. O(bytes of all parts).
  public func inspect() throws -> DocumentInspection {
    reload()
    guard fileSystem.isFolder(path) else { throw ArchiveError(.notFound, "The document was deleted. Restore it, or add it again.") }
    let opened = try fileSystem.openFolder(path)
    var inspection = DocumentInspection()
    do {
      let manifest = try manifest(in: opened.file)
      for name in manifest.parts.keys.sorted() {
        do {
          _ = try manifest.data(of: name, in: opened.file, of: folder)
          inspection.readable.append(name)
        } catch let error as ArchiveError {
          inspection.problems[name] = error
        }
      }
    } catch let error as ArchiveError {
      inspection.problems[DocumentManifest.fileName] = error
      inspection.unverified = try files(in: opened.file, "").sorted()
    }
    return inspection
  }

  /// The files of an open folder, and of the folders in it, that may be parts.
  private func files(in opened: Int32, _ prefix: String) throws -> [String] {
    var files: [String] = []
    for entry in try fileSystem.names(in: opened) {
      let path = prefix + entry.name
      guard (try? PartName.checkPart(path)) != nil else { continue }
      guard fileSystem.isFolder(entry.name, in: opened) else {
        files.append(path)
        continue
      }
      let inner = try fileSystem.openFolder(entry.name, in: opened)
      files += try self.files(in: inner.file, path + "/")
    }
    return files
  }

  /// The bytes of a part as they are, without the list of parts; what a damaged document still has.
  ///
  /// Throws ``ArchiveError`` `.invalidName`, `.notFound`, `.limitExceeded`, and `.inputOutput` for what is no plain file. Reads the file at each call.
  public func unverifiedData(for part: String) throws -> Data {
    try PartName.checkPart(part)
    let opened = try fileSystem.openFolder(path)
    return try fileSystem.inParent(of: part, in: opened.file) { try fileSystem.read($1, in: $0, limit: folder.limits.size) }
  }
}

/// What a document's parts are like, found by reading all of them.
public struct DocumentInspection: Sendable, Hashable {
  /// The parts that are as they were written.
  public internal(set) var readable: [String] = []
  /// The files that may be parts, where the list of parts is damaged and nobody can say.
  public internal(set) var unverified: [String] = []
  /// What is wrong, by the name of the part; `.manifest` for the list of parts itself.
  public internal(set) var problems: [String: ArchiveError] = [:]
  /// Whether something is wrong.
  public var isDamaged: Bool { !problems.isEmpty }
}
