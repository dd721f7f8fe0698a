public import Foundation

/// The bytes of a part as an asynchronous sequence of pieces, read when they are asked for.
public struct DocumentPartPieces: AsyncSequence, Sendable {
  let snapshot: DocumentSnapshot
  let name: String
  let pieceSize: Int

  /// The iterator of a sequence of pieces.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let pieces: DocumentPartPieces
    fileprivate var reader: DocumentPartReader?

    /// Returns the next piece, or nil at the end.
    ///
    /// - Throws: What ``DocumentSnapshot/reader(for:)`` and ``DocumentPartReader/read(upTo:)`` throw, and `CancellationError`.
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
