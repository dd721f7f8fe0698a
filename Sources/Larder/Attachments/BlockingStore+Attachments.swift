public import Foundation

extension BlockingStore {
  /// Stores data in a file beside the store, and returns the attachment that refers to it. See
  /// ``Store/attach(_:name:mediaType:)``.
  ///
  /// - Parameters:
  ///   - data: The data.
  ///   - name: The name of the file for people; any text, never part of a path.
  ///   - mediaType: The type of the data, such as `image/png`.
  /// - Returns: The attachment, to be stored in a row.
  /// - Throws: The errors of ``Store/attach(_:name:mediaType:)``.
  public func attach(_ data: Data, name: String? = nil, mediaType: String? = nil) throws -> Attachment {
    try register(try AttachmentDraft(in: try store.managedAttachments.folder, data), name, mediaType)
  }

  /// Stores the contents of a file, which stays unchanged. See ``Store/attach(contentsOf:name:mediaType:progress:)``.
  ///
  /// - Parameters:
  ///   - location: The file's path, as `String`, `URL` or `FilePath`.
  ///   - name: The name of the file for people; by default the last component of the path.
  ///   - mediaType: The type of the data, such as `image/png`.
  ///   - progress: Called from time to time with the number of bytes read so far.
  /// - Returns: The attachment, to be stored in a row.
  /// - Throws: The errors of ``Store/attach(contentsOf:name:mediaType:progress:)``.
  public func attach(
    contentsOf location: some StoreLocation, name: String? = nil, mediaType: String? = nil,
    progress: (@Sendable (Int) -> Void)? = nil
  ) throws -> Attachment {
    let path = location.storePath
    let draft = try AttachmentDraft(in: try store.managedAttachments.folder, copying: path, progress)
    return try register(draft, name ?? path.lastComponent, mediaType)
  }

  private func register(_ draft: AttachmentDraft, _ name: String?, _ mediaType: String?) throws -> Attachment {
    let storage = store.environment.attachments
    let (digest, size) = (draft.digest(), draft.size)
    let lease = storage.leases.begin(digest)
    let readers = store.readers
    var isKnown =
      try storage.isWhole(digest, size: size) { AttachmentTable.savedVersion($0, readers) }
      && store.withReader { try AttachmentTable($0).isRegistered(digest) }
    while true {
      // The collector may be deleting it at this moment.
      let known = isKnown ? try? storage.folder.placement(of: digest) : nil
      isKnown = known != nil
      let placement = try known ?? storage.folder.name(draft, digest)
      do {
        try storage.folder.sync(placement)
      } catch {
        if !isKnown {
          try? store.withWriter { connection in
            try connection.transaction { try AttachmentTable(connection).withdraw(digest) }
          }
        }
        throw error
      }
      storage.didSync(digest: digest, placement)
      let isRegistered = try store.withWriter { connection in
        try connection.transaction {
          try AttachmentTable(connection).register(digest, size: size, isPlaced: !isKnown)
        }
      }
      if isRegistered { break }
      isKnown = false
    }
    storage.activate()
    return Attachment(digest: digest, size: size, mediaType: mediaType, fileName: name, lease: lease)
  }
}
