public import Foundation

extension Transaction {
  /// Stores data in a file beside the store as part of the transaction, and returns the attachment that refers to it.
  ///
  /// ```swift
  /// let migration = Migration("2026-11 pictures are attachments") { db in
  ///   for row in try db.sql("select id, data from Picture") {
  ///     let id: Int = try row.get("id")
  ///     let picture = try db.attach(try row.get("data", as: Data.self), mediaType: "image/png")
  ///     try db.updateAll(Note.where { $0.id == id }) { $0.picture.set(picture) }
  ///   }
  /// }
  /// ```
  ///
  /// Use it in migrations, and for data that only exists in the transaction. Otherwise attach before the transaction
  /// with ``Store/attach(_:name:mediaType:)``: other writers wait until the transaction ends, and here that includes
  /// waiting for the disk.
  ///
  /// - Parameters:
  ///   - data: The data.
  ///   - name: The name of the file for people; any text, never part of a path.
  ///   - mediaType: The type of the data, such as `image/png`.
  /// - Returns: The attachment. If the transaction is rolled back, it refers to nothing, and saving a row with it
  ///   throws.
  /// - Throws: ``StoreError`` `.diskFull`, `.readOnly`, `.inputOutput`; `.unsupported` in a store that was opened with
  ///   `schema: .existing`.
  /// - Complexity: Writes and syncs one file.
  public func attach(_ data: Data, name: String? = nil, mediaType: String? = nil) throws -> Attachment {
    try attach(name, mediaType) { try AttachmentDraft(in: $0, data) }
  }

  /// Stores the contents of a file as part of the transaction. The file stays unchanged.
  ///
  /// - Parameters:
  ///   - location: The file's path, as `String`, `URL` or `FilePath`.
  ///   - name: The name of the file for people; by default the last component of the path.
  ///   - mediaType: The type of the data, such as `image/png`.
  /// - Returns: The attachment, like ``attach(_:name:mediaType:)``.
  /// - Throws: ``StoreError`` `.notFound` if there is no such file, and the errors of ``attach(_:name:mediaType:)``.
  public func attach(
    contentsOf location: some StoreLocation, name: String? = nil, mediaType: String? = nil
  ) throws -> Attachment {
    let path = location.storePath
    return try attach(name ?? path.lastComponent, mediaType) { try AttachmentDraft(in: $0, copying: path, nil) }
  }

  private func attach(
    _ name: String?, _ mediaType: String?, _ write: (AttachmentFolder) throws -> AttachmentDraft
  ) throws -> Attachment {
    try _write(isAtomic: true) { access in
      let connection = access.connection
      let storage = try connection.environment.managedAttachments
      // Other processes take a file that isn't registered for a remainder, and see the registrations of this
      // transaction only once it is committed.
      if connection.transactionState.kept[ObjectIdentifier(AttachmentsFeature.self)] == nil {
        try storage.folder.create()
        let lock = try storage.folder.lockFile(.staging)
        try lock.lockShared()
        connection.transactionState.kept[ObjectIdentifier(AttachmentsFeature.self)] = lock
      }
      let draft = try write(storage.folder)
      let (digest, size) = (draft.digest(), draft.size)
      let lease = storage.leases.begin(digest)
      // Nothing is collected before the transaction ends: collecting needs the lock that this transaction holds.
      do {
        storage.didSync(digest: digest, try storage.folder.place(draft, digest))
      } catch {
        try? AttachmentTable(connection).withdraw(digest)
        throw error
      }
      guard try AttachmentTable(connection).register(digest, size: size, isPlaced: true) else {
        throw StoreError(
          .inputOutput,
          "The file of an attachment was removed while it was attached. Keep other programs out of \(storage.folder.path)."
        )
      }
      // An opening store begins to collect when it is open.
      if !connection.attachmentCounting.isSuspended { storage.activate() }
      return Attachment(digest: digest, size: size, mediaType: mediaType, fileName: name, lease: lease)
    }
  }
}
