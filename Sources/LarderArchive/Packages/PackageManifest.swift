internal import Foundation

/// The list of a package's parts, archived in the hidden file `.manifest` of its folder.
struct PackageManifest: Archivable, Sendable {
  // Part of the file format, so it keeps the type's first name.
  static let archiveTag = "LarderArchive.DocumentManifest"
  static let fileName = ".manifest"

  struct Part: Codable, Sendable {
    var size: Int
    /// CRC-64/XZ of the file's bytes.
    var checksum: UInt64
  }

  var parts: [String: Part] = [:]

  /// Returns a part, under the name of its file, which may have another normalization form.
  func part(named name: String) -> (name: String, part: Part)? {
    parts.index(forKey: name).map { (parts[$0].key, parts[$0].value) }
  }

  /// Throws ``ArchiveError`` `.damaged` if the name of a part is invalid.
  func check() throws {
    do {
      for name in parts.keys { try PartName.checkPart(name) }
      _ = try PartTree(self)
    } catch {
      throw ArchiveError(
        .damaged, "The list of the package's parts has a name that is none. Restore the package from a copy.")
    }
  }

  /// Reads the list of parts of an open package.
  ///
  /// Throws ``ArchiveError`` `.damaged` if it can't be read, or `.newerVersion` or `.noPermission`.
  init(in opened: Int32, of folder: PackageFolder) throws {
    do {
      let data = try folder.fileSystem.read(Self.fileName, in: opened, limit: folder.limits.size)
      self = try Archive.decode(PackageManifest.self, from: data, limits: folder.limits)
      try check()
    } catch let error as ArchiveError where error.code != .newerVersion && error.code != .noPermission {
      throw ArchiveError(
        .damaged,
        "The list of the package's parts cannot be read (\(error.code)). Ask inspect() what can, and restore the rest from a copy."
      )
    }
  }

  init(parts: [String: Part] = [:]) { self.parts = parts }

  /// Returns the data of a part of an open package, verified against the list.
  ///
  /// Throws ``ArchiveError`` `.notFound`, `.damaged` and `.limitExceeded`.
  func data(of name: String, in opened: Int32, of folder: PackageFolder) throws -> Data {
    try withFile(of: name, in: opened, folder.fileSystem) { parent, fileName, name, part in
      let data = try folder.fileSystem.read(fileName, in: parent, limit: folder.limits.size)
      guard data.count == part.size, CRC64.checksum(data) == part.checksum else {
        throw ArchiveError(.damaged, keyPath: name, "The part is not what was written. Restore it from a copy.")
      }
      return data
    }
  }

  /// Calls a closure with the folder of a part's file, the file's name, and the part under its name on disk.
  ///
  /// Throws ``ArchiveError`` `.notFound`, and `.damaged` if the closure finds no file.
  func withFile<Result>(
    of name: String, in opened: Int32, _ fileSystem: FileSystem,
    _ body: (_ folder: Int32, _ fileName: String, _ name: String, _ part: Part) throws -> Result
  ) throws -> Result {
    guard let (name, part) = part(named: name) else {
      throw ArchiveError(
        .notFound, keyPath: name, "The package has no part of this name. Ask partNames() for those that it has.")
    }
    do {
      return try fileSystem.inParent(of: name, in: opened) { try body($0, $1, name, part) }
    } catch let error as ArchiveError where error.code == .notFound || error.code == .inputOutput {
      throw ArchiveError(
        .damaged, keyPath: name, "The file of this part cannot be read (\(error.code)). Restore it from a copy.")
    }
  }
}
