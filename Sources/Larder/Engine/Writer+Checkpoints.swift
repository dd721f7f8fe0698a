import Dispatch
import GRDBSQLite
import Logging

/// Keeps the write-ahead log short. See ``CheckpointPolicy``.
extension Writer {
  /// How long an idle store waits before it tries again to truncate a large log.
  private static let idleInterval = DispatchTimeInterval.milliseconds(300)

  /// Moves the log into the file on the writer's queue, between two writes, and releases the writer.
  func checkpoint() {
    defer { releaseWithoutCheckpoint() }
    guard let connection = try? connection() else { return }
    let pages = connection.walPages
    let (mode, patience) = checkpoints.attempt(pages)
    let outcome = connection.checkpoint(mode, patience: patience)
    if outcome.isEmptied {
      checkpoints.didEmpty()
    } else {
      checkpoints.didNotEmpty(pages, mode)
      if outcome.result & 0xFF == SQLITE_OK || outcome.result & 0xFF == SQLITE_BUSY, checkpoints.isWorthReporting(pages)
      {
        settings.log?.warning(
          "readers that overlap without end keep the write-ahead log from being emptied",
          metadata: ["bytes": "\(checkpoints.bytes(pages))"])
      }
    }
    report(outcome, on: connection)
    if mode != .truncate || !outcome.isEmptied { emptyWhenIdle(pages) }
  }

  /// Reports a failed checkpoint to the log, once until one succeeds again.
  private func report(_ outcome: Connection.CheckpointOutcome, on connection: Connection) {
    switch outcome.result & 0xFF {
    case SQLITE_OK: isCheckpointFailing = false
    case SQLITE_BUSY, SQLITE_LOCKED: break
    default:
      guard !isCheckpointFailing else { return }
      isCheckpointFailing = true
      settings.log?.error(
        "the write-ahead log cannot be moved into the file; it grows until that succeeds",
        metadata: ["code": "\(outcome.result)", "reason": "\(String(cString: sqlite3_errmsg(connection.handle)))"])
    }
  }

  /// Truncates a large log as soon as the store is idle.
  private func emptyWhenIdle(_ pages: Int32) {
    guard checkpoints.bytes(pages) > CheckpointPolicy.keptBytes, checkpointTimer == nil else { return }
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + Self.idleInterval, repeating: Self.idleInterval, leeway: .milliseconds(20))
    timer.setEventHandler { [weak self] in self?.emptyIfIdle() }
    checkpointTimer = timer
    timer.resume()
  }

  private func emptyIfIdle() {
    // The current writer checks the log itself.
    guard (try? takeIfFree()) == true else { return }
    defer { releaseWithoutCheckpoint() }
    guard let connection = try? connection(), !connection.environment.gate.isSuspended else { return }
    let outcome = connection.checkpoint(.truncate, patience: 0)
    report(outcome, on: connection)
    guard outcome.isEmptied else { return }
    checkpoints.didEmpty()
    checkpointTimer?.cancel()
    checkpointTimer = nil
  }

  /// Moves the whole log into the file and truncates it.
  ///
  /// - Throws: ``StoreError`` `.busy` if readers or other processes use the log for longer than the busy timeout.
  func checkpointNow(_ connection: Connection) throws {
    guard settings.hasLog else { return }
    let outcome = connection.checkpoint(.truncate, patience: busyTimeout)
    guard !outcome.isEmptied else { return checkpoints.didEmpty() }
    if outcome.result & 0xFF == SQLITE_BUSY {
      throw StoreError(
        .busy,
        "Readers use the write-ahead log for longer than Store.Configuration.busyTimeout. Try again when they are done, or raise it."
      )
    }
    throw connection.error(outcome.result, nil)
  }
}
