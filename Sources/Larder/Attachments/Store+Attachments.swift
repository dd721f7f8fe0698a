public import Foundation

extension Store {
  /// Stores data in a file beside the store, and returns the attachment that refers to it.
  ///
  /// ```swift
  /// note.picture = try await store.attach(data, name: "cat.png", mediaType: "image/png")
  /// try await store.save(note)
  /// ```
  ///
  /// The data has been synced to the disk when this returns. It stays as long as a row refers to it and, until then, as
  /// long as the value exists.
  ///
  /// - Parameters:
  ///   - data: The data.
  ///   - name: The name of the file for people; any text, never part of a path.
  ///   - mediaType: The type of the data, such as `image/png`.
  /// - Returns: The attachment, to be stored in a row.
  /// - Throws: ``StoreError`` `.diskFull`, `.readOnly`, `.inputOutput`; `.unsupported` in a store that was opened with
  ///   `schema: .existing`; `CancellationError`. After an error nothing is kept; a file that was already written is
  ///   deleted, at the latest after the store is next opened.
  /// - Complexity: Writes and syncs one file. If the store already has this data, its file is read instead, unless it is
  ///   unchanged since it was attached or last verified.
  public func attach(_ data: Data, name: String? = nil, mediaType: String? = nil) async throws -> Attachment {
    let storage = try managedAttachments
    return try await register(name, mediaType) { try AttachmentDraft(in: storage.folder, data) }
  }

  /// Stores the contents of a file, which stays unchanged.
  ///
  /// - Parameters:
  ///   - location: The file's path, as `String`, `URL` or `FilePath`.
  ///   - name: The name of the file for people; by default the last component of the path.
  ///   - mediaType: The type of the data, such as `image/png`.
  ///   - progress: Called from time to time with the number of bytes read so far.
  /// - Returns: The attachment, to be stored in a row.
  /// - Throws: ``StoreError`` `.notFound` if there is no such file, and the errors of ``attach(_:name:mediaType:)``.
  public func attach(
    contentsOf location: some StoreLocation, name: String? = nil, mediaType: String? = nil,
    progress: (@Sendable (Int) -> Void)? = nil
  ) async throws -> Attachment {
    let storage = try managedAttachments
    let path = location.storePath
    return try await register(name ?? path.lastComponent, mediaType) {
      try AttachmentDraft(in: storage.folder, copying: path, progress)
    }
  }

