public import Foundation

/// A part that is written but doesn't belong to a package yet. Its hidden file is deleted with the last reference.
///
/// ```swift
/// let movie = try await folder.stage(download)
/// let package = try folder.add { try $0.setPart(movie, for: "movie") }
/// ```
public final class StagedPart: Sendable {
  /// The number of bytes.
  public var size: Int { part.size }
  let part: PackageManifest.Part
  let spool: PartSpool
  let fileName: String

  init(_ part: PackageManifest.Part, fileName: String, in spool: PartSpool) {
    self.part = part
    self.fileName = fileName
    self.spool = spool
  }

  deinit { spool.remove(fileName) }
}

extension PackageFolder {
  /// Writes a stream of data to a hidden file, to become a part of a package.
  ///
  /// - Parameters:
  ///   - pieces: The data in chunks of any size.
  ///   - isolation: The actor whose thread waits for the disk.
  /// - Returns: The part, to be added to a package with ``PackageParts/setPart(_:for:)``.
  /// - Throws: ``ArchiveError`` with errors of the file system, `CancellationError`, and what the sequence throws.
  ///   After an error nothing is left.
  /// - Complexity: O(*n*), where *n* is the number of bytes, with one chunk in memory.
  public func stage<Pieces: AsyncSequence>(
    _ pieces: Pieces, isolation: isolated (any Actor)? = #isolation
  ) async throws -> StagedPart
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
