import GRDBSQLite
import Synchronization

/// The cancellation of a connection's work, requested when the task that waits for it is cancelled.
///
/// A request may come from any thread at any moment, even between two statements, when SQLite itself would ignore it.
/// It ends the current statement and rejects later ones, except inside ``shielded(_:)``: rolling back must not be
/// cancelled, or the transaction stays open.
final class Interruption: Sendable {
  private struct State: Sendable {
    var isRequested = false
    /// The number of calls of ``shielded(_:)`` in progress.
    var shields = 0
  }

  private let state = Mutex(State())
  /// Whether a request is in effect, as an atomic that is cheap to read while a statement runs.
  private let isEffective = Atomic<Bool>(false)

  /// Whether the work has to end.
  var isPending: Bool { isEffective.load(ordering: .relaxed) }

  /// Requests that the connection ends its work.
  func request(on handle: OpaquePointer) {
    state.withLock { state in
      state.isRequested = true
      guard state.shields == 0 else { return }
      isEffective.store(true, ordering: .relaxed)
      // Under the lock, so that it cannot reach a statement inside a shield that was raised meanwhile.
      sqlite3_interrupt(handle)
    }
  }

  /// Interrupts the current statement or checkpoint, but no later one.
  func stopStatement(on handle: OpaquePointer) {
    state.withLock { state in
      if state.shields == 0 { sqlite3_interrupt(handle) }
    }
  }

  /// Withdraws the request, because the work that it was meant for is over.
  func end() {
    state.withLock { state in
      state.isRequested = false
      isEffective.store(false, ordering: .relaxed)
    }
  }

  /// Calls the closure, whose statements are never interrupted. A request takes effect when the closure has returned.
  func shielded<Result>(_ body: () throws -> Result) rethrows -> Result {
    state.withLock { state in
      state.shields += 1
      isEffective.store(false, ordering: .relaxed)
    }
    defer {
      state.withLock { state in
        state.shields -= 1
        isEffective.store(state.isRequested && state.shields == 0, ordering: .relaxed)
      }
    }
    return try body()
  }
}
