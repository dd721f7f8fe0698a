public import Foundation
internal import Synchronization

/// A document stored as a package in a ``PackageFolder``: a folder with named parts, each read on demand.
///
/// Parts that were read stay in memory until ``reload()``, a change through this object, or its release.
public final class DocumentPackage: Sendable {
  /// The name without extension; a number for packages created by ``PackageFolder/add(_:)``.
  public let name: String
  let folder: PackageFolder
  private let cache = Mutex(Cache())

  private struct Cache {
    var manifest: PackageManifest?
    var parts: [String: Data] = [:]
  }

  init(name: String, folder: PackageFolder) {
    self.name = name
    self.folder = folder
  }

  /// The URL of the package's folder.
  public var url: URL { URL(filePath: path, directoryHint: .isDirectory) }

  private var path: String { folder.path(of: name) }
  private var fileSystem: FileSystem { folder.fileSystem }

  /// Returns the names of the parts in alphabetical order, without reading the parts.
  ///
  /// - Returns: The names.
  /// - Throws: ``ArchiveError`` `.damaged` if the list of parts can't be read. ``inspect()`` reports what can.
  public func partNames() throws -> [String] { try manifest().parts.keys.sorted() }

  /// Returns the data of a part, which is read on first use and verified against its checksum.
  ///
  /// - Parameter part: The name of the part.
  /// - Returns: The data.
  /// - Throws: ``ArchiveError`` `.invalidName`, `.notFound`, `.damaged`, `.limitExceeded`.
  public func data(for part: String) throws -> Data {
    try PartName.checkPart(part)
    if let known = cache.withLock({ $0.parts[part] }) { return known }
    do {
      return try load(part)
    } catch let error as ArchiveError where error.code == .damaged || error.code == .notFound {
      // Another process may have replaced the package since the list was read: read both again, from a snapshot.
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

  /// Returns the current version of the package, whose parts stay consistent even if the package is changed.
  ///
  /// - Returns: The snapshot.
  /// - Throws: ``ArchiveError`` `.notFound` if the package was deleted, and `.damaged` if its list of parts can't be
  ///   read.
  /// - Complexity: Reads the list of parts.
  public func snapshot() throws -> PackageSnapshot { try PackageSnapshot(name: name, folder: folder) }

  /// Decodes the value of a part that was set with ``PackageParts/setValue(_:for:userInfo:)``, at each call.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - part: The name of the part.
  ///   - types: Additional types that may be decoded.
  ///   - migrations: The steps that update older versions.
  ///   - userInfo: The `userInfo` of the decoder.
  /// - Returns: The decoded value.
  /// - Throws: The errors of ``data(for:)`` and ``Archive/decode(_:from:allowing:migrations:limits:userInfo:)``.
  public func value<T: Decodable>(
    _ type: T.Type, for part: String, allowing types: [any Decodable.Type] = [], migrations: [ArchiveMigration] = [],
    userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws -> T {
    try Archive.decode(
      type, from: try data(for: part), allowing: types, migrations: migrations, limits: folder.limits,
      userInfo: userInfo)
  }

  /// Discards the parts in memory, so that they are read again on demand.
  public func reload() {
    cache.withLock { $0 = Cache() }
  }

  /// Atomically changes parts: afterwards all changes are on the disk, or none.
  ///
  /// Files in the package's folder that aren't parts stay; a part can't replace one. The permissions of the folder and
  /// of the parts stay too. This waits for other changes in the folder.
  ///
  /// - Parameter change: Sets and removes parts.
  /// - Throws: ``ArchiveError`` `.notFound` if the package was deleted, `.damaged` if its list of parts can't be read,
  ///   `.unsupported` if there is a file whose name isn't UTF-8, errors of the file system, and what `change` throws.
  ///   After an error the package is unchanged, unless only syncing the folder failed: then the change is there but may
  ///   be lost in a power failure, which the error says.
  /// - Complexity: Writes and syncs a file for each changed part and one for the list, and creates a link for each
  ///   other part.
  public func edit(_ change: (inout PackageParts) throws -> Void) throws {
    var parts = PackageParts(of: folder)
    try change(&parts)
    try commit(parts)
  }

  /// Atomically replaces all parts, and removes those that aren't set. Also repairs a damaged package.
  ///
  /// Files that aren't parts stay, unless the list of parts can't be read: then they can't be distinguished, and all
  /// are removed.
  ///
  /// - Parameter make: Sets the parts.
  /// - Throws: The errors of ``edit(_:)``, except `.damaged`.
  /// - Complexity: Writes and syncs a file for each part and one for the list.
  public func replaceAll(_ make: (inout PackageParts) throws -> Void) throws {
    var parts = PackageParts(of: folder)
    parts.replacesAll = true
    try make(&parts)
    try commit(parts)
  }

  private func commit(_ parts: PackageParts) throws {
    try folder.locked {
      reload()
      guard fileSystem.isFolder(path) else {
        throw ArchiveError(.notFound, "The package was deleted. Restore it, or add it again.")
      }
      let opened = try fileSystem.openFolder(path)
      let manifest = parts.replacesAll ? try? self.manifest(in: opened.file) : try self.manifest(in: opened.file)
      let old = PackageStaging.Old(folder: opened.file, manifest: manifest)
      let staging = try PackageStaging(in: folder.path, access: fileSystem.access(ofFolder: opened.file), fileSystem)
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
      // This was exchanged with the new package. A crash before this line leaves it to be cleaned up, as does a
      // snapshot that still uses it.
      guard let lock = fileSystem.tryLock(folder: staging.path) else { return }
      defer { _ = lock.file }
      try fileSystem.remove(staging.path)
    }
  }

  /// Returns the list of parts, which is read if necessary.
  private func manifest(in opened: Int32) throws -> PackageManifest {
    if let known = cache.withLock({ $0.manifest }) { return known }
    let manifest = try PackageManifest(in: opened, of: folder)
    cache.withLock { $0.manifest = manifest }
    return manifest
  }

  private func manifest() throws -> PackageManifest {
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

  /// Reads every part and reports which are intact, without keeping them in memory.
  ///
  /// - Returns: The report.
  /// - Throws: ``ArchiveError`` `.notFound` if the package doesn't exist.
  /// - Complexity: O(*n*), where *n* is the number of bytes of all parts.
  public func inspect() throws -> PackageInspection {
    reload()
    guard fileSystem.isFolder(path) else {
      throw ArchiveError(.notFound, "The package was deleted. Restore it, or add it again.")
    }
    let opened = try fileSystem.openFolder(path)
    var inspection = PackageInspection()
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
      inspection.problems[PackageManifest.fileName] = error
      inspection.unverified = try files(in: opened.file, "").sorted()
    }
    return inspection
  }

  /// Returns the files of an open folder, and of its subfolders, that may be parts.
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

  /// Returns the data of a part without using the list of parts, to recover it from a damaged package.
  ///
  /// - Parameter part: The name of the part.
  /// - Returns: The data, read at each call.
  /// - Throws: ``ArchiveError`` `.invalidName`, `.notFound`, `.limitExceeded`, and `.inputOutput` if it isn't a regular
  ///   file.
  public func unverifiedData(for part: String) throws -> Data {
    try PartName.checkPart(part)
    let opened = try fileSystem.openFolder(path)
    return try fileSystem.inParent(of: part, in: opened.file) {
      try fileSystem.read($1, in: $0, limit: folder.limits.size)
    }
  }
}

/// The state of a package's parts, determined by reading all of them.
public struct PackageInspection: Sendable, Hashable {
  /// The parts that are intact.
  public internal(set) var readable: [String] = []
  /// The files that may be parts, if the list of parts is damaged.
  public internal(set) var unverified: [String] = []
  /// The errors by the name of the part; `.manifest` for the list of parts itself.
  public internal(set) var problems: [String: ArchiveError] = [:]
  /// Whether there are problems.
  public var isDamaged: Bool { !problems.isEmpty }
}
