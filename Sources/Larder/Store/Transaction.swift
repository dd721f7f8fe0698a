/// One transaction, as the closure of ``Store/write(_:)-(_)`` gets it: all of its changes are committed together, or none is.
///
/// Use it inside the closure alone; using it after the closure has returned is a programmer's mistake and traps.
public final class Transaction: StoreWriter {
  private var connection: Connection?

  init(_ connection: Connection) {
    self.connection = connection
  }

  func end() {
    connection = nil
  }

  private var access: Connection {
    guard let connection else { preconditionFailure("a transaction was used after the closure of write(_:) had returned") }
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

  /// Calls the closure in a savepoint: an error undoes what the closure did and is thrown on; what was done before it stays.
  ///
  /// Savepoints nest to any depth. Catch the error to go on with the transaction.
  public func savepoint<Result>(_ body: (Transaction) throws -> Result) throws -> Result {
    try access.savepoint { try body(self) }
  }

  /// Calls the closure in a transaction, and ends it when the closure returns.
  static func writing<Result>(_ connection: Connection, _ body: (Transaction) throws -> Result) throws -> Result {
    let transaction = Transaction(connection)
    defer { transaction.end() }
    return try connection.transaction { try body(transaction) }
  }
}
