import GRDBSQLite

/// What a connection knows of the transaction that a closure of Larder's users is in.
struct TransactionState {
  /// Whether a closure was told that it is in a transaction.
  var isOpen = false
  /// The error with which SQLite ended that transaction before its closure did, as it does on a full disk; nil while it goes on.
  var failure: (any Error)?
  /// How deep savepoints are nested.
  var savepointDepth = 0
  /// The shared lock of those who attach, held until the end: other processes take a file that is not registered for a leftover, and see the
  /// registrations of this transaction only when it is committed.
  var attaching: AttachmentFile?
}

extension Connection {
  // MARK: Transactions

  /// Calls the closure in a transaction that takes the write lock at once. Any error rolls all of it back.
  ///
  /// An interruption before the commit, even one that the closure caught, is such an error; so is one after which SQLite has rolled back by itself.
  func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try begin("BEGIN IMMEDIATE")
    transactionNumber += 1
    do {
      let result = try body()
      try commit()
      return result
    } catch {
      rollback()
      throw error
    }
  }

  /// Calls the closure in a transaction that only reads: all of its reads see the same commit.
  func readTransaction<Result>(_ body: () throws -> Result) throws -> Result {
    try begin("BEGIN DEFERRED")
    defer { rollback() }
    return try body()
  }

  /// Calls the closure so that all of its reads see the same commit, whether a transaction is open or not.
  func inOneView<Result>(_ body: () throws -> Result) throws -> Result {
    isAutocommitting ? try readTransaction(body) : try body()
  }

  private func begin(_ sql: String) throws {
    endLeftover()
    // Inside a transaction that SQLite has ended, this is refused as every other statement is.
    try execute(sql)
    transactionState = TransactionState(isOpen: true)
  }

  /// Ends a transaction that no closure is in: one whose end has failed.
  private func endLeftover() {
    guard !transactionState.isOpen, !isAutocommitting else { return }
    executeRegardless("ROLLBACK")
  }

  private func commit() throws {
    if let failure = transactionState.failure { throw failure }
    do {
      try execute("COMMIT")
    } catch let error as StoreError where error.code == .referenced {
      // The transaction is still open: what refers to nothing can be found.
      throw danglingReference() ?? error
    }
    transactionState = TransactionState()
    keepWrites()
  }

  /// Ends an open transaction, if an error has not ended it already.
  ///
  /// Where SQLite cannot roll back, the transaction stays open, and whoever lent the connection closes it: ``comeToRest()``.
  func rollback() {
    transactionState = TransactionState()
    dropWrites()
    documents.didRollBack(isOver: true)
    countsAttachments = false
    guard !isAutocommitting else { return }
    executeRegardless("ROLLBACK")
  }

  /// Notices when SQLite has ended the transaction on its own, and from then on refuses what belongs to it: outside of a transaction each further
  /// statement would be committed by itself.
  ///
  /// - Throws: The first error of the transaction, as the reason.
  func checkTransaction() throws {
    guard transactionState.isOpen, isAutocommitting || transactionState.failure != nil else { return }
    let failure = transactionState.failure ?? StoreError(.unsupported, "SQL inside the closure ended the transaction.")
    transactionState.failure = failure
    throw Self.refusal(after: failure)
  }

  /// Remembers the error after which SQLite has rolled back by itself.
  func noteFailure(_ error: any Error) {
    guard transactionState.isOpen, transactionState.failure == nil, isAutocommitting else { return }
    transactionState.failure = error
  }

  private static func refusal(after failure: any Error) -> any Error {
    guard let failure = failure as? StoreError else { return failure }
    return StoreError(
      failure.code, model: failure.model, property: failure.property,
      "An earlier error has ended this transaction, and nothing of it is kept; let the closure throw, and begin again. The error: \(failure.message)")
  }

  // MARK: Savepoints

  /// Calls the closure in a savepoint: an error undoes what it did, and what was done before stays.
  func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
    endLeftover()
    // One outside of a transaction is a transaction itself.
    let isOutermost = isAutocommitting && !transactionState.isOpen
    let name = "larder_\(transactionState.savepointDepth + 1)"
    try execute("SAVEPOINT \(name)")
    if isOutermost { transactionState = TransactionState(isOpen: true) }
    transactionState.savepointDepth += 1
    do {
      let result = try body()
      if let failure = transactionState.failure { throw Self.refusal(after: failure) }
      try execute("RELEASE \(name)")
      transactionState.savepointDepth -= 1
      if isOutermost {
        transactionState = TransactionState()
        keepWrites()
      }
      return result
    } catch {
      transactionState.savepointDepth -= 1
      if isOutermost { rollback() } else { undo(to: name, after: error) }
      throw error
    }
  }

  private func undo(to name: String, after error: any Error) {
    documents.didRollBack(isOver: false)
    countsAttachments = false
    guard !isAutocommitting else { return noteFailure(error) }
    guard let failure = executeRegardless("ROLLBACK TO \(name)") ?? executeRegardless("RELEASE \(name)") else { return }
    // What could not be undone must not be committed with the rest.
    if transactionState.isOpen, transactionState.failure == nil { transactionState.failure = failure }
  }

  // MARK: At rest

  /// Executes a statement that undoes something, whatever interruption is requested.
  ///
  /// - Returns: The error if it failed.
  @discardableResult
  private func executeRegardless(_ sql: String) -> (any Error)? {
    interruption.shielded {
      do {
        let statement = try keptStatement(sql)
        defer { statement.reset() }
        let result = sqlite3_step(statement.pointer)
        return result == SQLITE_DONE || result == SQLITE_ROW ? nil : StoreError(ResultCode(result), on: handle, context: nil, isExecuting: true)
      } catch {
        return error
      }
    }
  }

  /// Whether no transaction is open, not even that of a statement that was left in the middle of its rows.
  var isAtRest: Bool { isAutocommitting && sqlite3_txn_state(handle, nil) == SQLITE_TXN_NONE }

  /// Ends whatever the last use of the connection has left open.
  ///
  /// - Returns: Whether nothing is open any longer. Otherwise the connection must be closed: what it would write might never be committed.
  func comeToRest() -> Bool {
    if transactionState.isOpen { rollback() }
    if needsSettling { settle() }
    if isAtRest { return true }
    resetStatements()
    rollback()
    settle()
    return isAtRest
  }

  /// Lets a harmless read meet the error that SQLite keeps after a file could not be written or read, until a statement has ended with it.
  private func settle() {
    needsSettling = false
    _ = executeRegardless("SELECT 1 FROM sqlite_master LIMIT 1")
  }
}
