extension Store {
  /// Closes the store and its file.
  ///
  /// Calls made before this one are completed first, including those still waiting. Every later call throws
  /// ``StoreError`` `.closed`. Live results end with that error, and so do streams with rows left to read. A
  /// ``Context`` throws it as well, and closes its own connection when it is released. Closing a closed store has no
  /// effect.
  ///
  /// A store closes its file when it is released. Call `close()` if the file must be released at a certain moment:
  /// before you move or delete it, or before another program opens it.
  public func close() async {
    await withCheckedContinuation { continuation in
      close { continuation.resume() }
    }
  }

  /// Whether ``close()`` was called.
  public var isClosed: Bool { lifetime.isClosed }

  /// Moves the contents of the write-ahead log into the file, and truncates the log.
  ///
  /// Larder does so itself, while it writes and soon after the store becomes idle. Call this method before you copy the
  /// file by other means.
  ///
  /// - Throws: ``StoreError`` `.busy` if readers, or other processes, use the log for longer than the busy timeout;
  ///   `.inputOutput`, `.diskFull`.
  public func checkpoint() async throws {
    try await writer.perform { [writer] in try writer.checkpointNow($0) }
  }

  func close(_ completion: @escaping @Sendable () -> Void) {
    func refuse() {
      writer.refuse()
      readers?.refuse()
    }
    lifetime.close(completion, refuse: refuse) { done in
      services.stop()
      let (writer, features) = (writer, environment.features)
      let closeWriter: @Sendable () -> Void = {
        writer.close {
          features.forEach { $0.didClose() }
          done()
        }
      }
      // SQLite removes the log only if the last connection that it closes may write.
      if let readers { readers.close(closeWriter) } else { closeWriter() }
    }
  }
}

extension Connection {
  /// Whether the file has a write-ahead log.
  func hasWriteAheadLog() throws -> Bool {
    try query("PRAGMA journal_mode").first?.first?.value == "wal"
  }
}
