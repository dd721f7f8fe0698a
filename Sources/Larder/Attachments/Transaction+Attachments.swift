public import Foundation

extension Transaction {
  /// Stores bytes in a file beside the store as part of the transaction, and returns the value that names them.
  ///
  /// ```swift
  /// let migration = Migration("2026-11 pictures are attachments") { db in
  ///   for row in try db.sql("select id, data from Picture") {
  ///     let picture = try db.attach(try row.get("data", as: Data.self), mediaType: "image/png")
  ///     try db.updateAll(Note.where { $0.pictureID == row["id"]?.integer }) { $0.picture.set(picture) }
  ///   }
  /// }
  /// ```
  ///
  /// Use it in migrations, and for bytes that only the transaction knows. Everywhere else, attach first with ``Store/attach(_:name:mediaType:)``: other
  /// writers wait until the transaction ends, and here that includes the disk.
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - name: What a person calls the file; any text, never part of a path.
  ///   - mediaType: The type of the bytes, such as `image/png`.
  /// - Returns: A value that names the bytes. If the transaction is rolled back, it names nothing: a row with it is refused.
  /// - Throws: ``StoreError`` `.diskFull`, `.readOnly`, `.inputOutput`; `.unsupported` in a store that was opened with `schema: .existing`.
  /// - Complexity: One file written and synced.
  public func attach(_ data: Data, name: String? = nil, mediaType: String? = nil) throws -> Attachment {
    try attach(name, mediaType) { try AttachmentDraft(in: $0, data) }
  }

  /// Stores the bytes of a file as part of the transaction; the file itself stays as it is.
  ///
  /// - Parameters:
  ///   - location: The file's path, as `String`, `URL` or `FilePath`.
  ///   - name: What a person calls the file; by default the last component of the path.
  ///   - mediaType: The type of the bytes, such as `image/png`.
  /// - Returns: A value that names the bytes, as ``attach(_:name:mediaType:)`` does.
  /// - Throws: As ``attach(_:name:mediaType:)``; ``StoreError`` `.notFound` if there is no such file.
  public func attach(contentsOf location: some StoreLocation, name: String? = nil, mediaType: String? = nil) throws -> Attachment {
    let path = location.storePath
    return try attach(name ?? path.lastComponent, mediaType) { try AttachmentDraft(in: $0, copying: path, nil) }
  }

  private func attach(
    _ name: String?, _ mediaType: String?, _ write: (AttachmentFolder) throws -> AttachmentDraft
  ) throws -> Attachment {
    try _write(isAtomic: true) { access in
      let connection = access.connection
      let storage = try connection.environment.managedAttachments
      if connection.transactionState.attaching == nil {
        try storage.folder.create()
        let lock = try storage.folder.lockFile(.staging)
        try lock.lockShared()
        connection.transactionState.attaching = lock
      }
      let draft = try write(storage.folder)
      let (digest, size) = (draft.digest(), draft.size)
      let lease = storage.leases.begin(digest)
      // Nothing is collected before the transaction ends: that takes the lock on the file which this transaction has.
      try storage.folder.place(draft, digest)
      guard try AttachmentTable.register(digest, size: size, isPlaced: true, storage, connection) else {
        throw StoreError(.inputOutput, "The file of an attachment was taken away while it was attached. Keep other programs out of \(storage.folder.path).")
      }
      // An opening store begins to collect when it is open.
      if !connection.isMigrating { storage.activate() }
      return Attachment(digest: digest, size: size, mediaType: mediaType, fileName: name, lease: lease)
    }
  }
}
