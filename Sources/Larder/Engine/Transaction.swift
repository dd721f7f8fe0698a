/// A transaction, passed to the closure of ``Store/write(_:)-(_)``: its changes are committed together or not at all.
///
/// Use it only inside the closure. Using it after the closure has returned is a programming error and traps.
public final class Transaction: StoreWriter {
  private var connection: Connection?

  init(_ connection: Connection) {
    self.connection = connection
  }

  func end() {
    connection = nil
  }

  private var access: Connection {
    guard let connection else {
      preconditionFailure("a transaction was used after the closure of write(_:) had returned")
    }
    return connection
  }

  public func _read<Result>(isReentrant: Bool, _ body: (ReadAccess) throws -> Result) throws -> Result {
    try body(ReadAccess(connection: access))
  }

  public func _write<Result>(isAtomic: Bool, _ body: (WriteAccess) throws -> Result) throws -> Result {
    let connection = access
    guard isAtomic else { return try body(WriteAccess(connection: connection)) }
    return try connection.savepoint { try body(WriteAccess(connection: connection)) }
  }

  /// Calls the closure in a savepoint, and rolls back to it if the closure throws.
  ///
  /// Savepoints nest to any depth. To continue the transaction after an error, catch it.
  ///
  /// - Parameter body: The closure. Its argument is this transaction.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, and the errors of any write.
  public func savepoint<Result>(_ body: (Transaction) throws -> Result) throws -> Result {
    try access.savepoint { try body(self) }
  }

  /// Calls the closure in a transaction, and ends the transaction when the closure returns.
  static func writing<Result>(_ connection: Connection, _ body: (Transaction) throws -> Result) throws -> Result {
    let transaction = Transaction(connection)
    defer { transaction.end() }
    return try connection.transaction { try body(transaction) }
  }
}
