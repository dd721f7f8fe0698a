import Dispatch
import Synchronization

/// A single statement that may share a transaction with others: started, executed once or more, and completed after the
/// commit.
///
/// It is a ``Job`` of its own kind, which returns nothing and isn't generic: when many tasks save at once, each of them
/// creates one, and the runtime would spend more on generic types than SQLite on the row.
final class GroupedWrite: Sendable {
  private enum State {
    case waiting(UnsafeContinuation<Void, any Error>?)
    case running(UnsafeContinuation<Void, any Error>)
    case cancelled
    case ended
  }

  private enum Outcome {
    /// The statement wasn't executed, or the execution didn't get as far as the statement.
    case none
    case success
    case failure(any Error)
  }

  private struct Progress: Sendable {
    var state = State.waiting(nil)
    var outcome = Outcome.none
  }

  private let progress = Mutex(Progress())
  private let operation: @Sendable (Connection) throws -> Void

  init(_ operation: @escaping @Sendable (Connection) throws -> Void) {
    self.operation = operation
  }

  // MARK: The task that waits

  /// Waits until the statement was committed. `enqueue` is called once it is ready to be started.
  func wait(enqueue: () -> Void) async throws {
    #if LARDER_PTHREAD_MUTEX
    // If the statement ends before the task waits, the runtime doesn't tell the thread sanitizer that one comes after
    // the other; this lock does.
    defer { progress.withLock { _ in } }
    #endif
    try await withTaskCancellationHandler {
      // Unsafe, because checking would cost as much as the rest: each path takes the continuation out of the state.
      try await withUnsafeThrowingContinuation { continuation in
        let isCancelled = progress.withLock { progress in
          if case .cancelled = progress.state { return true }
          progress.state = .waiting(continuation)
          return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) } else { enqueue() }
      }
    } onCancel: {
      cancel()
    }
  }

  /// Once started, a statement is too short to interrupt, and shares its transaction with others.
  private func cancel() {
    let continuation = progress.withLock { progress -> UnsafeContinuation<Void, any Error>? in
      guard case .waiting(let continuation) = progress.state else { return nil }
      progress.state = .cancelled
      return continuation
    }
    continuation?.resume(throwing: CancellationError())
  }

  /// Ends the wait with the error if the statement was not started within the limit.
  func expire(after limit: Duration, with error: StoreError) {
    DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(limit.nanoseconds)) { self.fail(error) }
  }

  /// Ends the wait without executing the statement, unless it was started.
  func fail(_ error: any Error) {
    let continuation = progress.withLock { progress -> UnsafeContinuation<Void, any Error>? in
      guard case .waiting(let continuation) = progress.state else { return nil }
      progress.state = .ended
      return continuation
    }
    continuation?.resume(throwing: error)
  }

  // MARK: The task that writes

  /// Marks it as running. Returns false if its task was cancelled before.
  func start() -> Bool {
    progress.withLock { progress in
      guard case .waiting(let continuation?) = progress.state else { return false }
      progress.state = .running(continuation)
      return true
    }
  }

  /// Executes the statement by means of the closure, and keeps the outcome.
  func execute(_ perform: (_ operation: (Connection) throws -> Void) throws -> Void) {
    do {
      var isDone = false
      try perform {
        try operation($0)
        isDone = true
      }
      if isDone { progress.withLock { $0.outcome = .success } }
    } catch {
      progress.withLock { $0.outcome = .failure(error) }
    }
  }

  /// Throws the error of the last execution; before the first, that of a cancelled task.
  func check() throws {
    switch progress.withLock({ $0.outcome }) {
    case .success: return
    case .failure(let error): throw error
    case .none: throw CancellationError()
    }
  }

  /// Whether the last execution found the file locked by another process.
  var isBusy: Bool {
    guard case .failure(let error as StoreError) = progress.withLock({ $0.outcome }) else { return false }
    return error.code == .busy
  }

  /// Passes the outcome to the task that waits for it.
  func answer() {
    let (continuation, outcome) = progress.withLock { progress -> (UnsafeContinuation<Void, any Error>?, Outcome) in
      guard case .running(let continuation) = progress.state else { return (nil, .none) }
      progress.state = .ended
      return (continuation, progress.outcome)
    }
    switch outcome {
    case .success: continuation?.resume()
    case .failure(let error): continuation?.resume(throwing: error)
    case .none: continuation?.resume(throwing: CancellationError())
    }
  }
}
