import GRDBSQLite
import Synchronization

/// Whether the work of a connection is to end, because the task that waits for it was cancelled.
///
/// A request may come from any thread at any moment, also between two statements, where SQLite itself would forget it. It ends the statement at
/// work and refuses the ones after it, except inside ``shielded(_:)``: what undoes a transaction must not be cancelled, or the transaction stays open.
final class Interruption: Sendable {
  private struct State: Sendable {
    var isRequested = false
    /// How many calls of ``shielded(_:)`` are at work.
    var shields = 0
  }

  private let state = Mutex(State())
  /// Whether a request is to be obeyed now: the state in a form that costs a running statement nothing to look at.
  private let isEffective = Atomic<Bool>(false)

  /// Whether work has to end.
  var isPending: Bool { isEffective.load(ordering: .relaxed) }

  /// Asks the connection to end its work.
  func request(on handle: OpaquePointer) {
    state.withLock { state in
      state.isRequested = true
      guard state.shields == 0 else { return }
      isEffective.store(true, ordering: .relaxed)
      // Under the lock, so that it cannot reach a statement inside a shield that was raised meanwhile.
      sqlite3_interrupt(handle)
    }
  }

  /// Ends the statement, or the checkpoint, that is at work now, and none that comes later.
  func stopStatement(on handle: OpaquePointer) {
    state.withLock { state in
      if state.shields == 0 { sqlite3_interrupt(handle) }
    }
  }

  /// Forgets the request: the work that it was meant for is over.
  func end() {
    state.withLock { state in
      state.isRequested = false
      isEffective.store(false, ordering: .relaxed)
    }
  }

  /// Calls the closure, whose statements no request interrupts. One that comes meanwhile, or came before, is obeyed afterwards.
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
