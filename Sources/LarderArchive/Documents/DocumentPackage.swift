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
    try PartName.check(part)
    if let known = cache.withLock({ $0.parts[part] }) { return known }
    do {
      return try load(part)
    } catch let error as ArchiveError where error.code == .damaged || error.code == .notFound {
      // Somebody else may have replaced the document between the list and the part: look once more, at both.
      reload()
      return try load(part)
    }
  }

  /// The value of a part that was set with ``DocumentParts/setValue(_:for:)``; decoded at each call.
  ///
  /// Throws what ``data(for:)`` and ``Archive/decode(_:from:allowing:migrations:limits:)`` throw.
  public func value<T: Decodable>(
    _ type: T.Type, for part: String, allowing types: [any Decodable.Type] = [], migrations: [ArchiveMigration] = []
  ) throws -> T {
    try Archive.decode(type, from: try data(for: part), allowing: types, migrations: migrations, limits: folder.limits)
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
  /// Waits for other changes in the folder. Costs a synced file for each changed part and one for the list, and a link for each part that stays.
  public func edit(_ change: (inout DocumentParts) throws -> Void) throws {
    var parts = DocumentParts()
    try change(&parts)
    try commit(parts)
  }

  /// Replaces all parts in one step: parts that are not set go. Also mends a damaged document.
  ///
  /// Throws as ``edit(_:)`` does, except `.damaged`. Costs a synced file for each part and one for the list.
  public func replaceAll(_ make: (inout DocumentParts) throws -> Void) throws {
    var parts = DocumentParts()
    parts.replacesAll = true
    try make(&parts)
    try commit(parts)
  }

  private func commit(_ parts: DocumentParts) throws {
    try folder.locked {
      reload()
      guard fileSystem.isFolder(path) else { throw ArchiveError(.notFound, "The document was deleted. Restore it, or add it again.") }
      let staging = try DocumentStaging(in: folder.path, fileSystem)
      do {
        try staging.fill(parts, over: parts.replacesAll ? nil : (path, try manifest()))
        try fileSystem.exchange(staging.path, path)
      } catch {
        try? fileSystem.remove(staging.path)
        throw error
      }
      reload()
      try fileSystem.syncFolder(folder.path, after: "The change is in its place")
      // What has changed places with the new document; a crash before this leaves it to be cleaned up.
      try fileSystem.remove(staging.path)
    }
  }

  private func manifest() throws -> DocumentManifest {
    if let known = cache.withLock({ $0.manifest }) { return known }
    let manifest: DocumentManifest
    do {
      let data = try fileSystem.read(path + "/" + DocumentManifest.fileName, limit: folder.limits.size)
      manifest = try Archive.decode(DocumentManifest.self, from: data, limits: folder.limits)
      try manifest.check()
    } catch let error as ArchiveError where error.code != .newerVersion && error.code != .noPermission && fileSystem.isFolder(path) {
      throw ArchiveError(
        .damaged, "The list of the document's parts cannot be read (\(error.code)). Ask inspect() what can, and restore the rest from a copy.")
    }
    cache.withLock { $0.manifest = manifest }
    return manifest
  }

  private func load(_ name: String) throws -> Data {
    let data = try verified(name, try manifest())
    cache.withLock { $0.parts[name] = data }
    return data
  }

  private func verified(_ name: String, _ manifest: DocumentManifest) throws -> Data {
    guard let part = manifest.parts[name] else {
      throw ArchiveError(.notFound, keyPath: name, "The document has no part of this name. Ask partNames() for those that it has.")
    }
    let data: Data
    do {
      data = try fileSystem.read(path + "/" + name, limit: folder.limits.size)
    } catch let error as ArchiveError where error.code == .notFound || error.code == .inputOutput {
      throw ArchiveError(.damaged, keyPath: name, "The file of this part cannot be read (\(error.code)). Restore it from a copy.")
    }
    guard data.count == part.size, CRC64.checksum(data) == part.checksum else {
      throw ArchiveError(.damaged, keyPath: name, "The part is not what was written. Restore it from a copy.")
    }
    return data
  }

  /// Reads every part and says which are whole; keeps none in memory.
  ///
  /// Throws ``ArchiveError`` `.notFound` where there is no document. O(bytes of all parts).
  public func inspect() throws -> DocumentInspection {
    reload()
    guard fileSystem.isFolder(path) else { throw ArchiveError(.notFound, "The document was deleted. Restore it, or add it again.") }
    var inspection = DocumentInspection()
    do {
      let manifest = try manifest()
      for name in manifest.parts.keys.sorted() {
        do {
          _ = try verified(name, manifest)
          inspection.readable.append(name)
        } catch let error as ArchiveError {
          inspection.problems[name] = error
        }
      }
    } catch let error as ArchiveError {
      inspection.problems[DocumentManifest.fileName] = error
      inspection.unverified = try fileSystem.names(in: path).map(\.name).filter { (try? PartName.check($0)) != nil }.sorted()
    }
    return inspection
  }

  /// The bytes of a part as they are, without the list of parts; what a damaged document still has.
  ///
  /// Throws ``ArchiveError`` `.invalidName`, `.notFound`, `.limitExceeded`, and `.inputOutput` for what is no plain file. Reads the file at each call.
  public func unverifiedData(for part: String) throws -> Data {
    try PartName.check(part)
    return try fileSystem.read(path + "/" + part, limit: folder.limits.size)
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
