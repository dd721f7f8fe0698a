import DequeModule
import Dispatch
import Foundation
import GRDBSQLite
import Synchronization

/// The one connection that writes, and the line of those who wait for it.
///
/// Whoever comes while it is free uses it at once, on the thread it is on: a single save is a few microseconds, less than a change of
/// threads. Whoever comes while it is in use waits in line. Single saves that wait next to each other are committed together.
/// Transactions, waits for other processes and checkpoints happen on the writer's own queue, never on a thread of Swift's pool.
final class Writer: Sendable {
  private let connection: Connection
  private let queue = DispatchQueue(label: "larder.writer")
  private let busyTimeout: Int32
  /// Whether a single save may run on the caller's thread: not where each commit waits for the disk.
  private let runsInline: Bool
  private let line = Mutex(Line())
  private let observers: LiveRegistry

  private struct Line {
    var isHeld = false
    /// The thread that holds the writer in a closure of the user's.
    var holder: ObjectIdentifier?
    var waiting = Deque<Waiter>()
    var isCheckpointing = false
  }

  private enum Waiter {
    /// Takes over the writer, and releases it in the end.
    case exclusive(@Sendable () -> Void)
    case grouped(any GroupedWrite)
  }

  /// The size of the write-ahead log at which its pages go back into the file: SQLite's default.
  private static let checkpointPages: Int32 = 1000

  init(connection: Connection, busyTimeout: Duration, runsInline: Bool, observers: LiveRegistry) {
    self.connection = connection
    self.busyTimeout = busyTimeout.milliseconds
    self.runsInline = runsInline
    self.observers = observers
    sqlite3_wal_hook(
      connection.handle,
      { context, _, _, pages in
        if let context { Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().walPages = pages }
        return SQLITE_OK
      }, Unmanaged.passUnretained(connection).toOpaque())
  }

  // MARK: Holding the writer

