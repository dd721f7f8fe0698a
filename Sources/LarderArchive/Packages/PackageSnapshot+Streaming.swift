public import Foundation

extension PackageSnapshot {
  /// Returns a reader of a part of any size.
  ///
  /// - Parameter part: The name of the part.
  /// - Returns: A reader that begins at the first byte.
  /// - Throws: ``ArchiveError`` `.invalidName`, `.notFound`, and `.damaged` if the file doesn't exist or has another
  ///   size than was written.
  public func reader(for part: String) throws -> PackagePartReader {
    try PartName.checkPart(part)
    return try manifest.withFile(of: part, in: opened.file, fileSystem) { folder, name, spelled, part in
      let input = try fileSystem.openFile(name, in: folder)
      guard input.size == part.size else {
        throw ArchiveError(.damaged, keyPath: spelled, "The part is not what was written. Restore it from a copy.")
      }
      return PackagePartReader(spelled, part, input, of: self, fileSystem)
    }
  }

  /// Returns the data of a part as an asynchronous sequence of chunks.
  ///
  /// - Parameters:
  ///   - part: The name of the part.
  ///   - pieceSize: The largest size of a chunk in bytes, at least 1.
  /// - Returns: A sequence that throws the errors of ``reader(for:)``.
  public func pieces(of part: String, upTo pieceSize: Int = 128 << 10) -> PackagePartPieces {
    PackagePartPieces(snapshot: self, name: part, pieceSize: pieceSize)
  }

  /// Atomically writes the data of a part to a file.
  ///
  /// A symbolic link at the URL is replaced, not followed. An existing file keeps its permissions; a new one is no more
  /// accessible than its folder, the package and the part.
  ///
  /// - Parameters:
  ///   - part: The name of the part.
  ///   - url: The URL of the file.
  /// - Throws: The errors of ``reader(for:)``; ``ArchiveError`` `.invalidName` if the URL isn't a file URL, `.notFound`
  ///   if the folder doesn't exist, and errors of the file system.
  /// - Complexity: O(*n*), where *n* is the number of bytes, with at most one chunk of 128 KiB in memory.
  public func copy(_ part: String, to url: URL) throws {
    let reader = try reader(for: part)
    let mode = try fileSystem.mode(of: reader.input.file) & (fileSystem.mode(of: opened.file) | 0o111)
    try fileSystem.replaceFile(at: url, noMoreOpenThan: mode) { file, name in
      try withUnsafeTemporaryAllocation(byteCount: FileSystem.pieceSize, alignment: 16) { buffer in
        var offset = 0
        while case let count = try reader.read(into: buffer), count > 0 {
          try fileSystem.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: file, at: offset, name)
          offset += count
        }
      }
    }
  }
}
