/// A consistent view of the store, passed to the closure of ``Store/read(_:)-(_)``: all of its reads see the same
/// commit.
///
/// Use it only inside the closure. Using it after the closure has returned is a programming error and traps.
public final class Snapshot: StoreReader {
  private var connection: Connection?

  init(_ connection: Connection) {
    self.connection = connection
  }

  func end() {
    connection = nil
  }

  public func _read<Result>(isReentrant: Bool, _ body: (ReadAccess) throws -> Result) throws -> Result {
    guard let connection else { preconditionFailure("a snapshot was used after the closure of read(_:) had returned") }
    do {
      return try body(ReadAccess(connection: connection))
    } catch is WriteNeeded {
      throw StoreError(.readOnly, "A snapshot only reads; execute statements that write in store.write { db in … }.")
    }
  }

  /// Calls the closure in a read-only transaction, or in the connection's current transaction if there is one.
  static func reading<Result>(_ connection: Connection, _ body: (Snapshot) throws -> Result) throws -> Result {
    try connection.inOneView {
      let snapshot = Snapshot(connection)
      // In memory, the same connection also writes.
      let wasReadOnly = connection.isReadOnly
      connection.isReadOnly = true
      defer {
        snapshot.end()
        connection.isReadOnly = wasReadOnly
      }
      // The first read fixes the transaction's view, so read now.
      try connection.execute("SELECT 1 FROM sqlite_master LIMIT 1")
      return try body(snapshot)
    }
  }
}