  /// Calls the closure while nobody else uses the writer. Blocks until it is free.
  func withConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let me = ObjectIdentifier(Thread.current)
    if line.withLock({ $0.holder == me }) {
      throw StoreError(
        .unsupported, "A call that waits for the store was made from inside its own write; use the transaction that the closure is given.")
    }
    if !takeIfFree() {
      let turn = DispatchSemaphore(value: 0)
      enqueue(.exclusive { turn.signal() })
      turn.wait()
    }
    line.withLock { $0.holder = me }
    defer {
      line.withLock { $0.holder = nil }
      release()
    }
    connection.setBusyTimeout(busyTimeout)
    return try committing { try body(connection) }
  }

  /// Calls the closure on the writer's queue while nobody else uses the writer.
  func perform<Result: Sendable>(_ body: @escaping @Sendable (Connection, Job<Result>) throws -> Result) async throws -> Result {
    try Task.checkCancellation()
    let job = Job<Result>()
    return try await job.result {
      let turn: @Sendable () -> Void = {
        self.queue.async {
          let me = ObjectIdentifier(Thread.current)
          self.line.withLock { $0.holder = me }
          self.connection.setBusyTimeout(self.busyTimeout)
          job.run(on: self.connection) { try self.committing { try body(self.connection, job) } }
          self.line.withLock { $0.holder = nil }
          self.release()
        }
      }
      if takeIfFree() { turn() } else { enqueue(.exclusive(turn)) }
    }
  }

  /// Executes one statement: at once where the writer is free, together with others where it is not.
  func performStatement<Result: Sendable>(_ operation: @escaping @Sendable (Connection) throws -> Result) async throws -> Result {
    try Task.checkCancellation()
    if runsInline, takeIfFree() {
      connection.setBusyTimeout(0)
      do {
        defer { release() }
        return try committing { try operation(connection) }
      } catch let error as StoreError where error.code == .busy {
        // Another process has the lock: wait for it on the writer's queue.
      }
    }
    let write = StatementWrite(operation)
    return try await write.job.result {
      if takeIfFree() { queue.async { self.run([write]) } } else { enqueue(.grouped(write)) }
    }
  }

  /// Whether another connection has committed since the last call; nil while the writer is in use: ask again.
  func hasForeignCommits() -> Bool? {
    guard takeIfFree() else { return nil }
    defer { release() }
    return connection.hasForeignCommits()
  }

  private func takeIfFree() -> Bool {
    line.withLock { line in
      if line.isHeld { return false }
      line.isHeld = true
      return true
    }
  }

  /// Stands in line, unless the writer became free meanwhile.
  private func enqueue(_ waiter: Waiter) {
    let isFree = line.withLock { line in
      if line.isHeld {
        line.waiting.append(waiter)
        return false
      }
      line.isHeld = true
      return true
    }
    guard isFree else { return }
    switch waiter {
    case .exclusive(let turn): turn()
    case .grouped(let write): queue.async { self.run([write]) }
    }
  }

  /// Hands the writer to the next in line, or leaves it free.
  private func release() {
    let needsCheckpoint = connection.walPages >= Self.checkpointPages
    enum Next {
      case nobody
      case exclusive(@Sendable () -> Void)
      case group([any GroupedWrite])
    }
    let next = line.withLock { line -> Next in
      if needsCheckpoint, !line.isCheckpointing {
        line.isCheckpointing = true
        return .exclusive { self.queue.async { self.checkpoint() } }
      }
      switch line.waiting.popFirst() {
      case nil:
        line.isHeld = false
        return .nobody
      case .exclusive(let turn): return .exclusive(turn)
      case .grouped(let first):
        var group: [any GroupedWrite] = [first]
        while case .grouped(let write) = line.waiting.first {
          group.append(write)
          line.waiting.removeFirst()
        }
        return .group(group)
      }
    }
    switch next {
    case .nobody: break
    case .exclusive(let turn): turn()
    case .group(let writes): queue.async { self.run(writes) }
    }
  }

  // MARK: Committing

  /// Calls the closure, and tells what it wrote once it is committed.
  private func committing<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      let result = try body()
      if observers.isEmpty {
        connection.forgetWrites()
      } else {
        observers.didCommit(connection.takeWrites())
      }
      return result
    } catch {
      connection.forgetWrites()
      throw error
    }
  }

  /// Executes the statements in one transaction and answers each caller after the commit. A statement that fails is undone alone.
  private func run(_ writes: [any GroupedWrite]) {
    connection.setBusyTimeout(busyTimeout)
    // A call that was cancelled while it stood in line never starts.
    let writes = writes.filter { $0.start() }
    if writes.count == 1 || !runTogether(writes) {
      for write in writes { write.execute { operation in try committing { try operation(connection) } } }
    }
    release()
    for write in writes { write.answer() }
  }

  /// False where the transaction as a whole failed: nothing of it was kept.
  private func runTogether(_ writes: [any GroupedWrite]) -> Bool {
    guard !writes.isEmpty else { return true }
    do {
      try committing {
        try connection.transaction {
          for write in writes {
            write.execute { operation in try operation(connection) }
            // A full disk, say, has ended the whole transaction.
            if connection.isAutocommitting { throw ResultCode(SQLITE_ABORT) }
          }
        }
      }
      return true
    } catch let error as StoreError where error.code == .busy {
      // Nobody's turn would come sooner by waiting once more for each.
      for write in writes { write.execute { _ in throw error } }
      return true
    } catch {
      return false
    }
  }

  /// Moves the write-ahead log into the file, as far as readers let it. What cannot be moved now is moved later.
  private func checkpoint() {
    connection.walPages = 0
    sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    line.withLock { $0.isCheckpointing = false }
    release()
  }
}

extension Duration {
  /// Whole milliseconds, at least zero and at most what a C int holds.
  var milliseconds: Int32 {
    let (seconds, attoseconds) = components
    return Int32(clamping: max(0, seconds.multipliedReportingOverflow(by: 1000).partialValue + attoseconds / 1_000_000_000_000_000))
  }
}
