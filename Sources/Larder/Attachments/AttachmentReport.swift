public import Foundation

/// What ``Store/verifyAttachments()`` found.
public struct AttachmentReport: Sendable, Hashable {
  /// A row that names bytes.
  public struct Reference: Sendable, Hashable {
    /// The table of the model, or the name of the collection of documents.
    public let table: String
    /// The row's key: the values of its columns, by their names.
    public let key: [String: Value]
  }

  /// Bytes that are not as they were attached, and who names them.
  public struct Problem: Sendable, Hashable {
    /// The SHA-256 of the bytes.
    public let digest: String
    /// Where the bytes are, or should be.
    public let url: URL
    /// The rows that name them.
    public let references: [Reference]
  }

  /// How many attachments were looked at.
  public internal(set) var count = 0
  /// Those that rows name and whose file is not there.
  public internal(set) var missing: [Problem] = []
  /// Those whose file does not have the bytes that were attached.
  public internal(set) var damaged: [Problem] = []
  /// Files that nobody names or keeps; the store deletes them by and by.
  public internal(set) var orphaned: [URL] = []

  /// Whether every row has its bytes. Orphans are no damage.
  public var isWhole: Bool { missing.isEmpty && damaged.isEmpty }
}

extension Store {
  /// Reads the bytes of all attachments, and reports what is missing, damaged or orphaned. Nothing is changed.
  ///
  /// Files of attachments that are being written meanwhile are not among the orphans.
  ///
  /// - Throws: ``StoreError``; `CancellationError`.
  /// - Complexity: Reads all bytes once, and all rows of columns that can hold attachments.
  public func verifyAttachments() async throws -> AttachmentReport {
    let storage = environment.attachments
    return try await read { snapshot in
      try snapshot._read { try AttachmentVerification(storage, $0.connection).report() }
    }
  }
}

extension BlockingStore {
  /// Reads the bytes of all attachments, and reports what is missing, damaged or orphaned; as ``Store/verifyAttachments()``.
  public func verifyAttachments() throws -> AttachmentReport {
    let storage = store.environment.attachments
    return try read { snapshot in
      try snapshot._read { try AttachmentVerification(storage, $0.connection).report() }
    }
  }
}
