import DequeModule
import Dispatch
import Foundation
import GRDBSQLite
import Logging
import Synchronization

/// The one connection that writes, and the line of those who wait for it.
///
/// Whoever comes while it is free uses it at once, on the thread it is on: a single save is a few microseconds, less than a change of
/// threads. Whoever comes while it is in use waits in line. Single saves that wait next to each other are committed together.
/// Transactions, waits for other processes and checkpoints happen on the writer's own queue, never on a thread of Swift's pool.
final class Writer: Sendable {
  /// What a writer is made with, apart from its connection.
  struct Settings: Sendable {
    /// How long SQLite waits for another process.
    var busyTimeout: Duration
    /// How long a call stands in line at most; nil for as long as it takes.
    var waitLimit: Duration?
    /// Whether a single save may run on the caller's thread: not where each commit waits for the disk.
    var runsInline: Bool
    /// Whether the file has a write-ahead log of Larder's keeping.
    var hasLog: Bool
    var log: Logger?
  }

  let settings: Settings
  let queue = DispatchQueue(label: "larder.writer")
  let busyTimeout: Int32
  let line = Mutex(WriterLine())
  let observers: LiveRegistry
  private let reopen: @Sendable () throws -> Connection
  /// Used by whoever holds the writer alone, which ``line`` sees to; nil once the store is closed.
  nonisolated(unsafe) private var current: Connection?
  /// When the log is emptied. Used by whoever holds the writer alone.
  nonisolated(unsafe) var checkpoints: CheckpointPolicy
  /// Whether the last checkpoint failed, and that was reported. Used by whoever holds the writer alone.
  nonisolated(unsafe) var isCheckpointFailing = false
  /// Tries again later to empty a log that has grown large. Used by whoever holds the writer alone.
  nonisolated(unsafe) var checkpointTimer: (any DispatchSourceTimer)?
  /// The thread that writes right now, as a number, or zero: a call from one of the program closures on it must not wait for itself.
  private let holder = Atomic<UInt>(0)

  /// - Parameters:
  ///   - connection: The connection that writes.
  ///   - settings: How it is used.
  ///   - observers: Who hears of commits.
  ///   - reopen: Opens a connection in the place of one that cannot be rolled back.
  init(connection: Connection, settings: Settings, observers: LiveRegistry, reopen: @escaping @Sendable () throws -> Connection) {
    current = connection
    self.settings = settings
    self.busyTimeout = settings.busyTimeout.milliseconds
    self.observers = observers
    self.reopen = reopen
    let pageSize = (try? connection.query("PRAGMA page_size").first?.first?.value.integer) ?? nil
    checkpoints = CheckpointPolicy(pageSize: pageSize ?? 4096, longestPatience: busyTimeout)
  }

  deinit {
    checkpointTimer?.cancel()
  }

  // MARK: Holding the writer

