extension Store {
  /// Lets go of the file's locks until ``resume()``, so that the system need not end an app that it suspends.
  ///
  /// iOS ends an app that is suspended while it holds a lock on a file that it shares with others (`0xdead10cc`). Call this when the app goes to the
  /// background, and from the expiration handlers of its background tasks. It returns at once, and may be called from any thread:
  ///
  /// - A transaction at work is interrupted and rolled back; its call throws `.suspended`. A closure that is busy with something else is stopped at its
  ///   next call to the store, or when it returns. What was committed stays.
  /// - Calls that write throw `.suspended`, ``Context/save()`` too. Checkpoints, the sweeping of expired rows and the collecting of attachments wait.
  /// - Calls that read go on, because readers of a write-ahead log lock nothing that matters. A file of another journal mode, which
  ///   `schema: .existing` can open, is not read either.
  ///
  /// A store in memory has no file, and takes no notice.
  public func suspend() {
    guard path != nil else { return }
    environment.gate.suspend()
  }

  /// Lets calls write again after ``suspend()``.
  public func resume() {
    environment.gate.resume()
  }

  /// Whether ``suspend()`` was called and ``resume()`` was not.
  public var isSuspended: Bool { environment.gate.isSuspended }
}
