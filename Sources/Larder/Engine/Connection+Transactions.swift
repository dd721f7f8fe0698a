import GRDBSQLite

/// The state of the transaction that a closure of the program is in.
struct TransactionState {
  /// Whether a closure of the program is in a transaction.
  var isOpen = false
  /// The error with which SQLite ended that transaction early, as it does on a full disk; nil if it hasn't.
  var failure: (any Error)?
  /// The number of nested savepoints.
  var savepointDepth = 0
  /// Objects that live until the transaction ends, such as the file lock of an attachment, by the type of the feature.
  var kept: [ObjectIdentifier: AnyObject] = [:]
}

extension Connection {
  // MARK: Transactions

  /// Calls the closure in a transaction that takes the write lock at once, and rolls it back on any error.
  ///
  /// An interruption before the commit is such an error, even if the closure caught it. So is one after which SQLite
  /// has rolled back by itself.
  func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try begin("BEGIN IMMEDIATE")
    transactionNumber += 1
    do {
      let result = try body()
      try commit()
      return result
    } catch let refusal as CommitRefusal {
      rollback()
      throw missingTarget(refusal)
    } catch {
      rollback()
      throw error
    }
  }

  /// Calls the closure in a read-only transaction: all of its reads see the same commit.
  func readTransaction<Result>(_ body: () throws -> Result) throws -> Result {
    try begin("BEGIN DEFERRED")
    defer { rollback() }
    return try body()
  }

  /// Calls the closure so that all of its reads see the same commit, whether or not a transaction is open.
  func inOneView<Result>(_ body: () throws -> Result) throws -> Result {
    isAutocommitting ? try readTransaction(body) : try body()
  }

  private func begin(_ sql: String) throws {
    endLeftover()
    // In a transaction that SQLite has ended, this fails like every other statement.
    try execute(sql)
    transactionState = TransactionState(isOpen: true)
  }

  /// Ends a transaction that no closure is in, because an earlier attempt to end it failed.
  private func endLeftover() {
    guard !transactionState.isOpen, !isAutocommitting else { return }
    executeRegardless("ROLLBACK")
  }

  private func commit() throws {
    if let failure = transactionState.failure { throw failure }
    do {
      try execute("COMMIT")
    } catch let error as StoreError where error.code == .referenced {
      // The transaction is still open, so the dangling reference can be found.
      throw CommitRefusal(error: error, rows: danglingRows())
    }
    transactionState = TransactionState()
    keepWrites()
  }

  /// Ends an open transaction, unless an error has ended it already.
  ///
  /// If SQLite can't roll back, the transaction stays open, and the connection's lender closes it. See
  /// ``comeToRest()``.
  func rollback() {
    transactionState = TransactionState()
    dropWrites()
    environment.features.didRollBack(self, isOver: true)
    guard !isAutocommitting else { return }
    executeRegardless("ROLLBACK")
  }

  /// Detects that SQLite has ended the transaction on its own, and from then on rejects its statements: outside of a
  /// transaction each would be committed by itself.
  ///
  /// - Throws: The first error of the transaction, as the reason.
  func checkTransaction() throws {
    guard transactionState.isOpen, isAutocommitting || transactionState.failure != nil else { return }
    let failure = transactionState.failure ?? StoreError(.unsupported, "SQL inside the closure ended the transaction.")
    transactionState.failure = failure
    throw Self.refusal(after: failure)
  }

  /// Records the error after which SQLite has rolled back by itself.
  func noteFailure(_ error: any Error) {
    guard transactionState.isOpen, transactionState.failure == nil, isAutocommitting else { return }
    transactionState.failure = error
  }

  private static func refusal(after failure: any Error) -> any Error {
    guard let failure = failure as? StoreError else { return failure }
    return StoreError(
      failure.code, model: failure.model, property: failure.property,
      "An earlier error has ended this transaction, and nothing of it is kept; let the closure throw, and begin again. The error: \(failure.message)"
    )
  }

  // MARK: Savepoints

  /// Calls the closure in a savepoint, and rolls back to it if the closure throws.
  func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
    endLeftover()
    // A savepoint outside of a transaction is a transaction itself.
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
    environment.features.didRollBack(self, isOver: false)
    guard !isAutocommitting else { return noteFailure(error) }
    guard let failure = executeRegardless("ROLLBACK TO \(name)") ?? executeRegardless("RELEASE \(name)") else { return }
    // What couldn't be undone must not be committed with the rest.
    if transactionState.isOpen, transactionState.failure == nil { transactionState.failure = failure }
  }

  // MARK: At rest

  /// Executes a statement that undoes something, ignoring interruptions.
  ///
  /// - Returns: The error if it failed.
  @discardableResult
  private func executeRegardless(_ sql: String) -> (any Error)? {
    interruption.shielded {
      do {
        let statement = try keptStatement(sql)
        defer { statement.reset() }
        let result = sqlite3_step(statement.pointer)
        return result == SQLITE_DONE || result == SQLITE_ROW
          ? nil : StoreError(ResultCode(result), on: handle, context: nil, isExecuting: true)
      } catch {
        return error
      }
    }
  }

  /// Whether no transaction is open, including that of a statement with rows left to read.
  var isAtRest: Bool { isAutocommitting && sqlite3_txn_state(handle, nil) == SQLITE_TXN_NONE }

  /// Ends what the last use of the connection has left open.
  ///
  /// - Returns: Whether nothing is open any longer. If false, close the connection: what it would write might never be
  ///   committed.
  func comeToRest() -> Bool {
    if transactionState.isOpen { rollback() }
    if needsSettling { settle() }
    if isAtRest, unfinishedCleanups.isEmpty { return true }
    resetStatements()
    rollback()
    settle()
    let cleanups = unfinishedCleanups
    unfinishedCleanups = []
    for sql in cleanups { cleanUp(sql) }
    return isAtRest && unfinishedCleanups.isEmpty
  }

  /// Executes a statement that undoes what the library changed for a while. Neither a cancellation nor the end of the
  /// transaction keeps it from being executed.
  ///
  /// If it fails, the transaction fails as well, and ``comeToRest()`` executes it again.
  ///
  /// - Parameter sql: A statement that may be executed twice.
  func cleanUp(_ sql: String) {
    guard let error = executeRegardless(sql) else { return }
    unfinishedCleanups.append(sql)
    if transactionState.isOpen, transactionState.failure == nil { transactionState.failure = error }
  }

  /// Executes a harmless read, which takes the error that SQLite keeps after a file could not be read or written.
  private func settle() {
    needsSettling = false
    _ = executeRegardless("SELECT 1 FROM sqlite_master LIMIT 1")
  }
}
