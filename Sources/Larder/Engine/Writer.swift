import DequeModule
import Dispatch
import Foundation
import GRDBSQLite
import Logging
import Synchronization

/// The one connection that writes, and the line of callers waiting for it.
///
/// A caller that finds it idle uses it immediately, on its own thread: a single save takes a few microseconds, less
/// than a switch of threads. Other callers wait in the line. Adjacent single saves are committed together.
/// Transactions, waits for other processes and checkpoints run on the writer's own dispatch queue, never on a thread of
/// Swift's pool.
final class Writer: Sendable {
  /// The options of a writer.
  struct Settings: Sendable {
    /// How long SQLite waits for another process.
    var busyTimeout: Duration
    /// How long a call waits in the line; nil means without limit.
    var waitLimit: Duration?
    /// Whether a single save may run on the caller's thread. It may not if each commit waits for the disk.
    var runsInline: Bool
    /// Whether the file has a write-ahead log that Larder maintains.
    var hasLog: Bool
    var log: Logger?
  }

  let settings: Settings
  let queue = DispatchQueue(label: "larder.writer")
  let busyTimeout: Int32
  let line = Mutex(WriterLine())
  let features: StoreFeatures
  private let reopen: @Sendable () throws -> Connection
  /// Only used by the caller that holds the writer, which ``line`` ensures; nil once the store is closed.
  nonisolated(unsafe) private var current: Connection?
  /// Decides when the log is emptied. Only used by the caller that holds the writer.
  nonisolated(unsafe) var checkpoints: CheckpointPolicy
  /// Whether the last checkpoint failed and was reported. Only used by the caller that holds the writer.
  nonisolated(unsafe) var isCheckpointFailing = false
  /// Retries emptying a large log. Only used by the caller that holds the writer.
  nonisolated(unsafe) var checkpointTimer: (any DispatchSourceTimer)?
  /// The thread that is writing, as a number, or zero. A call from the program's closure on that thread must not wait
  /// for itself.
  private let holder = Atomic<UInt>(0)

  /// - Parameters:
  ///   - connection: The connection that writes.
  ///   - settings: The options.
  ///   - features: The features of the store, which are told of commits.
  ///   - reopen: Opens a connection in place of one that can't be rolled back.
  init(
    connection: Connection, settings: Settings, features: StoreFeatures,
    reopen: @escaping @Sendable () throws -> Connection
  ) {
    current = connection
    self.settings = settings
    self.busyTimeout = settings.busyTimeout.milliseconds
    self.features = features
    self.reopen = reopen
    let pageSize = (try? connection.query("PRAGMA page_size").first?.first?.value.integer) ?? nil
    checkpoints = CheckpointPolicy(pageSize: pageSize ?? 4096, longestPatience: busyTimeout)
  }

  deinit {
    checkpointTimer?.cancel()
  }

  // MARK: Holding the writer

