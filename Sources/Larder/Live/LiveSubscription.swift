/// An observer, registered as long as its owner lives, and the read that it repeats.
final class LiveSubscription<Value: Sendable>: Sendable {
  private let store: Store
  private let observer = LiveObserver()
  private let read: @Sendable (Connection) throws -> Value

  init(_ store: Store, _ read: @escaping @Sendable (Connection) throws -> Value) {
    self.store = store
    self.read = read
    store.live.add(observer)
  }

  deinit {
    store.live.remove(observer)
  }

  /// Waits until a commit affects what the last read has read. Returns false if the task was cancelled.
  func waitForChange() async -> Bool {
    await observer.waitForChange()
  }

  /// Reads, and observes from then on what was read.
  ///
  /// - Parameter isShort: Whether the last read was so short that switching threads would cost as much. If so, it runs
  ///   on this thread.
  func value(isShort: Bool) async throws -> Value {
    try Task.checkCancellation()
    store.live.beginReading(observer)
    let read = read
    let (value, region) = try await store.reading(isShort: isShort) { connection in
      try connection.tracking { try read(connection) }
    }
    store.live.endReading(observer, region)
    return value
  }
}

extension Store {
  /// Reads on this thread if that is quick and a connection is idle, and otherwise on a thread that may block.
  fileprivate func reading<Result: Sendable>(
    isShort: Bool, _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    if isShort, let readers, case .some(let result) = try readers.withIdleConnection(body) { return result }
    return try await reading(body)
  }
}

extension Connection {
  /// Calls the closure, and returns what its statements read, as SQLite reports it while compiling them.
  func tracking<Result>(_ body: () throws -> Result) throws -> (Result, Region) {
    let outer = tracked
    tracked = TrackedReads()
    defer { tracked = outer }
    let result = try body()
    let reads = tracked ?? TrackedReads()
    tracked = nil
    return (result, region(of: reads))
  }
}
