public import Foundation

extension StoreReader {
  /// Returns the data of an attachment, verified against its digest.
  ///
  /// - Parameter attachment: The attachment.
  /// - Returns: All of its data.
  /// - Throws: ``StoreError`` `.notFound` if the store doesn't have the data (any longer), `.corrupt` if it differs
  ///   from what was attached.
  public func data(of attachment: Attachment) throws -> Data {
    try _read { access in
      let connection = access.connection
      return try connection.explaining(attachment) {
        try connection.environment.attachments.data(of: attachment) {
          try? AttachmentTable(connection).savedVersion($0)
        }
      }
    }
  }

  /// Returns a part of an attachment's data.
  ///
  /// The part isn't verified, because the digest is that of all data.
  ///
  /// - Parameters:
  ///   - attachment: The attachment.
  ///   - range: The positions of the bytes.
  /// - Returns: The bytes in the range.
  /// - Throws: ``StoreError`` `.invalidValue` for a range outside `0..<attachment.size`, and the errors of
  ///   ``data(of:)``.
  public func data(of attachment: Attachment, range: Range<Int>) throws -> Data {
    try _read { access in
      try access.connection.explaining(attachment) {
        try access.connection.environment.attachments.data(of: attachment, range: range)
      }
    }
  }

  /// Returns the URL of an attachment's file, for APIs that need a file. The file must not be changed.
  ///
  /// - Parameter attachment: The attachment.
  /// - Returns: The file's URL.
  /// - Throws: The errors of ``data(of:)``, except that the data isn't verified.
  public func url(for attachment: Attachment) throws -> URL {
    try _read { access in
      try access.connection.explaining(attachment) {
        try access.connection.environment.attachments.url(for: attachment)
      }
    }
  }
}

extension Store {
  /// Returns the data of an attachment, verified against its digest.
  ///
  /// - Parameter attachment: The attachment.
  /// - Returns: All of its data.
  /// - Throws: ``StoreError`` `.notFound` if the store doesn't have the data (any longer), `.corrupt` if it differs
  ///   from what was attached; `CancellationError`.
  /// - Complexity: Reads one file, and computes its SHA-256 if it has changed since the data was attached or last
  ///   verified. Up to 256 KB are read on the caller's thread.
  public func data(of attachment: Attachment) async throws -> Data {
    let storage = environment.attachments
    return try await explaining(attachment) {
      try await AttachmentWork.read(attachment.size) { [readers] in
        try storage.data(of: attachment) { AttachmentTable.savedVersion($0, readers) }
      }
    }
  }

  /// Returns a part of an attachment's data.
  ///
  /// The part isn't verified, because the digest is that of all data.
  ///
  /// - Parameters:
  ///   - attachment: The attachment.
  ///   - range: The positions of the bytes.
  /// - Returns: The bytes in the range.
  /// - Throws: ``StoreError`` `.invalidValue` for a range outside `0..<attachment.size`, and the errors of
  ///   ``data(of:)``.
  public func data(of attachment: Attachment, range: Range<Int>) async throws -> Data {
    let storage = environment.attachments
    return try await explaining(attachment) {
      try await AttachmentWork.read(range.count) { try storage.data(of: attachment, range: range) }
    }
  }

  /// Returns an attachment's data as an asynchronous sequence of chunks, using a bounded amount of memory.
  ///
  /// ```swift
  /// for try await chunk in store.bytes(of: video) { try await response.write(chunk) }
  /// ```
  ///
  /// Once the first chunk was read, the data stays readable to the end, even if rows are deleted. If the data differs
  /// from what was attached, the sequence throws at its end.
  ///
  /// - Parameter attachment: The attachment.
  /// - Returns: A sequence that throws the errors of ``data(of:)``.
  public func bytes(of attachment: Attachment) -> AttachmentBytes {
    AttachmentBytes(store: self, attachment: attachment)
  }

