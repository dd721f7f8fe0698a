import Synchronization

/// A closure that can be set and called from any thread.
final class Listener<Argument>: Sendable {
  /// A struct, because a mutex whose value is itself a closure wraps it again each time it is accessed, until the stack
  /// overflows.
  private struct State: Sendable {
    var body: (@Sendable (Argument) -> Void)?
  }

  private let state = Mutex(State())

  func set(_ body: (@Sendable (Argument) -> Void)?) {
    state.withLock { $0.body = body }
  }

  /// Calls the closure, if there is one, outside the lock.
  func callAsFunction(_ argument: Argument) {
    state.withLock(\.body)?(argument)
  }
}

extension Listener where Argument == Void {
  func callAsFunction() { callAsFunction(()) }
}
