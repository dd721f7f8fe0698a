import GRDBSQLite
import Synchronization

/// Decides whether the connections of a store may write: never in a read-only store, and not while the store is
/// suspended.
final class WriteGate: Sendable {
  private struct WeakConnection: Sendable {
    weak var connection: Connection?
  }

  private let isReadOnly: Bool
  private let isClosed = Atomic<Bool>(false)
  /// Whether readers lock the file too, as in every journal mode but WAL.
  private let readingLocks = Atomic<Bool>(false)
  /// The connections that run checkpoints, which don't check a flag. A connection is removed before it is released:
  /// looking at a weak reference under the lock could otherwise release the last strong one there.
  private let writers = Mutex<[ObjectIdentifier: WeakConnection]>([:])

  init(isReadOnly: Bool = false) {
    self.isReadOnly = isReadOnly
  }

  /// Throws `.readOnly` or `.suspended` if nothing may be written.
  func check() throws {
    if isReadOnly { throw StoreError.openedReadOnly }
    if isSuspended { throw StoreError.suspended }
  }

  // MARK: Suspending

  var isSuspended: Bool { isClosed.load(ordering: .relaxed) }

  /// Adds a connection that writes and runs checkpoints.
  ///
  /// - Parameter readingLocks: Whether readers lock the file.
  func watch(_ connection: Connection, readingLocks: Bool) {
    self.readingLocks.store(readingLocks, ordering: .relaxed)
    writers.withLock { $0[ObjectIdentifier(connection)] = WeakConnection(connection: connection) }
  }

  func suspend() {
    isClosed.store(true, ordering: .sequentiallyConsistent)
    // Under the lock, so that none is closed meanwhile, and none is released under it.
    let connections = writers.withLock { writers in
      let connections = writers.values.compactMap(\.connection)
      for connection in connections { connection.interruption.stopStatement(on: connection.handle) }
      return connections
    }
    withExtendedLifetime(connections) {}
  }

  /// Removes a connection that is about to be closed.
  func forget(_ connection: Connection) {
    writers.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(connection)) }
  }

  func resume() {
    isClosed.store(false, ordering: .sequentiallyConsistent)
  }

  /// Whether reading has to end when the store is suspended, because it locks the file.
  var stopsReaders: Bool { readingLocks.load(ordering: .relaxed) }

  /// Returns whether the connection has to release a lock that a suspended process must not hold.
  func stops(_ connection: Connection) -> Bool {
    isSuspended && (readingLocks.load(ordering: .relaxed) || connection.holdsWriteLock)
  }
}

extension Connection {
  /// Whether the connection has begun to write to the file.
  var holdsWriteLock: Bool { sqlite3_txn_state(handle, "main") == SQLITE_TXN_WRITE }
}

extension StoreError {
  static let openedReadOnly = StoreError(
    .readOnly, "The store was opened with access: .readOnly. Open it with access: .readWrite to write to it.")

  static let suspended = StoreError(
    .suspended,
    "The store is suspended, so that it holds no lock; nothing of this call was kept. Call resume(), then try again.")
}
