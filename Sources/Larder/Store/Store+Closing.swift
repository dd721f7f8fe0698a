extension Store {
  /// Closes the store and its file.
  ///
  /// Calls that came before are done first, those that stand in line among them; every call that comes afterwards throws ``StoreError`` `.closed`.
  /// Sequences of live results end with that error, and so do streams in the middle of their rows. A ``Context`` throws it as well, and closes its
  /// own connection when it is released. Closing a closed store does nothing.
  ///
  /// A store that is not closed closes its file when it is released. Close it where the file must be free at a certain moment: before it is moved
  /// or deleted, or another program opens it.
  public func close() async {
    await withCheckedContinuation { continuation in
      close { continuation.resume() }
    }
  }

  /// Whether ``close()`` was called.
  public var isClosed: Bool { lifetime.isClosed }

  /// Moves what the write-ahead log holds into the file, and gives the log's space back.
  ///
  /// Larder does that by itself: while it writes, and soon after the store has become idle. Call it before the file is copied by other means.
  ///
  /// - Throws: ``StoreError`` `.busy` if readers, or other processes, use the log for longer than the busy timeout; `.inputOutput`, `.diskFull`.
  public func checkpoint() async throws {
    try await writer.perform { [writer] in try writer.checkpointNow($0) }
  }

  func close(_ completion: @escaping @Sendable () -> Void) {
    lifetime.close(completion) { done in
      sweeper.stop()
      attachmentCollector.stop()
      let (writer, live, attachments) = (writer, live, environment.attachments)
      let closeWriter: @Sendable () -> Void = {
        writer.close {
          attachments.end()
          // Who waits for commits reads once more, and is told that the store was closed.
          live.wakeAll()
          done()
        }
      }
      // SQLite clears the log away only if the last connection that it closes is one that may write.
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
