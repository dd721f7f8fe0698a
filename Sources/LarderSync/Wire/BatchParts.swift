public import Foundation

extension AsyncSequence where Element == Data {
  /// The parts of the batch whose bytes arrive here, such as the body of a request.
  ///
  /// The sequence throws ``BatchError`` as soon as the batch breaks a rule, and at the end if it isn't whole. Parts that
  /// came before were checked one by one, and not the batch as a whole. It holds one frame and one chunk at a time.
  ///
  /// - Parameters:
  ///   - keys: The keys of the group, new and old. If there are any, only batches that one of them seals are taken.
  ///   - limits: The limits of the batch.
  public func batchParts(keys: [GroupKey] = [], limits: BatchLimits = .default) -> BatchParts<Self> {
    BatchParts(chunks: self, keys: keys, limits: limits)
  }
}

/// The parts of a batch whose bytes arrive in chunks.
public struct BatchParts<Chunks: AsyncSequence>: AsyncSequence where Chunks.Element == Data {
  let chunks: Chunks
  let keys: [GroupKey]
  let limits: BatchLimits

  /// Returns an iterator over the parts.
  public func makeAsyncIterator() -> Iterator {
    Iterator(chunks: chunks.makeAsyncIterator(), reader: BatchReader(keys: keys, limits: limits))
  }

  /// An iterator over the parts of a batch.
  public struct Iterator: AsyncIteratorProtocol {
    var chunks: Chunks.AsyncIterator
    var reader: BatchReader

    /// Returns the next part; nil after the end.
    public mutating func next() async throws -> BatchPart? {
      while true {
        if let part = try reader.next() { return part }
        guard let chunk = try await chunks.next() else {
          try reader.finish()
          return nil
        }
        reader.append(chunk)
      }
    }
  }
}

extension BatchParts: Sendable where Chunks: Sendable {}
