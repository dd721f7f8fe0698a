import Crypto
public import LarderArchive

extension Store {
  /// Writes a value and the data of all its attachments to a new package in a folder.
  ///
  /// The package has one part with the row, and one part for each attachment, named by its digest.
  /// ``importPackage(_:as:)`` imports it into this store or another one. Its files are no more accessible than the
  /// store's file and the folder.
  ///
  /// - Parameters:
  ///   - value: The value to export.
  ///   - folder: The folder in which to create the package.
  /// - Returns: The new package.
  /// - Throws: ``StoreError`` with the codes of ``data(of:)``; `ArchiveError` of the file system; `CancellationError`.
  ///   After an error there is no package.
  /// - Complexity: Reads and writes the data of each attachment once, with one chunk in memory. The limits of the
  ///   folder apply to the row, not to attachments.
  public func export<M: Model>(_ value: M, to folder: PackageFolder) async throws -> DocumentPackage {
    let row = try ExportedRow(value)
    let digests = try await reading { try row.attachments(M.self, $0).keys.sorted() }
    let storage = environment.attachments
    return try await AttachmentWork.runCancellably { cancellation in
      try folder.add(filesOf: storage.folder.exportMode) { parts in
        try parts.setValue(row, for: ExportedRow.part)
        for digest in digests {
          let file = try storage.folder.open(digest)
          try parts.setContents(for: digest) { try file.copy(digest, to: $0, cancellation) }
        }
        try cancellation.check()
      }
    }
  }

  /// Saves the value in a package that ``export(_:to:)`` wrote, with its attachments.
  ///
  /// A row with the same key is updated. Properties that the package doesn't have get their default values.
  ///
  /// - Parameters:
  ///   - package: The package.
  ///   - model: The type of the value.
  /// - Returns: The imported value.
  /// - Throws: `ArchiveError` for a damaged package; ``StoreError`` `.schemaMismatch` for a row of another model,
  ///   `.corrupt` for an attachment whose data isn't what the row says; and the errors of ``save(_:)-(M)`` and
  ///   ``attach(_:name:mediaType:)``. After an error nothing is saved, and the data of attachments that were already
  ///   copied is deleted like any data that no row refers to.
  /// - Complexity: Reads and writes the data of each attachment once, with one chunk in memory.
  @discardableResult
  public func importPackage<M: Model>(_ package: DocumentPackage, as model: M.Type) async throws -> M {
    // One version of the package, even if it is changed meanwhile.
    let (snapshot, row) = try await AttachmentWork.run {
      let snapshot = try package.snapshot()
      return (snapshot, try snapshot.value(ExportedRow.self, for: ExportedRow.part))
    }
    let (value, sizes) = try await reading { (try row.decode(model, $0), try row.attachments(model, $0)) }
    var attachments: [Attachment] = []
    for (digest, sizes) in sizes.sorted(by: { $0.key < $1.key }) {
      attachments.append(try await attach(digest, of: sizes, in: snapshot))
    }
    try await save(value)
    // Until here, only these values have kept the data.
    withExtendedLifetime(attachments) {}
    return value
  }

  /// Stores the data of a part, which is verified before the store knows of it.
  private func attach(_ digest: String, of sizes: Set<Int64>, in snapshot: PackageSnapshot) async throws -> Attachment {
    let storage = try managedAttachments
    let draft = try await AttachmentWork.runCancellably { cancellation in
      let reader = try snapshot.reader(for: digest)
      guard sizes.allSatisfy({ $0 == reader.size }) else { throw StoreError.damagedAttachment }
      let draft = try AttachmentDraft(in: storage.folder)
      while let chunk = try reader.read(upTo: AttachmentFile.chunk) {
        try cancellation.check()
        try draft.append(chunk)
      }
      guard draft.digest() == digest else { throw StoreError.damagedAttachment }
      return draft
    }
    return try await register(nil, nil) { draft }
  }
}

extension AttachmentFile {
  /// Writes all data to a part of a package. Throws `.corrupt` if it isn't the data of the digest.
  fileprivate func copy(
    _ digest: String, to writer: PackagePartWriter, _ cancellation: AttachmentWork.Cancellation
  ) throws {
    var hash = SHA256()
    try forEachChunk { chunk in
      try cancellation.check()
      hash.update(bufferPointer: chunk)
      try writer.write(chunk)
    }
    guard hash.finalize().hexadecimal == digest else { throw StoreError.damagedAttachment }
  }
}
