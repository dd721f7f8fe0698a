/// Work on a connection of its own, on a thread that may block.
enum BackgroundWork {
  private static let pool = WorkerPool(label: "larder.background", limit: 16, borrows: false)

  /// Runs the closure and waits for it. Cancelling the task interrupts it.
  static func run<Result: Sendable>(
    on connection: Connection, _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    let job = Job<Result>()
    return try await job.result {
      pool.submit { job.run(on: connection) { try body(connection) } }
    }
  }
}
