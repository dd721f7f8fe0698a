public import Foundation

/// A document as it was at one moment: parts that were written together are read together, while others change or delete it.
///
/// ```swift
/// let snapshot = try document.snapshot()
/// let picture = try snapshot.data(for: "full.png")
/// let thumbnail = try snapshot.data(for: "thumbnail.png")
/// ```
///
/// The old files stay on the disk until the last snapshot of them ends. Emptying the trash is the exception: it also takes what snapshots read.
public final class DocumentSnapshot: Sendable {
  /// The name of the document.
  public let name: String
  let manifest: DocumentManifest
  let folder: DocumentFolder
  let opened: FileSystem.Folder

  init(name: String, folder: DocumentFolder) throws {
    self.name = name
    self.folder = folder
    opened = try folder.fileSystem.openShared(folder.path(of: name))
    manifest = try DocumentManifest(in: opened.file, of: folder)
  }

  var fileSystem: FileSystem { folder.fileSystem }

  deinit {
    // Whoever has replaced the document has left its files to the last snapshot. What cannot be deleted now is when the folder is opened next.
    guard !folder.fileSystem.isSame(opened.file, folder.path(of: name)) else { return }
    folder.fileSystem.unlock(opened.file)
    _ = try? folder.clean()
  }

  /// The names of the parts, in alphabetical order.
  public func partNames() -> [String] { manifest.parts.keys.sorted() }

  /// Returns the bytes of a part, read at each call and checked against the checksum in the list of parts.
  ///
  /// - Throws: ``ArchiveError`` `.invalidName`, `.notFound`, `.damaged`, `.limitExceeded`.
  public func data(for part: String) throws -> Data {
    try PartName.checkPart(part)
    return try manifest.data(of: part, in: opened.file, of: folder)
  }

  /// Returns the value of a part that was set with ``DocumentParts/setValue(_:for:userInfo:)``; decoded at each call.
  ///
  /// - Throws: What ``data(for:)`` and ``Archive/decode(_:from:allowing:migrations:limits:userInfo:)`` throw.
  public func value<T: Decodable>(
    _ type: T.Type, for part: String, allowing types: [any Decodable.Type] = [], migrations: [ArchiveMigration] = [],
    userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws -> T {
    try Archive.decode(type, from: try data(for: part), allowing: types, migrations: migrations, limits: folder.limits, userInfo: userInfo)
  }
}