  /// Stores the data of an asynchronous sequence of chunks, using a bounded amount of memory.
  ///
  /// - Parameters:
  ///   - stream: The chunks: `Data`, `[UInt8]`, slices of them, or any other collection of bytes.
  ///   - name: The name of the file for people.
  ///   - mediaType: The type of the data, such as `image/png`.
  ///   - progress: Called from time to time with the number of bytes written so far.
  ///   - isolation: The actor on which the sequence is read, that of the caller by default.
  /// - Returns: The attachment, to be stored in a row.
  /// - Throws: What the sequence throws, and the errors of ``attach(_:name:mediaType:)``.
  public func attach<Stream: AsyncSequence>(
    _ stream: Stream, name: String? = nil, mediaType: String? = nil, progress: (@Sendable (Int) -> Void)? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Attachment where Stream.Element: Collection, Stream.Element.Element == UInt8 {
    let storage = try managedAttachments
    let draft = try await AttachmentWork.run { try AttachmentDraft(in: storage.folder) }
    var buffer: [UInt8] = []
    func flush() async throws {
      let bytes = buffer
      buffer = []
      try await AttachmentWork.run { try draft.append(bytes) }
      progress?(draft.size)
    }
    for try await chunk in stream {
      try Task.checkCancellation()
      var rest = chunk[...]
      while !rest.isEmpty {
        let part = rest.prefix(AttachmentFile.chunk - buffer.count)
        buffer.append(contentsOf: part)
        rest = rest.dropFirst(part.count)
        if buffer.count == AttachmentFile.chunk { try await flush() }
      }
    }
    // Many sequences end early when their task is cancelled.
    try Task.checkCancellation()
    if !buffer.isEmpty { try await flush() }
    return try await register(name, mediaType) { draft }
  }

  /// The storage for new attachments. Throws if Larder doesn't manage the store's tables.
  var managedAttachments: AttachmentStorage {
    get throws {
      if configuration.access == .readOnly { throw StoreError.openedReadOnly }
      return try environment.managedAttachments
    }
  }

  /// Places and registers the data that the closure writes, with one switch of threads; another thread waits for the
  /// disk.
  ///
  /// The data is registered while it is being synced. Until both are done, only callers that attach the same data know
  /// of it, and they sync it too. Data that was registered but couldn't be synced is deleted, now or by the collector.
  func register(
    _ name: String?, _ mediaType: String?, _ write: @escaping @Sendable () throws -> AttachmentDraft
  ) async throws -> Attachment {
    let storage = environment.attachments
    let readers = readers
    let ((draft, digest, size, lease, _, isNew), syncing) = try await AttachmentWork.run {
      let draft = try write()
      let digest = draft.digest()
      let lease = storage.leases.begin(digest)
      // If no connection is idle, checking for the file is enough.
      let isKnown =
        try storage.isWhole(digest, size: draft.size) { AttachmentTable.savedVersion($0, readers) }
        && readers?.withIdleConnection { try AttachmentTable($0).isRegistered(digest) } ?? false
      // The collector may be deleting it at this moment.
      let known = isKnown ? try? storage.folder.placement(of: digest) : nil
      // The thread that has the draft may not release it before the process ends.
      if known != nil { draft.removeTemporaryName() }
      return (draft, digest, draft.size, lease, try known ?? storage.folder.name(draft, digest), known == nil)
    } thenBeside: {
      try storage.folder.sync($0.4)
      storage.didSync(digest: $0.1, $0.4)
    }
    var isPlaced = isNew
    // Data that is being deleted at this moment is placed again, which can't go on for long.
    while true {
      FaultPoint.registering.reach()
      let isRegistered = try await writer.performStatement { [isPlaced] connection in
        let register = { try AttachmentTable(connection).register(digest, size: size, isPlaced: isPlaced) }
        return connection.isAutocommitting ? try connection.transaction(register) : try register()
      }
      if isRegistered { break }
      try await withdrawing(digest) {
        try await AttachmentWork.run { storage.didSync(digest: digest, try storage.folder.place(draft, digest)) }
      }
      isPlaced = true
    }
    FaultPoint.registered.reach()
    storage.activate()
    try await withdrawing(isPlaced ? digest : nil) { try await syncing.wait() }
    return Attachment(digest: digest, size: size, mediaType: mediaType, fileName: name, lease: lease)
  }

  /// Syncs data, and takes it back if that fails.
  private func withdrawing(_ digest: String?, _ sync: () async throws -> Void) async throws {
    do {
      try await sync()
    } catch {
      if let digest {
        let writer = writer
        // Also if the caller is cancelled.
        await Task {
          try? await writer.perform { connection in
            try connection.transaction { try AttachmentTable(connection).withdraw(digest) }
          }
        }.value
      }
      throw error
    }
  }
}

extension StoreEnvironment {
  /// What can be attached to; throws for a store whose tables are not Larder's.
  var managedAttachments: AttachmentStorage {
    get throws {
      if attachments.isManaged { return attachments }
      throw StoreError(
        .unsupported,
        "Attachments need a table in the file, which schema: .existing does not create. Open the store without it to attach."
      )
    }
  }
}

extension String {
  /// The part of a path after its last slash.
  var lastComponent: String? { split(separator: "/").last.map(String.init) }
}

extension AttachmentDraft {
  /// Creates a draft with the contents of a file.
  convenience init(in folder: AttachmentFolder, copying path: String, _ progress: (@Sendable (Int) -> Void)?) throws {
    let source = try AttachmentFile(userFile: path)
    try self.init(in: folder)
    try source.forEachChunk { bytes in
      try append(bytes)
      progress?(size)
    }
  }
}
