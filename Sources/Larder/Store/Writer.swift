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
  /// The thread that writes right now, as a number, or zero: a call from one of the user's closures on it must not wait for itself.
  private let holder = Atomic<UInt>(0)

  fileprivate struct Line {
    var isHeld = false
    var waiting = Deque<Waiter>()
    var isCheckpointing = false
    /// Whether single statements stood in line lately: then the next one gathers others.
    var isContended = false
    /// Whether a task gives others the time to reach the line; it does not hold the writer meanwhile.
    var isGathering = false
    /// How many single statements ran alone since one looked for others.
    var aloneCount = 0
  }

  /// How a task that wants to write one statement begins.
  private enum Entry {
    /// The writer was free, and nobody else came lately.
    case alone
    /// The writer is free, and others are about to come.
    case leader
    /// The writer is in use, or another task gathers.
    case follower
  }

  fileprivate enum Waiter {
    /// Takes over the writer, and releases it in the end.
    case exclusive(@Sendable () -> Void)
    case grouped(any GroupedWrite)

    var isGrouped: Bool {
      if case .grouped = self { true } else { false }
    }
  }

  /// The size of the write-ahead log at which its pages go back into the file: SQLite's default.
  private static let checkpointPages: Int32 = 1000
  /// A task that saves in a loop never suspends while it is alone: after so many statements it lets other tasks run.
  private static let aloneLimit = 32
  /// So many times at most a task lets others run before it commits for all of them.
  private static let gatherLimit = 4

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
    guard holder.load(ordering: .relaxed) != Self.currentThread else {
      throw StoreError(
        .unsupported,
        "A call that waits for the store was made from inside one of its own closures; use the transaction or the snapshot that the closure is given."
      )
    }
    if !takeIfFree() {
      let turn = DispatchSemaphore(value: 0)
      enqueue(.exclusive { turn.signal() })
      turn.wait()
    }
    defer { release() }
    connection.setBusyTimeout(busyTimeout)
    return try committing { try body(connection) }
  }

  /// As ``withConnection(_:)``, and at once where a closure on this thread reads: in memory one connection serves reads inside reads.
  func withReadingConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    guard holder.load(ordering: .relaxed) == Self.currentThread, connection.isReadOnly || connection.isAutocommitting else {
      return try withConnection(body)
    }
    let wasReadOnly = connection.isReadOnly
    connection.isReadOnly = true
    defer { connection.isReadOnly = wasReadOnly }
    return try body(connection)
  }

  /// Calls the closure on the writer's queue while nobody else uses the writer.
  func perform<Result: Sendable>(_ body: @escaping @Sendable (Connection) throws -> Result) async throws -> Result {
    try Task.checkCancellation()
    let job = Job<Result>()
    return try await job.result {
      let turn: @Sendable () -> Void = {
        self.queue.async {
          self.connection.setBusyTimeout(self.busyTimeout)
          job.run(on: self.connection) { try self.committing { try body(self.connection) } }
          self.release()
        }
      }
      if takeIfFree() { turn() } else { enqueue(.exclusive(turn)) }
    }
  }

  /// Executes one statement: at once where the writer is free, together with others where it is not.
  func performStatement<Result: Sendable>(_ operation: @escaping @Sendable (Connection) throws -> Result) async throws -> Result {
    try Task.checkCancellation()
    switch runsInline ? enter() : .follower {
    case .alone:
      connection.setBusyTimeout(0)
      do {
        defer { releaseInline() }
        return try committing { try operation(connection) }
      } catch let error as StoreError where error.code == .busy {
        // Another process has the lock: wait for it on the writer's queue.
      }
    case .leader: return try await lead(operation)
    case .follower: break
    }
    let write = StatementWrite(operation)
    return try await write.job.result {
      enqueue(.grouped(write))
    }
  }

  /// Lets other tasks run until the line grows no longer.
  private func gather() async {
    var length = 0
    for _ in 0..<Self.gatherLimit {
      await Task.yield()
      let newLength = line.withLock { $0.waiting.count }
      if newLength == length { return }
      length = newLength
    }
  }

  private func enter() -> Entry {
    line.withLock { line in
      if line.isHeld || line.isGathering { return .follower }
      line.aloneCount += 1
      guard line.isContended || line.aloneCount > Self.aloneLimit else {
        line.isHeld = true
        return .alone
      }
      line.aloneCount = 0
      line.isGathering = true
      return .leader
    }
  }

  /// Lets the other tasks that are ready reach the line, and commits their statements with this one, on this thread: with many tasks
  /// saving at once no thread waits for another.
  ///
  /// The writer stays free meanwhile: calls that block all of the pool's threads must not wait for a task that needs one of them.
  private func lead<Result: Sendable>(_ operation: @escaping @Sendable (Connection) throws -> Result) async throws -> Result {
    await gather()
    let own = StatementWrite(operation)
    let followers = line.withLock { line -> [any GroupedWrite]? in
      line.isGathering = false
      // A call that blocks its thread took the writer; it will hand it on to those in line.
      if line.isHeld { return nil }
      line.isHeld = true
      let group = line.popGroup()
      // Nobody came: the next one need not wait for others.
      line.isContended = !group.isEmpty
      return group
    }
    guard let followers else {
      return try await own.job.result { enqueue(.grouped(own)) }
    }
    let started = followers.filter { $0.start() }
    connection.setBusyTimeout(0)
    let writes: [any GroupedWrite] = Task.isCancelled ? started : [own] + started
    if run(writes, isBusyFinal: false) {
      release()
      for write in started { write.answer() }
      return try own.result.get()
    }
    // Another process has the lock: wait for it on the writer's queue.
    return try await withCheckedThrowingContinuation { continuation in
      queue.async {
        self.connection.setBusyTimeout(self.busyTimeout)
        _ = self.run(writes, isBusyFinal: true)
        self.release()
        for write in started { write.answer() }
        continuation.resume(with: own.result)
      }
    }
  }

  /// Whether another connection has committed since the last call; nil while the writer is in use: ask again.
  func hasForeignCommits() -> Bool? {
    guard takeIfFree() else { return nil }
    defer { release() }
    return connection.hasForeignCommits()
  }

  private static var currentThread: UInt { UInt(bitPattern: ObjectIdentifier(Thread.current)) }

  private func takeIfFree() -> Bool {
    line.withLock { line in
      if line.isHeld { return false }
      line.isHeld = true
      return true
    }
  }

  /// Stands in line; goes to work at once where the writer is free and nobody gathers.
  private func enqueue(_ waiter: Waiter) {
    let isFree = line.withLock { line in
      if line.isHeld || (line.isGathering && waiter.isGrouped) {
        line.waiting.append(waiter)
        return false
      }
      line.isHeld = true
      return true
    }
    guard isFree else { return }
    switch waiter {
    case .exclusive(let turn): turn()
    case .grouped(let write): queue.async { self.runAndRelease([write]) }
    }
  }

  /// Releases the writer after a statement on a caller's thread: those who came meanwhile are committed on the same thread, once.
  private func releaseInline() {
    guard connection.walPages < Self.checkpointPages else { return release() }
    let group = line.withLock { line in line.popGroup() }
    if group.isEmpty { return release() }
    let started = group.filter { $0.start() }
    if run(started, isBusyFinal: false) {
      release()
      for write in started { write.answer() }
    } else {
      queue.async { self.runStarted(started) }
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
      let group = line.popGroup()
      if !group.isEmpty { return .group(group) }
      guard case .exclusive(let turn) = line.waiting.popFirst() else {
        line.isHeld = false
        return .nobody
      }
      return .exclusive(turn)
    }
    switch next {
    case .nobody: break
    case .exclusive(let turn): turn()
    case .group(let writes): queue.async { self.runAndRelease(writes) }
    }
  }

  // MARK: Committing

  /// Calls the closure, and tells what it wrote once it is committed.
  private func committing<Result>(_ body: () throws -> Result) throws -> Result {
    // Only the thread itself ever finds its own number here.
    holder.store(Self.currentThread, ordering: .relaxed)
    defer { holder.store(0, ordering: .relaxed) }
    do {
      let result = try body()
      connection.environment.attachments.didCommit()
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

  /// Executes the statements on the writer's queue, releases the writer, and answers each caller.
  private func runAndRelease(_ writes: [any GroupedWrite]) {
    // A call that was cancelled while it stood in line never starts.
    runStarted(writes.filter { $0.start() })
  }

  private func runStarted(_ writes: [any GroupedWrite]) {
    connection.setBusyTimeout(busyTimeout)
    _ = run(writes, isBusyFinal: true)
    release()
    for write in writes { write.answer() }
  }

  /// Executes the statements in one transaction; one that fails is undone alone. Where the transaction as a whole fails, each is executed
  /// in one of its own.
  ///
  /// - Returns: False where another process has the lock and that is not final: nothing was executed.
  private func run(_ writes: [any GroupedWrite], isBusyFinal: Bool) -> Bool {
    if writes.count > 1 {
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
        guard isBusyFinal else { return false }
        // Nobody's turn would come sooner by waiting once more for each.
        for write in writes { write.execute { _ in throw error } }
        return true
      } catch {
        // Nothing of the group was kept.
      }
    }
    for (position, write) in writes.enumerated() {
      write.execute { operation in try committing { try operation(connection) } }
      if !isBusyFinal, position == 0, write.isBusy { return false }
    }
    return true
  }

  /// Moves the write-ahead log into the file, as far as readers let it. What cannot be moved now is moved later.
  private func checkpoint() {
    connection.walPages = 0
    sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    line.withLock { $0.isCheckpointing = false }
    release()
  }
}

extension Writer.Line {
  /// Takes the single statements at the head of the line.
  fileprivate mutating func popGroup() -> [any GroupedWrite] {
    var group: [any GroupedWrite] = []
    while case .grouped(let write) = waiting.first {
      group.append(write)
      waiting.removeFirst()
    }
    if !group.isEmpty { isContended = true }
    return group
  }
}

extension Duration {
  /// Whole milliseconds, at least zero and at most what a C int holds.
  var milliseconds: Int32 {
    let (seconds, attoseconds) = components
    return Int32(clamping: max(0, seconds.multipliedReportingOverflow(by: 1000).partialValue + attoseconds / 1_000_000_000_000_000))
  }
}
