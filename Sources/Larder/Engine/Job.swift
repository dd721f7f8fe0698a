import Dispatch
import Synchronization

/// One call that a task waits for. Cancelled before it starts, it never runs; cancelled while it runs, it is
/// interrupted.
final class Job<Result: Sendable>: Sendable {
  private enum State {
    case waiting(UnsafeContinuation<Result, any Error>?)
    /// The connection is nil for a job that is too short to interrupt, or that shares its transaction with others.
    case running(UnsafeContinuation<Result, any Error>, Connection?)
    case cancelled
    case ended
  }

  private struct Progress: Sendable {
    var state = State.waiting(nil)
    var isInterrupted = false
  }

  private let progress = Mutex(Progress())

  /// Waits for the job's result. `enqueue` is called once the job is ready to be started.
  func result(enqueue: () -> Void) async throws -> Result {
    #if LARDER_PTHREAD_MUTEX
    // If the job ends before the task waits, the runtime doesn't tell the thread sanitizer that one comes after the
    // other; this lock does.
    defer { progress.withLock { _ in } }
    #endif
    return try await withTaskCancellationHandler {
      // Unsafe, because checking costs as much as a short read: each path takes the continuation out of the state.
      try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Result, any Error>) in
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

  private func cancel() {
    let continuation = progress.withLock { progress -> UnsafeContinuation<Result, any Error>? in
      switch progress.state {
      case .waiting(let continuation):
        progress.state = .cancelled
        return continuation
      case .running(_, let connection):
        guard let connection else { return nil }
        progress.isInterrupted = true
        connection.interrupt()
        return nil
      case .cancelled, .ended: return nil
      }
    }
    continuation?.resume(throwing: CancellationError())
  }

  /// Whether the task still waits for the job to start.
  var isWaiting: Bool {
    progress.withLock { if case .waiting = $0.state { true } else { false } }
  }

  /// Ends the job with the error if it was not started within the limit.
  func expire(after limit: Duration, with error: StoreError) {
    DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(limit.nanoseconds)) { self.fail(error) }
  }

  /// Runs the closure on the connection and passes its result to the task, unless the task was cancelled before.
  ///
  /// - Parameter release: Called once the connection isn't used any longer, before the task goes on: what it reads next
  ///   finds the connection idle.
  func run(on connection: Connection, _ body: () throws -> Result, release: () -> Void = {}) {
    guard start(on: connection) else { return release() }
    end(Swift.Result { try body() }, release: release)
  }

  /// Marks the job as running. Returns false if the task was cancelled before.
  ///
  /// - Parameter connection: The connection to interrupt if the task is cancelled, or nil if it must not be
  ///   interrupted.
  func start(on connection: Connection?) -> Bool {
    progress.withLock { progress in
      guard case .waiting(let continuation?) = progress.state else { return false }
      progress.state = .running(continuation, connection)
      return true
    }
  }

  /// Ends the job without running it, unless it was started.
  func fail(_ error: any Error) {
    let continuation = progress.withLock { progress -> UnsafeContinuation<Result, any Error>? in
      guard case .waiting(let continuation) = progress.state else { return nil }
      progress.state = .ended
      return continuation
    }
    continuation?.resume(throwing: error)
  }

  /// Passes the result of a running job to the task.
  func end(_ result: Swift.Result<Result, any Error>, release: () -> Void = {}) {
    let (continuation, isInterrupted) = progress.withLock {
      progress -> (UnsafeContinuation<Result, any Error>?, Bool) in
      guard case .running(let continuation, let connection) = progress.state else { return (nil, false) }
      if progress.isInterrupted { connection?.endInterruption() }
      progress.state = .ended
      return (continuation, progress.isInterrupted)
    }
    release()
    switch result {
    case .failure where isInterrupted: continuation?.resume(throwing: CancellationError())
    case .failure(let error): continuation?.resume(throwing: error)
    case .success(let value): continuation?.resume(returning: value)
    }
  }
}
