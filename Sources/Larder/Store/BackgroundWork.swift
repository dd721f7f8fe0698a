import Dispatch

/// Work on a connection of its own, on a thread that may block.
enum BackgroundWork {
  private static let queue = DispatchQueue(label: "larder.background", attributes: .concurrent)

  /// Runs the closure and waits for it; a cancelled task interrupts it.
  static func run<Result: Sendable>(on connection: Connection, _ body: @escaping @Sendable (Connection) throws -> Result) async throws -> Result {
    try Task.checkCancellation()
    let job = Job<Result>()
    return try await job.result {
      queue.async { job.run(on: connection) { try body(connection) } }
    }
  }
}
