extension Store {
  /// Releases the file's locks until ``resume()``, so that iOS doesn't terminate an app that it suspends.
  ///
  /// iOS terminates an app that is suspended while it holds a lock on a file in a shared container (`0xdead10cc`). Call
  /// this method when the app enters the background, and from the expiration handlers of its background tasks. It
  /// returns immediately, and may be called from any thread:
  ///
  /// - The current transaction is interrupted and rolled back; its call throws `.suspended`. A closure that isn't
  ///   executing SQL is stopped at its next call to the store, or when it returns. Committed changes stay.
  /// - Calls that write throw `.suspended`, ``Context/save()`` included. Checkpoints, the deletion of expired rows and
  ///   the removal of unused attachments wait.
  /// - Reads continue, because the locks of a reader of a write-ahead log don't matter to iOS. A file with another
  ///   journal mode, which `schema: .existing` can open, can't be read either.
  ///
  /// It has no effect on an in-memory store.
  public func suspend() {
    guard path != nil else { return }
    environment.gate.suspend()
  }

  /// Allows writes again after ``suspend()``.
  public func resume() {
    environment.gate.resume()
  }

  /// Whether the store is suspended: ``suspend()`` was called, and ``resume()`` wasn't called since.
  public var isSuspended: Bool { environment.gate.isSuspended }
}
