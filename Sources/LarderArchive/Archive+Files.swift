public import Foundation

extension Archive {
  /// Writes an archive of a value to a file: afterwards the whole archive is on the disk, or the file is as it was.
  ///
  /// A hidden file beside it is written and synced, renamed over the file, and the folder synced. A crash may leave the hidden file, whose name begins with
  /// `.larder-`. Throws what ``encode(_:)`` throws, and ``ArchiveError`` of the file system. Costs an encoding and two calls to `fsync`.
  public static func write(_ value: some Encodable, to url: URL) throws {
    try write(try encode(value), to: url, through: .standard)
  }

  /// The value of an archive in a file.
  ///
  /// Throws ``ArchiveError`` `.notFound`, `.noPermission` or `.inputOutput` for the file, and what ``decode(_:from:allowing:migrations:limits:)`` throws.
  /// A file above the limit of size is not read.
  public static func read<T: Decodable>(
    _ type: T.Type, from url: URL, allowing types: [any Decodable.Type] = [], migrations: [ArchiveMigration] = [], limits: Limits = .default
  ) throws -> T {
    let data = try FileSystem.standard.read(url.path(percentEncoded: false), limit: limits.size)
    return try decode(type, from: data, allowing: types, migrations: migrations, limits: limits)
  }

  package static func write(_ data: Data, to url: URL, through fileSystem: FileSystem) throws {
    let path = url.path(percentEncoded: false)
    guard !path.utf8.contains(0), let name = path.split(separator: "/").last else {
      throw ArchiveError(.invalidName, "The path cannot be that of a file. Use one that ends in a name.")
    }
    let folder = url.deletingLastPathComponent().path(percentEncoded: false)
    let temporary = folder + (folder.hasSuffix("/") ? "" : "/") + ".larder-\(UUID().uuidString)"
    do {
      try data.withUnsafeBytes { try fileSystem.create(temporary, $0) }
      try fileSystem.rename(temporary, to: folder + (folder.hasSuffix("/") ? "" : "/") + name)
    } catch {
      try? fileSystem.remove(temporary)
      throw error
    }
    try fileSystem.syncFolder(folder)
  }
}
