public import LarderArchive

extension Store {
  /// Writes a value and the bytes of all attachments that it names to a new document of a folder.
  ///
  /// The document has a part with the row and a part for each attachment, called by its digest. ``importDocument(_:as:)`` brings it back, into this
  /// store or another.
  ///
  /// - Throws: ``StoreError`` as ``data(of:)``; `ArchiveError` of the file system. There is then no document.
  public func export<M: Model>(_ value: M, to folder: DocumentFolder) async throws -> DocumentPackage {
    let row = try ExportedRow(value)
    let digests = try await reading { try row.digests(M.self, $0) }
    let storage = environment.attachments
    return try await AttachmentWork.run {
      try folder.add { parts in
        try parts.setValue(row, for: ExportedRow.part)
        for digest in digests { try parts.setData(try storage.data(of: digest), for: digest) }
      }
    }
  }

  /// Saves the value of a document that ``export(_:to:)`` wrote, with its attachments, and answers it.
  ///
  /// A row with the same key is updated. What the document does not have is left at the properties' defaults.
  ///
  /// - Throws: `ArchiveError` for a damaged document; ``StoreError`` `.schemaMismatch` for a row of another model, and what saving throws.
  ///   Nothing is then saved.
  @discardableResult
  public func importDocument<M: Model>(_ package: DocumentPackage, as model: M.Type) async throws -> M {
    let row = try await AttachmentWork.run { try package.value(ExportedRow.self, for: ExportedRow.part) }
    let (value, digests) = try await reading { (try row.decode(model, $0), try row.digests(model, $0)) }
    var attachments: [Attachment] = []
    for digest in digests.sorted() {
      let attachment = try await attach(try await AttachmentWork.run { try package.data(for: digest) })
      guard attachment.digest == digest else { throw StoreError.damagedAttachment }
      attachments.append(attachment)
    }
    try await save(value)
    // Until now only these kept the bytes.
    withExtendedLifetime(attachments) {}
    return value
  }
}
