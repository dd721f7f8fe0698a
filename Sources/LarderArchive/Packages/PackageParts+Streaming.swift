public import Foundation

extension PackageParts {
  /// Sets a part to what a closure writes, chunk by chunk.
  ///
  /// ```swift
  /// try parts.setContents(for: "movie") { writer in
  ///   while let frame = try camera.next() { try writer.write(frame) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name of the part.
  ///   - body: Writes the data, which goes to a hidden file immediately. The folder's limits of size don't apply; read
  ///     a part above them with ``PackageSnapshot/reader(for:)``.
  /// - Throws: ``ArchiveError`` `.invalidName`, errors of the file system, and what `body` throws. After an error the
  ///   part is unchanged.
  /// - Complexity: O(*n*), where *n* is the number of bytes, with at most one chunk of 128 KiB in memory.
  public mutating func setContents(for name: String, writing body: (PackagePartWriter) throws -> Void) throws {
    try PartName.checkPart(name)
    set(.staged(try makeSpool().write(body)), for: name)
  }

  /// Sets a part to the contents of a file, which stays unchanged.
  ///
  /// - Parameters:
  ///   - url: The URL of the file. A symbolic link is followed.
  ///   - name: The name of the part.
  /// - Throws: ``ArchiveError`` `.invalidName`, `.notFound`, and `.inputOutput` for a folder, a pipe or a device.
  /// - Complexity: O(*n*), where *n* is the number of bytes, with at most one chunk of 128 KiB in memory.
  public mutating func setContents(of url: URL, for name: String) throws {
    let path = try FileSystem.path(of: url)
    let fileSystem = folder.fileSystem
    try setContents(for: name) { writer in
      let input = try fileSystem.openFile(path, followsLinks: true)
      var offset = 0
      while true {
        let piece = try fileSystem.bytes(of: input.file, at: offset, count: FileSystem.pieceSize, path)
        if piece.isEmpty { break }
        try piece.withUnsafeBytes { try writer.write($0) }
        offset += piece.count
      }
    }
  }

  /// Sets a part to one that was prepared with ``PackageFolder/stage(_:isolation:)``.
  ///
  /// - Parameters:
  ///   - part: The prepared part.
  ///   - name: The name of the part.
  /// - Throws: ``ArchiveError`` `.invalidName`, and `.unsupported` for a part that was staged in another folder of
  ///   packages.
  public mutating func setPart(_ part: StagedPart, for name: String) throws {
    try PartName.checkPart(name)
    guard part.spool.folderPath == folder.path else {
      throw ArchiveError(
        .unsupported, keyPath: name,
        "The part was staged in another folder of packages. Stage it in the folder of this package.")
    }
    set(.staged(part), for: name)
  }
}
