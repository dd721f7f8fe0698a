public import Foundation

/// The result of ``Store/verifyAttachments()``.
public struct AttachmentReport: Sendable, Hashable {
  /// A row that refers to an attachment.
  public struct Reference: Sendable, Hashable {
    /// The model's table, or the name of the collection of documents.
    public let table: String
    /// The row's key: the values of its columns by name.
    public let key: [String: Value]
  }

  /// Data that is missing or damaged, and the rows that refer to it.
  public struct Problem: Sendable, Hashable {
    /// The SHA-256 digest of the data.
    public let digest: String
    /// The location where the data is, or should be.
    public let url: URL
    /// The rows that refer to the data.
    public let references: [Reference]
  }

  /// The number of attachments that were verified.
  public internal(set) var count = 0
  /// The attachments that rows refer to but whose file doesn't exist.
  public internal(set) var missing: [Problem] = []
  /// The attachments whose file differs from what was attached.
  public internal(set) var damaged: [Problem] = []
  /// Files that nothing refers to. The store deletes them over time.
  public internal(set) var orphaned: [URL] = []

  /// Whether every row has its data. Orphaned files don't matter.
  public var isWhole: Bool { missing.isEmpty && damaged.isEmpty }
}

extension Store {
  /// Reads the data of all attachments, and reports what is missing, damaged or orphaned. Nothing is changed.
  ///
  /// Files that are being attached meanwhile aren't reported as orphaned.
  ///
  /// - Returns: The report.
  /// - Throws: ``StoreError`` with the codes of any read; `CancellationError`.
  /// - Complexity: Reads all data once, and all rows of columns that can hold attachments.
  public func verifyAttachments() async throws -> AttachmentReport {
    let storage = environment.attachments
    return try await read { snapshot in
      try snapshot._read { try AttachmentVerification(storage, $0.connection).report() }
    }
  }
}

extension BlockingStore {
  /// Reads the data of all attachments, and reports what is missing, damaged or orphaned. See
  /// ``Store/verifyAttachments()``.
  ///
  /// - Returns: The report.
  /// - Throws: ``StoreError`` with the codes of any read.
  public func verifyAttachments() throws -> AttachmentReport {
    let storage = store.environment.attachments
    return try read { snapshot in
      try snapshot._read { try AttachmentVerification(storage, $0.connection).report() }
    }
  }
}
