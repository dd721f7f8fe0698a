public import LarderArchive

extension Store {
  /// Writes a value and the data of all its attachments to a new document in a folder.
  ///
  /// The document has one part with the row, and one part for each attachment, named by its digest.
  /// ``importDocument(_:as:)`` imports it into this store or another one.
  ///
  /// - Parameters:
  ///   - value: The value to export.
  ///   - folder: The folder in which to create the document.
  /// - Returns: The new document.
  /// - Throws: ``StoreError`` with the codes of ``data(of:)``; `ArchiveError` of the file system. After an error there
  ///   is no document.
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

  /// Saves the value in a document that ``export(_:to:)`` wrote, with its attachments.
  ///
  /// A row with the same key is updated. Properties that the document doesn't have get their default values.
  ///
  /// - Parameters:
  ///   - package: The document.
  ///   - model: The type of the value.
  /// - Returns: The imported value.
  /// - Throws: `ArchiveError` for a damaged document; ``StoreError`` `.schemaMismatch` for a row of another model; and
  ///   the errors of ``save(_:)-(M)``. After an error nothing is saved.
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
    // Until here, only these values have kept the data.
    withExtendedLifetime(attachments) {}
    return value
  }
}
