public import Foundation

extension Store {
  /// Keeps bytes in a file beside the store, and answers the value that names them.
  ///
  /// ```swift
  /// note.picture = try await store.attach(data, name: "cat.png", mediaType: "image/png")
  /// try await store.save(note)
  /// ```
  ///
  /// The bytes are on the disk when this returns. They stay while a row names them, and until then for as long as the value lives.
  ///
  /// - Parameters:
  ///   - name: What a person calls the file; any text, never part of a path.
  ///   - mediaType: What the bytes are, as `image/png`.
  /// - Throws: ``StoreError`` `.diskFull`, `.readOnly`, `.inputOutput`; `.unsupported` in a store that was opened with `schema: .existing`;
  ///   `CancellationError`. Nothing is then kept; a file that was written already is collected, at the latest after the next opening.
  /// - Complexity: One file written and synced; where the store has these bytes already, theirs is read, unless this store has read it before.
  public func attach(_ data: Data, name: String? = nil, mediaType: String? = nil) async throws -> Attachment {
    let storage = try managedAttachments
    return try await register(name, mediaType) { try AttachmentDraft(in: storage.folder, data) }
  }

  /// Keeps the bytes of a file; the file itself stays as it is.
  ///
  /// - Parameters:
  ///   - location: The file's path, as `String`, `URL` or `FilePath`.
  ///   - name: What a person calls the file; by default the last component of the path.
  ///   - progress: Called now and then with the number of bytes that were read.
  /// - Throws: As ``attach(_:name:mediaType:)``; ``StoreError`` `.notFound` where there is no such file.
  public func attach(
    contentsOf location: some StoreLocation, name: String? = nil, mediaType: String? = nil, progress: (@Sendable (Int) -> Void)? = nil
  ) async throws -> Attachment {
    let storage = try managedAttachments
    let path = location.storePath
    return try await register(name ?? path.lastComponent, mediaType) { try AttachmentDraft(in: storage.folder, copying: path, progress) }
  }

  /// Keeps the bytes of an asynchronous sequence of chunks, in bounded memory.
  ///
  /// - Parameters:
  ///   - stream: The chunks: `Data`, `[UInt8]`, slices of them, or any other collection of bytes.
  ///   - progress: Called now and then with the number of bytes that were written.
  /// - Throws: As ``attach(_:name:mediaType:)``, and what the sequence throws.
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
    // A cancelled task ends many a sequence early.
    try Task.checkCancellation()
    if !buffer.isEmpty { try await flush() }
    return try await register(name, mediaType) { draft }
  }

  /// What can be attached to; throws for a store whose tables are not Larder's.
  var managedAttachments: AttachmentStorage {
    get throws {
      if configuration.access == .readOnly { throw StoreError.openedReadOnly }
      return try environment.managedAttachments
    }
  }

  /// Places and registers what the closure writes, with one change of threads: the disk is waited for on a thread of its own.
  ///
  /// The bytes are registered while they are synced. Until both are done nobody knows of them but those who attach the same bytes, and these sync
  /// them too; what was registered and never synced is named by no row, and collected.
  private func register(
    _ name: String?, _ mediaType: String?, _ write: @escaping @Sendable () throws -> AttachmentDraft
  ) async throws -> Attachment {
    let storage = environment.attachments
    let readers = readers
    let ((draft, digest, size, lease, _, isNew), syncing) = try await AttachmentWork.run {
      let draft = try write()
      let digest = draft.digest()
      let lease = storage.leases.begin(digest)
      // Where no connection is idle, the file tells as well.
      let isKnown =
        try storage.isWhole(digest, size: draft.size)
        && readers?.withIdleConnection { try AttachmentTable.isRegistered(digest, $0) } ?? false
      // They may be collected at this very moment.
      let known = isKnown ? try? storage.folder.placement(of: digest) : nil
      return (draft, digest, draft.size, lease, try known ?? storage.folder.name(draft, digest), known == nil)
    } thenBeside: {
      try storage.folder.sync($0.4)
    }
    var isPlaced = isNew
    // Bytes that are collected at this very moment are placed anew; that cannot go on for long.
    while true {
      FaultPoint.registering.reach()
      let isRegistered = try await writer.performStatement { [isPlaced] connection in
        let register = { try AttachmentTable.register(digest, size: size, isPlaced: isPlaced, storage, connection) }
        return connection.isAutocommitting ? try connection.transaction(register) : try register()
      }
      if isRegistered { break }
      try await AttachmentWork.run { try storage.folder.place(draft, digest) }
      isPlaced = true
    }
    FaultPoint.registered.reach()
    storage.activate()
    try await syncing.wait()
    return Attachment(digest: digest, size: size, mediaType: mediaType, fileName: name, lease: lease)
  }
}

extension StoreEnvironment {
  /// What can be attached to; throws for a store whose tables are not Larder's.
  var managedAttachments: AttachmentStorage {
    get throws {
      if attachments.isManaged { return attachments }
      throw StoreError(
        .unsupported, "Attachments need a table in the file, which schema: .existing does not create. Open the store without it to attach.")
    }
  }
}

extension String {
  /// What follows the last slash of a path.
  var lastComponent: String? { split(separator: "/").last.map(String.init) }
}

extension AttachmentDraft {
  /// A draft of the bytes of a file.
  convenience init(in folder: AttachmentFolder, copying path: String, _ progress: (@Sendable (Int) -> Void)?) throws {
    let source = try AttachmentFile(userFile: path)
    try self.init(in: folder)
    try source.forEachChunk { bytes in
      try append(bytes)
      progress?(size)
    }
  }
}