  /// Calls the closure while nobody else uses the writer. Blocks until it is free.
  ///
  /// - Throws: ``StoreError`` `.unsupported` inside a closure that holds the writer, or that checks or encodes a value for it.
  func withConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    guard !ThreadHoldings.isEncoding(for: self) else { throw Self.insideClosure }
    return try holding(body)
  }

  /// As ``withConnection(_:)``, and at once where a closure on this thread reads: in memory one connection serves reads inside reads.
  func withReadingConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    guard holdingThread == ThreadHoldings.thread, let connection = current, connection.isReadOnly || connection.isAutocommitting else {
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
    "A call that waits for the store was made from inside one of its own closures; use the transaction or the snapshot that the closure is given.")

  /// Calls the closure on the writer's queue while nobody else uses the writer.
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

  /// The number of the thread that writes right now, or zero.
  var holdingThread: UInt { holder.load(ordering: .relaxed) }

  /// The connection, at rest. Only who holds the writer may ask for it.
  ///
  /// One whose last transaction could not be rolled back is closed and replaced: what it wrote would never be committed.
  func connection() throws -> Connection {
    guard let current else { throw StoreError.closed }
    if current.comeToRest() { return current }
    settings.log?.error("a transaction could not be rolled back; the connection is replaced")
    let replacement = try reopen()
    current.close()
    self.current = replacement
    return replacement
  }

  /// Refuses those who come from now on, and closes the connection when those who came before are done. Called once.
  func close(_ completion: @escaping @Sendable () -> Void) {
    let turn: @Sendable () -> Void = {
      self.queue.async {
        self.disconnect()
        // Whoever came before and was not in line yet finds no connection.
        self.releaseWithoutCheckpoint()
        completion()
      }
    }
    let isFree = line.withLock { line in
      line.isClosed = true
      // Behind those who wait until another task has gathered them, too; that task hands the writer on.
      if line.isHeld || !line.waiting.isEmpty {
        line.waiting.append(.exclusive(turn))
        return false
      }
      line.isHeld = true
      return true
    }
    if isFree { turn() }
  }

  /// Empties the log, as far as readers let it, and closes the connection.
  private func disconnect() {
    checkpointTimer?.cancel()
    checkpointTimer = nil
    guard let current else { return }
    if current.comeToRest(), settings.hasLog { _ = current.checkpoint(.truncate, patience: 0) }
    current.close()
    self.current = nil
  }

  // MARK: The line

  /// Takes the writer if nobody uses it.
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
        // A thread that gave up meanwhile does not release the writer.
        if !turn.grant(()) { self.release() }
      })
    if turn.wait(limit: settings.waitLimit) == nil { throw Self.overdue(settings.waitLimit ?? .zero) }
  }

  /// Stands in line; goes to work at once where the writer is free and nobody gathers.
  ///
  /// - Parameter isAdmitted: Whether the caller came before the store was closed, if it was.
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

  /// Hands the writer to the next in line, or leaves it free.
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

  /// Whether the log has grown so long that it goes back into the file before the next in line has its turn.
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

  /// Calls the closure, and tells what it has committed, also if it throws in the end.
  func committing<Result>(_ connection: Connection, _ body: () throws -> Result) throws -> Result {
    try connection.environment.gate.check()
    // Only the thread itself ever finds its own number here.
    holder.store(ThreadHoldings.thread, ordering: .relaxed)
    defer {
      announce(connection)
      holder.store(0, ordering: .relaxed)
    }
    return try ThreadHoldings.holding(body)
  }

  private func announce(_ connection: Connection) {
    // What is not committed by now never will be.
    if !connection.isAtRest { _ = connection.comeToRest() }
    let writes = connection.takeWrites()
    connection.environment.attachments.didCommit()
    if !writes.isEmpty { observers.didCommit(writes) }
    if connection.needsStatistics {
      connection.changesBeforeAnalysis = .max
      scheduleStatistics()
    }
  }

  // MARK: Commits of other processes

  /// Whether another connection has committed since the last call; nil while the writer is in use.
  func hasForeignCommits() -> Bool? {
    guard (try? takeIfFree()) == true else { return nil }
    defer { release() }
    return (try? connection())?.hasForeignCommits()
  }

  /// Looks whether another connection has committed since the last look, before the next in line has its turn, and tells the closure.
  func findForeignCommits(_ body: @escaping @Sendable (Bool) -> Void) {
    let isFree = line.withLock { line -> Bool in
      if line.isClosed || line.isLookingForCommits { return false }
      line.isLookingForCommits = true
      if !line.isHeld {
        line.isHeld = true
        return true
      }
      // At the head: a line that is never empty must not keep the look waiting.
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
  /// Whole milliseconds, at least zero and at most what a C int holds.
  var milliseconds: Int32 {
    let (seconds, attoseconds) = components
    return Int32(clamping: max(0, seconds.multipliedReportingOverflow(by: 1000).partialValue + attoseconds / 1_000_000_000_000_000))
  }
}

extension StoreError {
  /// The error of every call after the store was closed.
  static let closed = StoreError(.closed, "The store was closed. Open it anew to use it.")
}
