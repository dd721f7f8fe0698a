/// Attachments as a feature of a store: they are counted while rows are written, collected once they are unused, and
/// part of backups.
final class AttachmentsFeature: StoreFeature {
  let storage: AttachmentStorage
  private let isInMemory: Bool

  init(_ storage: AttachmentStorage, isInMemory: Bool) {
    self.storage = storage
    self.isInMemory = isInMemory
  }

  // MARK: Counting

  func willWrite<M: Model>(_ values: () -> [M], _ kind: ModelStatementKind, _ connection: Connection) throws {
    try connection.prepareAttachments(M.schema.columns.contains { $0.type.isJSON })
  }

  func willExecute(_ arguments: [SQLWriter.Argument], _ connection: Connection) throws {
    try connection.prepareAttachments(arguments.contains(where: \.mayNameAttachment))
  }

  func refusal(_ message: String, _ context: ErrorContext?) -> StoreError? {
    message.hasPrefix(AttachmentTable.refusal) ? AttachmentTable.refused(message, context) : nil
  }

  func didCommit(_ writes: [StatementFacts]) {
    storage.didCommit()
  }

  func didRollBack(_ connection: Connection, isOver: Bool) {
    guard let counting = connection.existingState(AttachmentCounting.self) else { return }
    counting.isKnown = false
    counting.hasFiles = false
    if isOver { counting.isSuspended = false }
  }

  // MARK: Opening and closing

  func willMigrate(_ connection: Connection) throws {
    connection.attachmentCounting.isSuspended = true
    try AttachmentTable(connection).suspend()
  }

  func didMigrate(_ connection: Connection) throws {
    try AttachmentTable(connection).resume()
    connection.attachmentCounting.isSuspended = false
  }

  func hasWork(_ connection: Connection) throws -> Bool {
    let hasTable = try AttachmentTable(connection).exists()
    return storage.isManaged && (hasTable || storage.folder.exists)
  }

  func start(_ writer: Writer, hasWork: Bool) -> (any StoreService)? {
    AttachmentCollector(writer, storage, isInMemory: isInMemory, isNeeded: hasWork)
  }

  func willClose(_ connection: Connection) {
    _ = try? AttachmentTable(connection).saveVersions()
  }

  func didClose() {
    storage.end()
  }

  // MARK: Backups

  func beginBackup(of connection: Connection, partial: String) throws -> (any FeatureBackup)? {
    try AttachmentBackup(of: storage.folder, connection, partial: partial)
  }

  func removeBackup(at path: String) {
    AttachmentBackup.remove(beside: path)
  }
}

/// What one connection knows of the counting of attachments.
final class AttachmentCounting {
  /// Whether this connection has seen that the file counts references to attachments. Cleared by a rollback.
  var isKnown = false
  /// Whether this connection has seen that the file keeps versions of files. Cleared by a rollback.
  var hasFiles = false
  /// Whether a migration is changing the tables: the triggers that count are missing until it ends.
  var isSuspended = false
}

extension Connection {
  var attachmentCounting: AttachmentCounting { state(AttachmentCounting.self, AttachmentCounting()) }
}

/// A feature with tables of its own whose columns may hold attachments.
protocol AttachmentReferring: StoreFeature {
  /// Returns the columns that may refer to attachments.
  func attachmentColumns(_ connection: Connection) throws -> [AttachmentColumn]
}

extension StoreEnvironment {
  /// The attachments of the store.
  var attachments: AttachmentStorage { features[AttachmentsFeature.self].storage }
}
