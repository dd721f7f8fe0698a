import Synchronization

/// Work on files, on a thread that may block.
enum AttachmentWork {
  private static let pool = WorkerPool(label: "larder.attachments", limit: 16, borrows: true)

  static func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try Task.checkCancellation()
    return try await withCheckedThrowingContinuation { continuation in
      pool.submit { continuation.resume(with: Swift.Result { try body() }) }
    }
  }

  /// Reads so many bytes: a few at once, which takes less than the change of threads does.
  static func read<Result: Sendable>(_ count: Int, _ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    guard count <= AttachmentFile.chunk else { return try await run(body) }
    try Task.checkCancellation()
    return try body()
  }

  /// Answers what the first closure does, while the second one goes on with it on the same thread.
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

  /// Work that goes on beside the task that began it. It may be waited for once.
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

    /// Waits for the end of the work, and throws what it threw.
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
