public import Foundation

extension Archive {
  /// Atomically writes an archive of a value to a file.
  ///
  /// A hidden file beside it, whose name begins with `.larder-`, is written and synced, then renamed to the file, and
  /// the folder is synced. A crash may leave the hidden file, which the next call for the same folder deletes. A
  /// symbolic link at the URL is replaced, not followed. An existing file keeps its permissions; a new one is never more
  /// accessible than its folder.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - url: The URL of the file.
  ///   - limits: The limits of the archive.
  ///   - userInfo: The `userInfo` of the encoder.
  /// - Throws: The errors of ``encode(_:limits:userInfo:)``; ``ArchiveError`` `.invalidName` if the URL isn't a file
  ///   URL, `.notFound` if the folder doesn't exist, and errors of the file system. After an error the file is
  ///   unchanged, unless only syncing the folder failed: then the new archive is there but may be lost in a power
  ///   failure, which the error says.
  /// - Complexity: Encodes the value, and calls `fsync` twice.
  public static func write(
    _ value: some Encodable, to url: URL, limits: Limits = .default, userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws {
    try write(try encode(value, limits: limits, userInfo: userInfo), to: url, through: .standard)
  }

  /// Reads an archive from a file, and returns its value.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - url: The URL of the file.
  ///   - types: Additional types that may be decoded.
  ///   - migrations: The steps that update older versions.
  ///   - limits: The limits of the archive. A file above the limit of size isn't read.
  ///   - userInfo: The `userInfo` of the decoder.
  /// - Returns: The decoded value.
  /// - Throws: ``ArchiveError`` `.notFound`, `.noPermission`, `.inputOutput` or `.invalidName` for the file, and the
  ///   errors of ``decode(_:from:allowing:migrations:limits:userInfo:)``.
  /// - Complexity: Reads the file and decodes it.
  public static func read<T: Decodable>(
    _ type: T.Type, from url: URL, allowing types: [any Decodable.Type] = [], migrations: [ArchiveMigration] = [],
    limits: Limits = .default,
    userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws -> T {
    let data = try FileSystem.standard.read(FileSystem.path(of: url), limit: limits.size, followsLinks: true)
    return try decode(type, from: data, allowing: types, migrations: migrations, limits: limits, userInfo: userInfo)
  }

  package static func write(_ data: Data, to url: URL, through fileSystem: FileSystem) throws {
    try fileSystem.replaceFile(at: url) { file, name in
      try data.withUnsafeBytes { try fileSystem.write($0, to: file, at: 0, name) }
    }
  }
}
