import DequeModule
import Dispatch
import Foundation
import Synchronization

/// The connections that read: opened when needed, up to a number, and lent to one reader at a time.
final class ReaderPool: Sendable {
  private let open: @Sendable () throws -> Connection
  private let limit: Int
  private let state = Mutex(State())

  private struct State {
    var idle: [Connection] = []
    var count = 0
    var waiting = Deque<@Sendable (Connection) -> Void>()
    /// The threads that read right now and block: one of them that needs a second connection must not wait for itself.
    var holders: [ObjectIdentifier] = []
  }

  init(limit: Int, open: @escaping @Sendable () throws -> Connection) {
    self.limit = max(1, limit)
    self.open = open
  }

  /// Calls the closure with a connection. Blocks while all are lent.
  func withConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let connection = try take() ?? wait()
    defer { give(connection) }
    return try body(connection)
  }

  /// Calls the closure with a connection that nobody waits for, on this thread; nil where there is none.
  func withIdleConnection<Result>(_ body: (Connection) throws -> Result) rethrows -> Result? {
    guard let connection = state.withLock({ $0.idle.popLast() }) else { return nil }
    defer { give(connection) }
    return try body(connection)
  }

  /// Calls a closure of the user's, which may read from the store again on this thread.
  func withReentrantConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let me = ObjectIdentifier(Thread.current)
    return try withConnection { connection in
      state.withLock { $0.holders.append(me) }
      defer {
        state.withLock { state in
          if let position = state.holders.lastIndex(of: me) { state.holders.remove(at: position) }
        }
      }
      return try body(connection)
    }
  }

  /// Calls the closure with a connection on a thread that may block.
  func perform<Result: Sendable>(_ body: @escaping @Sendable (Connection) throws -> Result) async throws -> Result {
    try Task.checkCancellation()
    let job = Job<Result>()
    return try await job.result {
      let run: @Sendable (Connection) -> Void = { connection in
        connection.worker.async {
          let me = ObjectIdentifier(Thread.current)
          self.state.withLock { $0.holders.append(me) }
          job.run(on: connection) { try body(connection) }
          self.state.withLock { state in
            if let position = state.holders.lastIndex(of: me) { state.holders.remove(at: position) }
          }
          self.give(connection)
        }
      }
      do {
        if let connection = try take() { run(connection) } else { enqueue(run) }
      } catch {
        job.fail(error)
      }
    }
  }

  /// How many connections are open.
  var connectionCount: Int { state.withLock { $0.count } }

  /// Closes the connections that nobody reads from.
  func close() {
    state.withLock { state in
      state.count -= state.idle.count
      state.idle.removeAll()
    }
  }

  /// An idle connection, or a new one where fewer than the limit are open; nil where all are lent.
  private func take() throws -> Connection? {
    enum Choice {
      case lend(Connection)
      case open
      case wait
    }
    let choice = state.withLock { state -> Choice in
      if let connection = state.idle.popLast() { return .lend(connection) }
      let isNested = !state.holders.isEmpty && state.holders.contains(ObjectIdentifier(Thread.current))
      guard state.count < limit || isNested else { return .wait }
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
        state.withLock { $0.count -= 1 }
        throw error
      }
    }
  }

  private func wait() -> Connection {
    let turn = DispatchSemaphore(value: 0)
    let lent = Mutex<Connection?>(nil)
    enqueue { connection in
      lent.withLock { $0 = connection }
      turn.signal()
    }
    while true {
      turn.wait()
      if let connection = lent.withLock({ $0 }) { return connection }
    }
  }

  /// Stands in line, unless a connection was given back meanwhile.
  private func enqueue(_ waiter: @escaping @Sendable (Connection) -> Void) {
    let connection = state.withLock { state -> Connection? in
      if let connection = state.idle.popLast() { return connection }
      state.waiting.append(waiter)
      return nil
    }
    if let connection { waiter(connection) }
  }

  private func give(_ connection: Connection) {
    let waiter = state.withLock { state -> (@Sendable (Connection) -> Void)? in
      if let waiter = state.waiting.popFirst() { return waiter }
      // Connections beyond the limit were opened for reads inside reads.
      if state.count > limit { state.count -= 1 } else { state.idle.append(connection) }
      return nil
    }
    waiter?(connection)
  }
}