  /// Returns the URL of an attachment's file, for APIs that need a file. The file must not be changed.
  ///
  /// - Parameter attachment: The attachment.
  /// - Returns: The file's URL.
  /// - Throws: The errors of ``data(of:)``, except that the data isn't verified.
  public func url(for attachment: Attachment) async throws -> URL {
    try await explaining(attachment) { try environment.attachments.url(for: attachment) }
  }
}

extension Connection {
  /// Calls the closure, and says in its error where data is that has not come yet.
  fileprivate func explaining<Result>(_ attachment: Attachment, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as StoreError where error.code == .notFound {
      throw try explained(attachment) ?? error
    }
  }

  fileprivate func explained(_ attachment: Attachment) throws -> StoreError? {
    try environment.features.remedy(forMissingAttachment: attachment.digest, self).map { StoreError(.notFound, $0) }
  }
}

extension Store {
  /// Calls the closure, and says in its error where data is that has not come yet.
  func explaining<Result>(_ attachment: Attachment, _ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch let error as StoreError where error.code == .notFound {
      throw try await reading { try $0.explained(attachment) } ?? error
    }
  }
}

extension AttachmentStorage {
  fileprivate func file(of attachment: Attachment) throws -> AttachmentFile {
    let file = try folder.open(attachment.digest)
    guard file.size == attachment.size else { throw StoreError.damagedAttachment }
    return file
  }

  /// Returns all data, verified.
  ///
  /// - Parameter saved: Returns the version of a digest's file that the store's file has.
  fileprivate func data(of attachment: Attachment, saved: (String) -> FileVersion.Saved?) throws -> Data {
    let digest = attachment.digest
    let (file, version) = try folder.openVersion(digest)
    guard version.size == attachment.size else { throw StoreError.damagedAttachment }
    let data = try file.read(at: 0, count: version.size)
    let isUnchanged = version == file.version
    if isUnchanged, checked.contains(digest, version, saved: saved) { return data }
    checked.willComputeDigest()
    guard Attachment.digest(of: data) == digest else { throw StoreError.damagedAttachment }
    if isUnchanged { checked.insert(digest, version, resolution: folder.resolution) }
    return data
  }

  /// Returns whether the file of a digest has its data. Reads all of it, unless that is known.
  ///
  /// - Parameter saved: Returns the version of a digest's file that the store's file has.
  /// - Throws: ``StoreError`` if the file is there and can't be opened, which says nothing of its data.
  func isWhole(_ digest: String, size: Int, saved: (String) -> FileVersion.Saved?) throws -> Bool {
    guard folder.content(of: digest) == .file(size: size) else { return false }
    return try folder.ifPresent(digest) { file in
      guard let version = file.version else { return false }
      if checked.contains(digest, version, saved: saved) { return true }
      checked.willComputeDigest()
      guard (try? file.digest()) == digest else { return false }
      if version == file.version { checked.insert(digest, version, resolution: folder.resolution) }
      return true
    } ?? false
  }

  fileprivate func data(of attachment: Attachment, range: Range<Int>) throws -> Data {
    guard range.lowerBound >= 0, range.upperBound <= attachment.size else {
      throw StoreError(
        .invalidValue,
        "The range is not inside of the attachment's \(attachment.size) bytes. Ask for bytes of 0..<attachment.size.")
    }
    return try file(of: attachment).read(at: range.lowerBound, count: range.count)
  }

  fileprivate func url(for attachment: Attachment) throws -> URL {
    _ = try file(of: attachment)
    return URL(fileURLWithPath: folder.path(of: attachment.digest))
  }

  func stream(_ attachment: Attachment) throws -> AttachmentFile { try file(of: attachment) }
}

extension AttachmentTable {
  /// Returns the version of a digest's file that had its data, if a connection is idle.
  static func savedVersion(_ digest: String, _ readers: ReaderPool?) -> FileVersion.Saved? {
    // What can't be read is computed.
    readers?.withIdleConnection { try? AttachmentTable($0).savedVersion(digest) } ?? nil
  }
}

extension StoreError {
  static let damagedAttachment = StoreError(
    .corrupt,
    "The bytes of an attachment are not what was attached. Attach them again, or restore a backup; verifyAttachments() lists what is damaged."
  )
}
