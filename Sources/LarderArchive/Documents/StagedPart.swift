public import Foundation

/// A part that is written already, and of no document yet; its hidden file goes with the last reference.
///
/// ```swift
/// let movie = try await folder.stage(download)
/// let document = try folder.add { try $0.setPart(movie, for: "movie") }
/// ```
public final class StagedPart: Sendable {
  /// The number of bytes.
  public var size: Int { part.size }
  let part: DocumentManifest.Part
  let spool: PartSpool
  let fileName: String

  init(_ part: DocumentManifest.Part, fileName: String, in spool: PartSpool) {
    self.part = part
    self.fileName = fileName
    self.spool = spool
  }

  deinit { spool.remove(fileName) }
}

extension DocumentFolder {
  /// Writes a stream of bytes to a hidden file, to become a part of a document.
  ///
  /// - Parameters:
  ///   - pieces: The bytes in pieces of any size.
  ///   - isolation: The actor whose thread waits for the disk.
  /// - Returns: The part, which ``DocumentParts/setPart(_:for:)`` puts into a document.
  /// - Throws: ``ArchiveError`` of the file system, `CancellationError`, and what the sequence throws; then nothing is left.
  /// - Complexity: O(bytes), with one piece in memory.
  public func stage<Pieces: AsyncSequence>(_ pieces: Pieces, isolation: isolated (any Actor)? = #isolation) async throws -> StagedPart
  where Pieces.Element: DataProtocol {
    let writer = try PartSpool(in: self).makeWriter()
    do {
      for try await piece in pieces {
        try Task.checkCancellation()
        try writer.write(piece)
      }
      try Task.checkCancellation()
    } catch {
      writer.cancel()
      throw error
    }
    return writer.finish()
  }
}
