import Foundation
import Larder
import Synchronization

/// The work of one window: a context with its unsaved changes.
///
/// A context belongs to one thread at a time, so the session is an actor whose jobs run on a queue of its own.
actor Session {
  private nonisolated let executor = SessionExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private nonisolated let store: Store
  /// Whether reads have to go through the context. Others need not wait for it.
  private nonisolated let isChanged = Mutex(false)
  let context: Context
  /// The rows that changes have reached since the window was opened, as they were in the store when they were reached,
  /// when they were last saved, or when the user decided about a conflict.
  var touched: [TouchedRow: StoredVersion] = [:]
  /// The rows of `touched`, in the order in which they were first reached.
  var order: [TouchedRow] = []
  /// The rows in conflict about which the user has decided since the last save.
  var decided: Set<TouchedRow> = []
  /// Whether `touched` has all rows that deletions have reached since the last save.
  var isReachComplete = true
  /// What was attached and may not be saved yet.
  private var attachments: [Attachment] = []

  init(store: Store) {
    self.store = store
    context = Context(store)
  }

  /// Whether there are unsaved changes.
  nonisolated var hasChanges: Bool { isChanged.withLock { $0 } }

  /// Calls the closure with what sees the unsaved changes: the context, or the store if there are none.
  nonisolated func read<Result: Sendable>(
    _ body: @escaping @Sendable (any StoreReader) throws -> Result
  ) async throws -> Result {
    guard hasChanges else { return try await store.read { try body($0) } }
    return try await readUnsaved(body)
  }

  private func readUnsaved<Result: Sendable>(_ body: @Sendable (any StoreReader) throws -> Result) throws -> Result {
    try body(context)
  }

  /// Returns a row as the store has it.
  func stored(_ row: TouchedRow) throws -> StoredVersion {
    try store.blocking.read { try StoredVersion(row, from: $0) }
  }

  /// Calls the closure, and notes whether there are unsaved changes afterwards.
  func noting<Result>(_ body: () throws -> Result) rethrows -> Result {
    defer {
      let hasChanges = context.hasChanges
      isChanged.withLock { $0 = hasChanges }
    }
    return try body()
  }

  /// Keeps what was attached until the window ends: the store deletes bytes that no row names.
  func keep(_ attachment: Attachment) {
    attachments.append(attachment)
  }
}

/// A row that unsaved changes may have reached.
struct TouchedRow: Hashable, Sendable {
  let table: String
  let key: RowKey
}

/// What is compared of a row to tell whether it has changed.
struct StoredVersion: Hashable, Sendable {
  /// Nil if there is no such row.
  let row: Row?
  let expires: Date?

  init(_ touched: TouchedRow, from reader: some StoreReader) throws {
    row = try reader.row(with: touched.key.values, in: touched.table)
    expires = row == nil ? nil : try Expiry.date(of: touched.key, in: try reader.table(touched.table), from: reader)
  }
}
