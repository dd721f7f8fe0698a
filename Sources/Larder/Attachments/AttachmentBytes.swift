import Crypto
public import Foundation

/// An asynchronous sequence of an attachment's data, in chunks. See ``Store/bytes(of:)``.
public struct AttachmentBytes: AsyncSequence, Sendable {
  public typealias Element = Data

  let store: Store
  let attachment: Attachment

  /// Returns an iterator that reads from the beginning.
  ///
  /// - Returns: The iterator.
  public func makeAsyncIterator() -> Iterator {
    Iterator(store: store, attachment: attachment)
  }

  /// The iterator of ``AttachmentBytes``. It keeps the file open to the end, so data that is deleted meanwhile can
  /// still be read.
  public struct Iterator: AsyncIteratorProtocol {
    private let store: Store
    private let attachment: Attachment
    private var file: AttachmentFile?
    private var hash = SHA256()
    private var offset = 0
    private var isFinished = false

    init(store: Store, attachment: Attachment) {
      self.store = store
      self.attachment = attachment
    }

    /// Returns the next chunk.
    ///
    /// - Returns: The chunk, or nil after the last one.
    /// - Throws: The errors of ``Store/data(of:)-(Attachment)``. After an error the sequence has ended.
    public mutating func next() async throws -> Data? {
      guard !isFinished else { return nil }
      do {
        return try await nextChunk()
      } catch {
        finish()
        throw error
      }
    }

    private mutating func nextChunk() async throws -> Data? {
      let (storage, attachment, offset, open) = (store.environment.attachments, attachment, offset, file)
      let (file, chunk) = try await store.explaining(attachment) {
        try await AttachmentWork.run {
          let file = try open ?? storage.stream(attachment)
          return (file, try file.read(at: offset, count: Swift.min(AttachmentFile.chunk, attachment.size - offset)))
        }
      }
      self.file = file
      guard !chunk.isEmpty else {
        finish()
        guard hash.finalize().hexadecimal == attachment.digest else { throw StoreError.damagedAttachment }
        return nil
      }
      hash.update(data: chunk)
      self.offset += chunk.count
      return chunk
    }

    private mutating func finish() {
      isFinished = true
      file = nil
    }
  }
}

extension Attachment {
  static func digest(of data: Data) -> String { SHA256.hash(data: data).hexadecimal }
}
