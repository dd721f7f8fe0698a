import GRDBSQLite

extension Connection {
  /// The result of a checkpoint.
  struct CheckpointOutcome: Sendable {
    /// SQLite's result code.
    let result: Int32
    /// Whether the next commit starts the log over, or there is no log.
    let isEmptied: Bool
  }

  /// Moves the contents of the write-ahead log into the file.
  ///
  /// - Parameters:
  ///   - mode: Whether to wait for readers, and to truncate the log.
  ///   - patience: How long to wait for them, in milliseconds.
  func checkpoint(_ mode: CheckpointPolicy.Mode, patience: Int32) -> CheckpointOutcome {
    setBusyTimeout(patience)
    var logged: Int32 = -1
    var moved: Int32 = -1
    let flag =
      switch mode {
      case .passive: SQLITE_CHECKPOINT_PASSIVE
      case .restart: SQLITE_CHECKPOINT_RESTART
      case .truncate: SQLITE_CHECKPOINT_TRUNCATE
      }
    let result = interruption.shielded { sqlite3_wal_checkpoint_v2(handle, "main", flag, &logged, &moved) }
    let isEmptied = result == SQLITE_OK && mode != .passive
    if isEmptied { walPages = 0 }
    return CheckpointOutcome(result: result, isEmptied: isEmptied)
  }
}
