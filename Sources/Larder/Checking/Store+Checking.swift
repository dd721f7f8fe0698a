extension Store {
  /// Checks the whole file, and reports what is wrong. Nothing is changed.
  ///
  /// ```swift
  /// let report = try await store.check { progress in print(progress.step, progress.completed, "of", progress.total) }
  /// ```
  ///
  /// The check covers pages and indexes (`PRAGMA integrity_check`), references (`PRAGMA foreign_key_check`), `CHECK`
  /// constraints of other programs, `@Derived` properties, the data of attachments, full-text indexes, the form of JSON,
  /// triggers and indexes that are missing, values that their properties can't hold, and documents, and texts of tables
  /// without a model, that can't be read. It uses its own connection and thread, so reads and writes continue; in an
  /// in-memory store they wait. Damage is reported as a finding, not thrown, as far as SQLite can continue.
  ///
  /// - Parameters:
  ///   - limit: The number of findings of each kind to report; the others are only counted.
  ///   - progress: Called before each part, and after the last, on the thread that checks.
  /// - Returns: The report.
  /// - Throws: ``StoreError`` with the codes of any read if the file can't be read at all; `CancellationError`.
  /// - Complexity: Reads the whole file and all attachments, in constant memory; rows of tables with `CHECK` constraints
  ///   once more, and each is inserted into a table in memory.
  public func check(
    limit: Int = 100, progress: (@Sendable (StoreReport.Progress) -> Void)? = nil
  ) async throws -> StoreReport {
    let storage = environment.attachments
    guard path != nil else {
      return try await writer.perform { try StoreCheck.report(on: $0, storage, limit: limit, progress: progress) }
    }
    do {
      return try await lifetime.working {
        let connection = try makeReader()
        defer { connection.close() }
        return try await BackgroundWork.run(on: connection) {
          try StoreCheck.report(on: $0, storage, limit: limit, progress: progress)
        }
      }
    } catch let error as StoreError where StoreCheck.isDamage(error) {
      return StoreCheck.report(ofFileThatCannotBeOpened: error)
    }
  }
}

extension BlockingStore {
  /// Checks the whole file, and reports what is wrong. See ``Store/check(limit:progress:)``.
  ///
  /// - Parameters:
  ///   - limit: The number of findings of each kind to report; the others are only counted.
  ///   - progress: Called before each part, and after the last.
  /// - Returns: The report.
  /// - Throws: The errors of ``Store/check(limit:progress:)``.
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
