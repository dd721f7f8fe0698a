import Synchronization

/// A closure that can be set, and called from any thread.
final class Listener<Argument>: Sendable {
  /// In a struct, because a mutex whose value is itself a closure wraps it once more each time it is looked at, until the stack is used up.
  private struct State: Sendable {
    var body: (@Sendable (Argument) -> Void)?
  }

  private let state = Mutex(State())

  func set(_ body: (@Sendable (Argument) -> Void)?) {
    state.withLock { $0.body = body }
  }

  /// Calls the closure, if there is one, and not under the lock.
  func callAsFunction(_ argument: Argument) {
    state.withLock(\.body)?(argument)
  }
}

extension Listener where Argument == Void {
  func callAsFunction() { callAsFunction(()) }
}