  /// Calls the closure with exclusive use of the writer. Blocks until the writer is available.
  ///
  /// - Throws: ``StoreError`` `.unsupported` inside a closure that holds the writer, or that validates or encodes a
  ///   value for it.
  func withConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    guard !ThreadHoldings.isEncoding(for: self) else { throw Self.insideClosure }
    return try holding(body)
  }

  /// Like ``withConnection(_:)``, but immediate if a closure on this thread reads: in memory, one connection serves
  /// nested reads.
  func withReadingConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    guard holdingThread == ThreadHoldings.thread, let connection = current,
      connection.isReadOnly || connection.isAutocommitting
    else {
      return try holding(body)
    }
    let wasReadOnly = connection.isReadOnly
    connection.isReadOnly = true
    defer { connection.isReadOnly = wasReadOnly }
    return try body(connection)
  }

  private func holding<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    guard holdingThread != ThreadHoldings.thread else { throw Self.insideClosure }
    if try !takeIfFree() { try WriterCycle.waiting(for: self) { try waitForTurn() } }
    defer { release() }
    let connection = try connection()
    connection.setBusyTimeout(busyTimeout)
    return try committing(connection) { try body(connection) }
  }

  private static let insideClosure = StoreError(
    .unsupported,
    "A call that waits for the store was made from inside one of its own closures; use the transaction or the snapshot that the closure is given."
  )

  /// Calls the closure on the writer's queue, with exclusive use of the writer.
  func perform<Result: Sendable>(_ body: @escaping @Sendable (Connection) throws -> Result) async throws -> Result {
    try Task.checkCancellation()
    let job = Job<Result>()
    return try await job.result {
      let turn: @Sendable () -> Void = {
        self.queue.async {
          self.run(job, body)
          self.release()
        }
      }
      do {
        if try takeIfFree() { return turn() }
        if let limit = settings.waitLimit { job.expire(after: limit, with: Self.overdue(limit)) }
        try enqueue(.exclusive(turn))
      } catch {
        job.fail(error)
      }
    }
  }

  private func run<Result>(_ job: Job<Result>, _ body: (Connection) throws -> Result) {
    do {
      let connection = try connection()
      connection.setBusyTimeout(busyTimeout)
      job.run(on: connection) { try committing(connection) { try body(connection) } }
    } catch {
      job.fail(error)
    }
  }

  /// The number of the thread that is writing, or zero.
  var holdingThread: UInt { holder.load(ordering: .relaxed) }

  /// Returns the connection, with no transaction open. Only the holder of the writer may call this.
  ///
  /// A connection whose last transaction couldn't be rolled back is closed and replaced, because what it wrote would
  /// never be committed.
  func connection() throws -> Connection {
    guard let current else { throw StoreError.closed }
    if current.comeToRest() { return current }
    settings.log?.error("a transaction could not be rolled back; the connection is replaced")
    let replacement = try reopen()
    current.close()
    self.current = replacement
    return replacement
  }

  /// Refuses new callers from now on.
  func refuse() {
    line.withLock { $0.isClosed = true }
  }

  /// Refuses new callers, and closes the connection when earlier callers are done. Called once.
  func close(_ completion: @escaping @Sendable () -> Void) {
    let turn: @Sendable () -> Void = {
      self.queue.async {
        self.disconnect()
        // A caller that came before but wasn't in the line yet finds no connection.
        self.releaseWithoutCheckpoint()
        completion()
      }
    }
    let isFree = line.withLock { line in
      line.isClosed = true
      // Wait also behind callers that another task has gathered; that task passes the writer on.
      if line.isHeld || !line.waiting.isEmpty {
        line.waiting.append(.exclusive(turn))
        return false
      }
      line.isHeld = true
      return true
    }
    if isFree { turn() }
  }

  /// Empties the log, as far as readers allow, and closes the connection.
  private func disconnect() {
    checkpointTimer?.cancel()
    checkpointTimer = nil
    guard let current else { return }
    if current.comeToRest() {
      current.setBusyTimeout(0)
      features.forEach { $0.willClose(current) }
    }
    if current.comeToRest(), settings.hasLog { _ = current.checkpoint(.truncate, patience: 0) }
    current.close()
    self.current = nil
  }

  // MARK: The line

  /// Takes the writer if it is idle.
  func takeIfFree() throws -> Bool {
    try line.withLock { line in
      if line.isClosed { throw StoreError.closed }
      if line.isHeld { return false }
      line.isHeld = true
      return true
    }
  }

  private func waitForTurn() throws {
    let turn = Turn<Void>()
    try enqueue(
      .exclusive {
        // A thread that gave up meanwhile doesn't release the writer.
        if !turn.grant(()) { self.release() }
      })
    if turn.wait(limit: settings.waitLimit) == nil { throw Self.overdue(settings.waitLimit ?? .zero) }
  }

  /// Adds a caller to the line, or runs it immediately if the writer is idle and no task gathers.
  ///
  /// - Parameter isAdmitted: Whether the caller came before the store was closed.
  func enqueue(_ waiter: WriterLine.Waiter, isAdmitted: Bool = false) throws {
    let isFree = try line.withLock { line in
      if line.isClosed, !isAdmitted { throw StoreError.closed }
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

  /// Passes the writer to the next caller, or marks it as idle.
  func release() {
    if needsCheckpoint { return queue.async { self.checkpoint() } }
    releaseWithoutCheckpoint()
  }

  func releaseWithoutCheckpoint() {
    switch line.withLock({ $0.popNext() }) {
    case .nobody: break
    case .exclusive(let turn): turn()
    case .group(let writes): queue.async { self.runAndRelease(writes) }
    }
  }

  /// Whether the log is so long that it is moved into the file before the next caller's turn.
  var needsCheckpoint: Bool {
    guard let current, current.walPages > 0, !current.environment.gate.isSuspended else { return false }
    return checkpoints.isDue(current.walPages)
  }

  static func overdue(_ limit: Duration) -> StoreError {
    StoreError(
      .busy,
      "Other writes of this process were in front for longer than Store.Configuration.waitLimit (\(limit)). Try again, raise the limit, or make the transactions shorter."
    )
  }

  // MARK: Committing

  /// Calls the closure, and notifies observers of what it has committed, even if it throws.
  func committing<Result>(_ connection: Connection, _ body: () throws -> Result) throws -> Result {
    try connection.environment.gate.check()
    // Only the thread itself can find its own number here.
    holder.store(ThreadHoldings.thread, ordering: .relaxed)
    defer {
      announce(connection)
      holder.store(0, ordering: .relaxed)
    }
    return try ThreadHoldings.holding(body)
  }

  private func announce(_ connection: Connection) {
    // What isn't committed by now never will be.
    if !connection.isAtRest { _ = connection.comeToRest() }
    connection.takeWrites(features.didCommit)
    if connection.needsStatistics {
      connection.changesBeforeAnalysis = .max
      scheduleStatistics()
    }
  }

  // MARK: Commits of other processes

  /// Returns whether another connection has committed since the last call; nil while the writer is in use.
  func hasForeignCommits() -> Bool? {
    guard (try? takeIfFree()) == true else { return nil }
    defer { release() }
    return (try? connection())?.hasForeignCommits()
  }

  /// Checks before the next caller's turn whether another connection has committed since the last check, and calls the
  /// closure with the result.
  func findForeignCommits(_ body: @escaping @Sendable (Bool) -> Void) {
    let isFree = line.withLock { line -> Bool in
      if line.isClosed || line.isLookingForCommits { return false }
      line.isLookingForCommits = true
      if !line.isHeld {
        line.isHeld = true
        return true
      }
      // At the head, because a line that is never empty must not delay the check.
      line.waiting.prepend(.exclusive { self.lookForCommits(body) })
      return false
    }
    if isFree { lookForCommits(body) }
  }

  private func lookForCommits(_ body: @escaping @Sendable (Bool) -> Void) {
    queue.async {
      let hasCommits = (try? self.connection())?.hasForeignCommits() ?? false
      self.line.withLock { $0.isLookingForCommits = false }
      self.release()
      body(hasCommits)
    }
  }
}

extension Duration {
  /// Whole milliseconds, from zero to the largest value of a C int.
  var milliseconds: Int32 {
    let (seconds, attoseconds) = components
    return Int32(
      clamping: max(0, seconds.multipliedReportingOverflow(by: 1000).partialValue + attoseconds / 1_000_000_000_000_000)
    )
  }
}

extension StoreError {
  /// The error of every call after the store was closed.
  static let closed = StoreError(.closed, "The store was closed. Open it anew to use it.")
}
