/// A store's methods without `await`, for synchronous code. See ``Store/blocking``.
///
/// Every call blocks its thread until it is done. In asynchronous code, use the methods of ``Store``.
public struct BlockingStore: StoreWriter, Sendable {
  let store: Store

  public func _read<Result>(isReentrant: Bool, _ body: (ReadAccess) throws -> Result) throws -> Result {
    do {
      return try store.withReader { try body(ReadAccess(connection: $0)) }
    } catch is WriteNeeded {
      return try store.withWriter { try body(ReadAccess(connection: $0)) }
    }
  }

  public func _write<Result>(isAtomic: Bool, _ body: (WriteAccess) throws -> Result) throws -> Result {
    try store.withWriter { connection in
      let access = WriteAccess(connection: connection)
      return isAtomic ? try connection.transaction { try body(access) } : try body(access)
    }
  }

  /// Calls the closure with a consistent view of the store: all of its reads see the same commit.
  ///
  /// - Parameter body: The closure.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, and the errors of any read.
  public func read<Result>(_ body: (Snapshot) throws -> Result) throws -> Result {
    try store.withReader { try Snapshot.reading($0, body) }
  }

  /// Calls the closure in a transaction, and rolls it back if the closure throws.
  ///
  /// - Parameter body: The closure. It reads and writes with its argument.
  /// - Returns: What `body` returns, after the commit.
  /// - Throws: What `body` throws, the errors of any write, and ``StoreError`` `.unsupported` inside another write of
  ///   the same store.
  public func write<Result>(_ body: (Transaction) throws -> Result) throws -> Result {
    try store.withWriter { try Transaction.writing($0, body) }
  }

  /// Runs the closure in a transaction, at most once for this name in this file, across all processes.
  ///
  /// - Parameters:
  ///   - name: The name under which the file records the call.
  ///   - body: The closure.
  /// - Returns: `true` if the closure ran; `false` if the name was already recorded.
  /// - Throws: The errors of ``write(_:)``.
  @discardableResult
  public func once(_ name: String, _ body: (Transaction) throws -> Void) throws -> Bool {
    try store.withWriter { try Transaction.once(name, $0, body: body) }
  }

  /// Closes the store, and blocks until the calls in progress are done. See ``Store/close()``.
  ///
  /// - Throws: ``StoreError`` `.unsupported` inside a closure that reads from or writes to a store, because `close()`
  ///   would wait for that closure.
  public func close() throws {
    guard ThreadHoldings.areNone else {
      throw StoreError(
        .unsupported,
        "close() was called inside a closure of a store, for which it would wait. Call it when the closure has returned."
      )
    }
    let turn = Turn<Void>()
    store.close { _ = turn.grant(()) }
    _ = turn.wait(limit: nil)
  }

  /// Moves the contents of the write-ahead log into the file, and truncates the log. See ``Store/checkpoint()``.
  ///
  /// - Throws: ``StoreError`` `.busy` if readers, or other processes, use the log for longer than the busy timeout;
  ///   `.inputOutput`, `.diskFull`.
  public func checkpoint() throws {
    try store.withWriter { try store.writer.checkpointNow($0) }
  }

  /// Writes a copy of the store, as it is at this moment, to a new file.
  ///
  /// - Parameter location: The path of the new file.
  /// - Throws: The errors of ``Store/backup(to:)``.
  public func backup(to location: some StoreLocation) throws {
    try store.withBackupConnection { try StoreBackup.write($0, to: location) }
  }
}
