/// One consistent view of the store, as the closure of ``Store/read(_:)-(_)`` gets it: all of its reads see the same commit.
///
/// Use it inside the closure alone; using it after the closure has returned is a programmer's mistake and traps.
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

  /// Calls the closure in a transaction that only reads; inside another one of the same connection, in that one.
  static func reading<Result>(_ connection: Connection, _ body: (Snapshot) throws -> Result) throws -> Result {
    try connection.inOneView {
      let snapshot = Snapshot(connection)
      // In memory it is the connection that writes, too.
      let wasReadOnly = connection.isReadOnly
      connection.isReadOnly = true
      defer {
        snapshot.end()
        connection.isReadOnly = wasReadOnly
      }
      // The transaction's view is fixed by its first read, so that it is the one of this moment.
      try connection.execute("SELECT 1 FROM sqlite_master LIMIT 1")
      return try body(snapshot)
    }
  }
}
