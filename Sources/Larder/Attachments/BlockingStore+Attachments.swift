public import Foundation

extension BlockingStore {
  /// Keeps bytes in a file beside the store, and answers the value that names them; as ``Store/attach(_:name:mediaType:)``.
  public func attach(_ data: Data, name: String? = nil, mediaType: String? = nil) throws -> Attachment {
    try register(try AttachmentDraft(in: try store.managedAttachments.folder, data), name, mediaType)
  }

  /// Keeps the bytes of a file; as ``Store/attach(contentsOf:name:mediaType:progress:)``.
  public func attach(
    contentsOf location: some StoreLocation, name: String? = nil, mediaType: String? = nil, progress: (@Sendable (Int) -> Void)? = nil
  ) throws -> Attachment {
    let path = location.storePath
    let draft = try AttachmentDraft(in: try store.managedAttachments.folder, copying: path, progress)
    return try register(draft, name ?? path.lastComponent, mediaType)
  }

  private func register(_ draft: AttachmentDraft, _ name: String?, _ mediaType: String?) throws -> Attachment {
    let storage = store.environment.attachments
    let (digest, size) = (draft.digest(), draft.size)
    let lease = storage.leases.begin(digest)
    var isKnown = try storage.isWhole(digest, size: size) && store.withReader { try AttachmentTable.isRegistered(digest, $0) }
    while true {
      // They may be collected at this very moment.
      let known = isKnown ? try? storage.folder.placement(of: digest) : nil
      isKnown = known != nil
      try storage.folder.sync(try known ?? storage.folder.name(draft, digest))
      let isRegistered = try store.withWriter { connection in
        try connection.transaction { try AttachmentTable.register(digest, size: size, isPlaced: !isKnown, storage, connection) }
      }
      if isRegistered { break }
      isKnown = false
    }
    storage.activate()
    return Attachment(digest: digest, size: size, mediaType: mediaType, fileName: name, lease: lease)
  }
}
