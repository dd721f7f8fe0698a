public import Foundation

extension DocumentSnapshot {
  /// Returns a reader of a part, whatever its size.
  ///
  /// - Throws: ``ArchiveError`` `.invalidName`, `.notFound`, and `.damaged` where the file is not there or has another size than was written.
  public func reader(for part: String) throws -> DocumentPartReader {
    try PartName.checkPart(part)
    return try manifest.withFile(of: part, in: opened.file, fileSystem) { folder, name, spelled, part in
      let input = try fileSystem.openFile(name, in: folder)
      guard input.size == part.size else {
        throw ArchiveError(.damaged, keyPath: spelled, "The part is not what was written. Restore it from a copy.")
      }
      return DocumentPartReader(spelled, part, input, of: self, fileSystem)
    }
  }

  /// Returns the bytes of a part as an asynchronous sequence.
  ///
  /// - Parameters:
  ///   - part: The name of the part.
  ///   - pieceSize: The most bytes that one piece has, at least 1.
  public func pieces(of part: String, upTo pieceSize: Int = 128 << 10) -> DocumentPartPieces {
    DocumentPartPieces(snapshot: self, name: part, pieceSize: pieceSize)
  }

  /// Writes the bytes of a part to a file: afterwards the whole part is on the disk, or the file is as it was.
  ///
  /// A link at the place of the file is replaced, not followed. The file keeps its permissions; a new one is no more open than its folder and the
  /// part.
  ///
  /// - Throws: What ``reader(for:)`` throws, ``ArchiveError`` `.invalidName` for a URL that is none of a file, `.notFound` for a folder that is not
  ///   there, and errors of the file system.
  /// - Complexity: O(bytes), with no more than a piece of 128 KiB in memory.
  public func copy(_ part: String, to url: URL) throws {
    let reader = try reader(for: part)
    try fileSystem.replaceFile(at: url, noMoreOpenThan: try fileSystem.mode(of: reader.input.file)) { file, name in
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
