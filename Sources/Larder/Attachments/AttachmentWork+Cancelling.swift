import Synchronization

extension AttachmentWork {
  /// Whether the task that waits for some work has been cancelled. The work's thread belongs to no task.
  final class Cancellation: Sendable {
    private let isCancelled = Atomic<Bool>(false)

    /// Throws `CancellationError` once the task has been cancelled.
    func check() throws {
      if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
    }

    fileprivate func cancel() { isCancelled.store(true, ordering: .relaxed) }
  }

  /// Runs file operations that check between their steps whether the task has been cancelled.
  static func runCancellably<Result: Sendable>(
    _ body: @escaping @Sendable (Cancellation) throws -> Result
  ) async throws -> Result {
    let cancellation = Cancellation()
    return try await withTaskCancellationHandler {
      try await run { try body(cancellation) }
    } onCancel: {
      cancellation.cancel()
    }
  }
}
