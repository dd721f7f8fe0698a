/// A store's verbs without `await`, for synchronous code: ``Store/blocking``.
///
/// Every call blocks its thread until it is done. In asynchronous code use the verbs of ``Store`` itself.
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

  /// Calls the closure with one consistent view of the store.
  public func read<Result>(_ body: (Snapshot) throws -> Result) throws -> Result {
    try store.withReader { try Snapshot.reading($0, body) }
  }

  /// Calls the closure in a transaction. Any error rolls all of it back and is thrown on.
  ///
  /// - Throws: ``StoreError`` `.unsupported` where it is called inside another write of the same store.
  public func write<Result>(_ body: (Transaction) throws -> Result) throws -> Result {
    try store.withWriter { try Transaction.writing($0, body) }
  }

  /// Calls the closure in a transaction if it never was for this name in this file, by any process; answers whether it was called.
  @discardableResult
  public func once(_ name: String, _ body: (Transaction) throws -> Void) throws -> Bool {
    try store.withWriter { try Transaction.once(name, $0, body: body) }
  }

  /// Closes the store: see ``Store/close()``. It blocks until all work is done.
  ///
  /// - Throws: ``StoreError`` `.unsupported` if it is called inside a closure that reads from or writes to a store, which it would wait for.
  public func close() throws {
    guard ThreadHoldings.areNone else {
      throw StoreError(
        .unsupported, "close() was called inside a closure of a store, for which it would wait. Call it when the closure has returned.")
    }
    let turn = Turn<Void>()
    store.close { _ = turn.grant(()) }
    _ = turn.wait(limit: nil)
  }

  /// Moves what the write-ahead log holds into the file, and gives the log's space back: see ``Store/checkpoint()``.
  ///
  /// - Throws: ``StoreError`` `.busy` if readers use the log for longer than the busy timeout.
  public func checkpoint() throws {
    try store.withWriter { try store.writer.checkpointNow($0) }
  }

  /// Writes a copy of the store, as it is at this moment, to a new file.
  public func backup(to location: some StoreLocation) throws {
    try store.withBackupConnection { try StoreBackup.write($0, to: location) }
  }
}
