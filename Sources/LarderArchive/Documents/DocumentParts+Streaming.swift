public import Foundation

extension DocumentParts {
  /// Sets a part to what a closure writes, piece by piece.
  ///
  /// ```swift
  /// try parts.setContents(for: "movie") { writer in
  ///   while let frame = try camera.next() { try writer.write(frame) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name of the part.
  ///   - body: Writes the bytes, which go to a hidden file at once. The folder's limits of size do not apply; a part above them is read with
  ///     ``DocumentSnapshot/reader(for:)``.
  /// - Throws: ``ArchiveError`` `.invalidName`, errors of the file system, and what `body` throws; then the part is as it was.
  /// - Complexity: O(bytes), with no more than a piece of 128 KiB in memory.
  public mutating func setContents(for name: String, writing body: (DocumentPartWriter) throws -> Void) throws {
    try PartName.checkPart(name)
    set(.staged(try makeSpool().write(body)), for: name)
  }

  /// Sets a part to the bytes of a file, which stays where it is.
  ///
  /// - Parameters:
  ///   - url: The file; a link to one is followed.
  ///   - name: The name of the part.
  /// - Throws: ``ArchiveError`` `.invalidName`, `.notFound`, and `.inputOutput` for a folder, a pipe or a device.
  /// - Complexity: O(bytes), with no more than a piece of 128 KiB in memory.
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

  /// Sets a part to one that was made ready with ``DocumentFolder/stage(_:isolation:)``.
  ///
  /// - Throws: ``ArchiveError`` `.invalidName`, and `.unsupported` for a part that was staged in another folder of documents.
  public mutating func setPart(_ part: StagedPart, for name: String) throws {
    try PartName.checkPart(name)
    guard part.spool.folderPath == folder.path else {
      throw ArchiveError(.unsupported, keyPath: name, "The part was staged in another folder of documents. Stage it in the folder of this document.")
    }
    set(.staged(part), for: name)
  }
}
