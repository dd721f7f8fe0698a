extension Store {
  /// Looks at the whole file, and reports what is not as it should be. Nothing is changed.
  ///
  /// ```swift
  /// let report = try await store.check { progress in print(progress.step, progress.completed, "of", progress.total) }
  /// ```
  ///
  /// It looks at the pages and indexes (`PRAGMA integrity_check`), the references (`PRAGMA foreign_key_check`), the `@Derived` properties, the bytes of
  /// attachments, and the full-text indexes. It works on a connection and a thread of its own, so that reads and writes go on; in a store in memory they
  /// wait. A damaged file is a finding and no error, as far as SQLite can go on.
  ///
  /// - Parameters:
  ///   - limit: How many findings of each kind the report keeps; more are counted.
  ///   - progress: Called before each part, and after the last, on the thread that checks.
  /// - Throws: ``StoreError`` `.inputOutput`, `.busy` and the like, where the file cannot be read at all; `.closed`; `CancellationError`.
  /// - Complexity: Reads the whole file and all attachments, in memory that does not grow with them.
  public func check(limit: Int = 100, progress: (@Sendable (StoreReport.Progress) -> Void)? = nil) async throws -> StoreReport {
    let storage = environment.attachments
    guard path != nil else {
      return try await writer.perform { try StoreCheck.report(on: $0, storage, limit: limit, progress: progress) }
    }
    do {
      return try await lifetime.working {
        let connection = try makeReader()
        defer { connection.close() }
        return try await BackgroundWork.run(on: connection) { try StoreCheck.report(on: $0, storage, limit: limit, progress: progress) }
      }
    } catch let error as StoreError where StoreCheck.isDamage(error) {
      return StoreCheck.report(ofFileThatCannotBeOpened: error)
    }
  }
}

extension BlockingStore {
  /// Looks at the whole file, and reports what is not as it should be; as ``Store/check(limit:progress:)``.
  public func check(limit: Int = 100, progress: ((StoreReport.Progress) -> Void)? = nil) throws -> StoreReport {
    do {
      return try store.withBackupConnection {
        try StoreCheck.report(on: $0, store.environment.attachments, limit: limit, progress: progress)
      }
    } catch let error as StoreError where StoreCheck.isDamage(error) {
      return StoreCheck.report(ofFileThatCannotBeOpened: error)
    }
  }
}
