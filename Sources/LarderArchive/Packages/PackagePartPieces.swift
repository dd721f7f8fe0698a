public import Foundation

/// An asynchronous sequence of the chunks of a part, read on demand.
public struct PackagePartPieces: AsyncSequence, Sendable {
  let snapshot: PackageSnapshot
  let name: String
  let pieceSize: Int

  /// The iterator of ``PackagePartPieces``.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let pieces: PackagePartPieces
    fileprivate var reader: PackagePartReader?

    /// Returns the next chunk.
    ///
    /// - Returns: The chunk, or nil after the last one.
    /// - Throws: The errors of ``PackageSnapshot/reader(for:)`` and ``PackagePartReader/read(upTo:)``, and
    ///   `CancellationError`.
    public mutating func next() async throws -> Data? {
      try Task.checkCancellation()
      let reader = try reader ?? pieces.snapshot.reader(for: pieces.name)
      self.reader = reader
      return try reader.read(upTo: pieces.pieceSize)
    }
  }

  /// Returns an iterator that begins at the first byte.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pieces: self) }
}
