public import Foundation

/// A version of a package: parts that were written together are read together, even if the package is changed or
/// deleted meanwhile.
///
/// ```swift
/// let snapshot = try package.snapshot()
/// let picture = try snapshot.data(for: "full.png")
/// let thumbnail = try snapshot.data(for: "thumbnail.png")
/// ```
///
/// The files of the version stay on disk until its last snapshot is released. The exception is emptying the trash,
/// which also deletes files that snapshots read.
public final class PackageSnapshot: Sendable {
  /// The name of the package.
  public let name: String
  let manifest: PackageManifest
  let folder: PackageFolder
  let opened: FileSystem.Folder

  init(name: String, folder: PackageFolder) throws {
    self.name = name
    self.folder = folder
    opened = try folder.fileSystem.openShared(folder.path(of: name))
    manifest = try PackageManifest(in: opened.file, of: folder)
  }

  var fileSystem: FileSystem { folder.fileSystem }

  deinit {
    // The caller that replaced the package has left its files to the last snapshot. What can't be deleted now is
    // deleted when the folder is opened next.
    guard !folder.fileSystem.isSame(opened.file, folder.path(of: name)) else { return }
    folder.fileSystem.unlock(opened.file)
    _ = try? folder.clean()
  }

  /// Returns the names of the parts in alphabetical order.
  public func partNames() -> [String] { manifest.parts.keys.sorted() }

  /// Returns the data of a part, which is read at each call and verified against its checksum.
  ///
  /// - Parameter part: The name of the part.
  /// - Returns: The data.
  /// - Throws: ``ArchiveError`` `.invalidName`, `.notFound`, `.damaged`, `.limitExceeded`.
  public func data(for part: String) throws -> Data {
    try PartName.checkPart(part)
    return try manifest.data(of: part, in: opened.file, of: folder)
  }

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
}
