public import Foundation

extension StoreReader {
  /// All bytes of an attachment, checked against its digest.
  ///
  /// - Throws: ``StoreError`` `.notFound` where the store does not have the bytes (any longer), `.corrupt` where they are not what was attached.
  public func data(of attachment: Attachment) throws -> Data {
    try _read { try $0.connection.environment.attachments.data(of: attachment) }
  }

  /// Some bytes of an attachment. What is read is not checked, since the digest is that of all bytes.
  ///
  /// - Throws: As ``data(of:)``; ``StoreError`` `.invalidValue` for a range that is not inside of `0..<attachment.size`.
  public func data(of attachment: Attachment, range: Range<Int>) throws -> Data {
    try _read { try $0.connection.environment.attachments.data(of: attachment, range: range) }
  }

  /// Where the bytes are, for programs that want a file: it must not be changed.
  ///
  /// - Throws: As ``data(of:)``, but nothing is read.
  public func url(for attachment: Attachment) throws -> URL {
    try _read { try $0.connection.environment.attachments.url(for: attachment) }
  }
}

extension Store {
  /// All bytes of an attachment, checked against its digest.
  ///
  /// - Throws: ``StoreError`` `.notFound` where the store does not have the bytes (any longer), `.corrupt` where they are not what was attached;
  ///   `CancellationError`.
  /// - Complexity: One file read; its SHA-256 as well, when this store reads it for the first time or it has changed since. Up to 256 KB are read
  ///   on the thread of the caller.
  public func data(of attachment: Attachment) async throws -> Data {
    let storage = environment.attachments
    return try await AttachmentWork.read(attachment.size) { try storage.data(of: attachment) }
  }

  /// Some bytes of an attachment. What is read is not checked, since the digest is that of all bytes.
  ///
  /// - Throws: As ``data(of:)``; ``StoreError`` `.invalidValue` for a range that is not inside of `0..<attachment.size`.
  public func data(of attachment: Attachment, range: Range<Int>) async throws -> Data {
    let storage = environment.attachments
    return try await AttachmentWork.read(range.count) { try storage.data(of: attachment, range: range) }
  }

  /// The bytes of an attachment one chunk after another, in bounded memory; an error at the end where they are not what was attached.
  ///
  /// ```swift
  /// for try await chunk in store.bytes(of: video) { try await response.write(chunk) }
  /// ```
  ///
  /// Once its first chunk was read, the bytes stay until the end, whatever happens to the rows.
  public func bytes(of attachment: Attachment) -> AttachmentBytes {
    AttachmentBytes(storage: environment.attachments, attachment: attachment)
  }

  /// Where the bytes are, for programs that want a file: it must not be changed.
  ///
  /// - Throws: As ``data(of:)``, but nothing is read.
  public func url(for attachment: Attachment) async throws -> URL {
    try environment.attachments.url(for: attachment)
  }
}

extension AttachmentStorage {
  fileprivate func file(of attachment: Attachment) throws -> AttachmentFile {
    let file = try folder.open(attachment.digest)
    guard file.size == attachment.size else { throw StoreError.damagedAttachment }
    return file
  }

  fileprivate func data(of attachment: Attachment) throws -> Data {
    try data(in: try file(of: attachment), attachment.digest)
  }

  /// The bytes of a digest, checked.
  func data(of digest: String) throws -> Data {
    try data(in: try folder.open(digest), digest)
  }

  private func data(in file: AttachmentFile, _ digest: String) throws -> Data {
    let version = file.version
    let data = try file.read(at: 0, count: version?.size ?? 0)
    guard let version, version == file.version, checked.contains(digest, version) else {
      guard Attachment.digest(of: data) == digest else { throw StoreError.damagedAttachment }
      if let version, version == file.version { checked.insert(digest, version) }
      return data
    }
    return data
  }

  /// Whether the file of a digest has its bytes. Reads all of it, if it was not read before.
  func isWhole(_ digest: String, size: Int) -> Bool {
    guard folder.content(of: digest) == .file(size: size), let file = try? folder.open(digest), let version = file.version else { return false }
    if checked.contains(digest, version) { return true }
    guard (try? file.digest()) == digest else { return false }
    if version == file.version { checked.insert(digest, version) }
    return true
  }

  fileprivate func data(of attachment: Attachment, range: Range<Int>) throws -> Data {
    guard range.lowerBound >= 0, range.upperBound <= attachment.size else {
      throw StoreError(.invalidValue, "The range is not inside of the attachment's \(attachment.size) bytes. Ask for bytes of 0..<attachment.size.")
    }
    return try file(of: attachment).read(at: range.lowerBound, count: range.count)
  }

  fileprivate func url(for attachment: Attachment) throws -> URL {
    _ = try file(of: attachment)
    return URL(fileURLWithPath: folder.path(of: attachment.digest))
  }

  func stream(_ attachment: Attachment) throws -> AttachmentFile { try file(of: attachment) }
}

extension StoreError {
  static let damagedAttachment = StoreError(
    .corrupt,
    "The bytes of an attachment are not what was attached. Attach them again, or restore a backup; verifyAttachments() lists what is damaged.")
}
