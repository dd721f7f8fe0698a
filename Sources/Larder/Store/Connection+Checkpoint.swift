import GRDBSQLite

extension Connection {
  /// What came of a checkpoint.
  struct CheckpointOutcome: Sendable {
    /// SQLite's result code.
    let result: Int32
    /// Whether the next commit begins the log anew, or there is none.
    let isEmptied: Bool
  }

  /// Moves what the write-ahead log holds into the file.
  ///
  /// - Parameters:
  ///   - mode: Whether readers are waited for, and the log's space is given back.
  ///   - patience: How long they are waited for, in milliseconds.
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
