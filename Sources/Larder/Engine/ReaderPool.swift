import DequeModule
import Dispatch
import Foundation
import Synchronization

/// The connections that read: opened on demand, up to a limit, and lent to one reader at a time.
///
/// A lent connection has no open transaction and no unfinished statement that would keep it on an old state of the
/// file. A connection that can't be brought to that state is closed, and the next reader opens another.
final class ReaderPool: Sendable {
  private let open: @Sendable () throws -> Connection
  private let limit: Int
  /// How long a reader waits for a connection; nil means without limit.
  private let waitLimit: Duration?
  private let state = Mutex(State())

  fileprivate struct State {
    var idle: [Connection] = []
    var count = 0
    var waiting = Deque<Waiter>()
    var isClosed = false
    /// Called when the last connection is closed.
    var closers: [@Sendable () -> Void] = []
  }

  /// Receives a connection. Returns false if the reader no longer waits.
  fileprivate typealias Waiter = @Sendable (Swift.Result<Connection, any Error>) -> Bool

  init(limit: Int, waitLimit: Duration? = nil, open: @escaping @Sendable () throws -> Connection) {
    self.limit = max(1, limit)
    self.waitLimit = waitLimit
    self.open = open
  }

  // MARK: Reading

  /// Calls the closure with a connection. Blocks while all are lent, unless this thread already reads or writes.
  @inline(__always)
  func withConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let connection = try take() ?? wait()
    defer { give(connection) }
    // Nobody cancels a call that blocks, but one that locks the file ends when the store is suspended.
    connection.watch(connection.environment.gate.stopsReaders)
    return try ThreadHoldings.holding { try body(connection) }
  }

  /// Calls the closure on this thread with an idle connection; returns nil if there is none.
  func withIdleConnection<Result>(_ body: (Connection) throws -> Result) rethrows -> Result? {
    guard let connection = state.withLock({ $0.idle.popLast() }) else { return nil }
    defer { give(connection) }
    return try ThreadHoldings.holding { try body(connection) }
  }

  /// Calls the closure with a connection: on this thread if one is idle and the closure is done soon, otherwise on a
  /// thread that may block, where it begins anew.
  func performBriefly<Result: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    do {
      let result = try withIdleConnection { connection in try connection.briefly { try body(connection) } }
      if case .some(let result) = result { return result }
    } catch is LongRead {}
    return try await perform(body)
  }

  /// Calls the closure with a connection on a thread that may block.
  func perform<Result: Sendable>(_ body: @escaping @Sendable (Connection) throws -> Result) async throws -> Result {
    try Task.checkCancellation()
    let job = Job<Result>()
    return try await job.result {
      let run: @Sendable (Connection) -> Void = { connection in
        connection.watch(true)
        connection.worker.async {
          job.run(on: connection) {
            try ThreadHoldings.holding { try body(connection) }
          } release: {
            self.give(connection)
          }
        }
      }
      do {
        if let connection = try take() { return run(connection) }
        if let waitLimit { job.expire(after: waitLimit, with: Self.overdue(waitLimit)) }
        enqueue { connection in
          guard job.isWaiting else { return false }
          switch connection {
          case .success(let connection): run(connection)
          case .failure(let error): job.fail(error)
          }
          return true
        }
      } catch {
        job.fail(error)
      }
    }
  }

  /// The number of open connections.
  var connectionCount: Int { state.withLock { $0.count } }

  // MARK: Closing

  /// Closes the connections that aren't lent.
  func closeIdle() {
    for connection in state.withLock({ $0.takeIdle() }) { connection.close() }
  }

  /// Refuses new readers from now on.
  func refuse() {
    state.withLock { $0.isClosed = true }
  }

  /// Closes all connections, and calls the closure when the last reader is done. New readers are refused.
  func close(_ completion: @escaping @Sendable () -> Void) {
    let (isDone, idle) = state.withLock { state -> (Bool, [Connection]) in
      state.isClosed = true
      let idle = state.takeIdle()
      if state.count > 0 { state.closers.append(completion) }
      return (state.count == 0, idle)
    }
    for connection in idle { connection.close() }
    if isDone { completion() }
  }

  // MARK: Lending

  /// Returns an idle connection, or a new one if fewer than the limit are open; nil if all are lent.
  private func take() throws -> Connection? {
    enum Choice {
      case lend(Connection)
      case open
      case wait
    }
    let choice = try state.withLock { state -> Choice in
      if state.isClosed { throw StoreError.closed }
      if let connection = state.idle.popLast() { return .lend(connection) }
      guard state.count < limit || !ThreadHoldings.areNone else { return .wait }
      state.count += 1
      return .open
    }
    switch choice {
    case .lend(let connection): return connection
    case .wait: return nil
    case .open:
      do {
        return try open()
      } catch {
        didClose()
        throw error
      }
    }
  }

  private func wait() throws -> Connection {
    let turn = Turn<Swift.Result<Connection, any Error>>()
    enqueue { turn.grant($0) }
    guard let connection = turn.wait(limit: waitLimit) else { throw Self.overdue(waitLimit) }
    return try connection.get()
  }

  /// Adds the reader to the line, unless a connection was returned meanwhile.
  private func enqueue(_ waiter: @escaping Waiter) {
    let granted = state.withLock { state -> Swift.Result<Connection, any Error>? in
      if state.isClosed { return .failure(StoreError.closed) }
      if let connection = state.idle.popLast() { return .success(connection) }
      state.waiting.append(waiter)
      return nil
    }
    guard let granted, !waiter(granted), case .success(let connection) = granted else { return }
    give(connection)
  }

  private func give(_ connection: Connection) {
    guard connection.comeToRest() else { return discard(connection) }
    while true {
      enum Next {
        case waiter(Waiter)
        case kept
        case closed
      }
      let next = state.withLock { state -> Next in
        if let waiter = state.waiting.popFirst() { return .waiter(waiter) }
        // Connections beyond the limit were opened for threads that already held one.
        if state.isClosed || state.count > limit { return .closed }
        state.idle.append(connection)
        return .kept
      }
      switch next {
      case .kept: return
      case .closed:
        connection.close()
        return didClose()
      case .waiter(let waiter): if waiter(.success(connection)) { return }
      }
    }
  }

  /// Closes an unusable connection. A waiting reader gets a new one.
  private func discard(_ connection: Connection) {
    connection.close()
    didClose()
    guard let waiter = state.withLock({ $0.waiting.popFirst() }) else { return }
    let connection: Swift.Result<Connection, any Error>
    do {
      guard let taken = try take() else { return enqueue(waiter) }
      connection = .success(taken)
    } catch {
      connection = .failure(error)
    }
    if !waiter(connection), case .success(let connection) = connection { give(connection) }
  }

  private func didClose() {
    let closers = state.withLock { state in
      state.count -= 1
      return state.isClosed && state.count == 0 ? state.closers : []
    }
    for closer in closers { closer() }
  }

  private static func overdue(_ limit: Duration?) -> StoreError {
    StoreError(
      .busy,
      "All connections that read were in use for longer than Store.Configuration.waitLimit (\(limit ?? .zero)). Raise Store.Configuration.readers or the limit, or make the reads shorter."
    )
  }
}

extension ReaderPool.State {
  /// Removes and returns the idle connections, to be closed outside of the lock.
  fileprivate mutating func takeIdle() -> [Connection] {
    defer { idle.removeAll() }
    count -= idle.count
    return idle
  }
}
