import Synchronization

/// File operations on a thread that may block.
enum AttachmentWork {
  private static let pool = WorkerPool(label: "larder.attachments", limit: 16, borrows: true)

  static func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try Task.checkCancellation()
    return try await withCheckedThrowingContinuation { continuation in
      pool.submit { continuation.resume(with: Swift.Result { try body() }) }
    }
  }

  /// Reads data. A small amount is read on the caller's thread, which takes less time than switching threads.
  static func read<Result: Sendable>(
    _ count: Int, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    guard count <= AttachmentFile.chunk else { return try await run(body) }
    try Task.checkCancellation()
    return try body()
  }

  /// Returns the result of the first closure, while the second one continues with it on the same thread.
  static func run<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result, thenBeside next: @escaping @Sendable (Result) throws -> Void
  ) async throws -> (Result, rest: Rest) {
    try Task.checkCancellation()
    let rest = Rest()
    let result = try await withCheckedThrowingContinuation { continuation in
      pool.submit {
        do {
          let result = try body()
          continuation.resume(returning: result)
          rest.end(Swift.Result { try next(result) })
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
    return (result, rest)
  }

  /// Work that continues concurrently with the task that began it. May be waited for once.
  final class Rest: Sendable {
    private struct State: Sendable {
      var result: Swift.Result<Void, any Error>?
      var waiting: CheckedContinuation<Void, any Error>?
    }

    private let state = Mutex(State())

    fileprivate func end(_ result: Swift.Result<Void, any Error>) {
      let waiting = state.withLock { state in
        state.result = result
        return state.waiting
      }
      waiting?.resume(with: result)
    }

    /// Waits for the work to end, and rethrows its error.
    func wait() async throws {
      try await withCheckedThrowingContinuation { continuation in
        let result = state.withLock { state in
          if state.result == nil { state.waiting = continuation }
          return state.result
        }
        if let result { continuation.resume(with: result) }
      }
    }
  }
}
