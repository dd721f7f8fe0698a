import Foundation
import Synchronization

/// A task that is cancelled when its store has executed a number of statements.
final class CountedCancellation: Sendable {
  private struct State: Sendable {
    var task: Task<Void, any Error>?
    var left: Int?
  }

  private let state = Mutex(State())

  /// Called by the store after each statement.
  func count() {
    let task = state.withLock { state -> Task<Void, any Error>? in
      guard let left = state.left else { return nil }
      state.left = left - 1
      return left == 0 ? state.task : nil
    }
    task?.cancel()
  }

  /// Runs the closure as a task that is cancelled after the number of statements.
  ///
  /// - Returns: Whether the number was reached.
  func run(after number: Int, _ body: @escaping @Sendable () async throws -> Void) async -> Bool {
    let (begin, start) = AsyncStream<Void>.makeStream()
    let task = Task {
      for await _ in begin {}
      try await body()
    }
    state.withLock { $0 = State(task: task, left: number) }
    start.finish()
    _ = await task.result
    return state.withLock { state in
      defer { state = State() }
      return state.left.map { $0 < 0 } ?? true
    }
  }
}
