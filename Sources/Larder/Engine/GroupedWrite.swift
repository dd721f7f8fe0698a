import Synchronization

/// A single statement that may share a transaction with others: started, executed once or more, and completed after the
/// commit.
protocol GroupedWrite: Sendable {
  /// Marks it as running. Returns false if its task was cancelled before.
  func start() -> Bool
  /// Executes the statement by means of the closure, and keeps the result.
  func execute(_ perform: (_ operation: (Connection) throws -> Void) throws -> Void)
  /// Whether the last execution found the file locked by another process.
  var isBusy: Bool { get }
  /// Passes the result to the task that waits for it.
  func answer()
}

final class StatementWrite<Output: Sendable>: GroupedWrite {
  let job = Job<Output>()
  private let operation: @Sendable (Connection) throws -> Output
  private let outcome = Mutex<Result<Output, any Error>>(.failure(CancellationError()))

  init(_ operation: @escaping @Sendable (Connection) throws -> Output) {
    self.operation = operation
  }

  func start() -> Bool {
    job.start(on: nil)
  }

  func execute(_ perform: (_ operation: (Connection) throws -> Void) throws -> Void) {
    do {
      var output: Output?
      try perform { output = try operation($0) }
      if let output { outcome.withLock { $0 = .success(output) } }
    } catch {
      outcome.withLock { $0 = .failure(error) }
    }
  }

  /// The result of the last execution; before the first, the error of a cancelled task.
  var result: Result<Output, any Error> { outcome.withLock { $0 } }

  var isBusy: Bool {
    if case .failure(let error as StoreError) = result { error.code == .busy } else { false }
  }

  func answer() {
    job.end(result)
  }
}
