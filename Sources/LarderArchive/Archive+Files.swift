public import Foundation

extension Archive {
  /// Writes an archive of a value to a file: afterwards the whole archive is on the disk, or the file is as it was.
  ///
  /// A hidden file beside it is written and synced, renamed over the file, and the folder synced. A crash may leave the hidden file, whose name
  /// begins with `.larder-`. A link at the place of the file is replaced, not followed.
  ///
  /// The file keeps its permissions; a new one is never more open than its folder.
  ///
  /// Throws what ``encode(_:limits:userInfo:)`` throws, ``ArchiveError`` `.invalidName` for a URL that is none of a file, `.notFound` for a folder
  /// that is not there, and the file system's errors; then the file is as it was. Only where syncing the folder fails at the very end is the new
  /// archive there, and a power cut may yet bring the old one back; the error says so. Costs an encoding and two calls to `fsync`.
  public static func write(
    _ value: some Encodable, to url: URL, limits: Limits = .default, userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws {
    try write(try encode(value, limits: limits, userInfo: userInfo), to: url, through: .standard)
  }

  /// The value of an archive in a file.
  ///
  /// Throws ``ArchiveError`` `.notFound`, `.noPermission`, `.inputOutput` or `.invalidName` for the file, and what
  /// ``decode(_:from:allowing:migrations:limits:userInfo:)`` throws. A file above the limit of size is not read. Costs the reading of the file and a
  /// decoding.
  public static func read<T: Decodable>(
    _ type: T.Type, from url: URL, allowing types: [any Decodable.Type] = [], migrations: [ArchiveMigration] = [], limits: Limits = .default,
    userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws -> T {
    let data = try FileSystem.standard.read(FileSystem.path(of: url), limit: limits.size, followsLinks: true)
    return try decode(type, from: data, allowing: types, migrations: migrations, limits: limits, userInfo: userInfo)
  }

  package static func write(_ data: Data, to url: URL, through fileSystem: FileSystem) throws {
    let place = try FilePlace(url, fileSystem)
    let temporary = place.folderPrefix + ".larder-\(UUID().uuidString)"
    do {
      let access = fileSystem.access(forFile: place.path, in: place.folder)
      try data.withUnsafeBytes { try fileSystem.create(temporary, $0, access: access) }
      try fileSystem.rename(temporary, to: place.path)
    } catch {
      try? fileSystem.remove(temporary)
      throw error
    }
    try fileSystem.syncFolder(place.folder, after: "The archive is in its place")
  }
}
