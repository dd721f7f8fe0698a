import Synchronization

/// Whether a store is open, and the work on separate connections that closing waits for.
final class StoreLifetime: Sendable {
  fileprivate struct State: Sendable {
    var isClosed = false
    /// The number of works in progress, including closing itself.
    var works = 0
    /// Called when the last of them is done, once the store is closed.
    var closers: [@Sendable () -> Void] = []
    /// The objects that hold a connection between two works, and are closed with the store.
    var resources: [ObjectIdentifier: Resource] = [:]
  }

  fileprivate struct Resource: Sendable {
    weak var value: (any StoreResource)?
  }

  private let state = Mutex(State())

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Begins a work that closing waits for.
  ///
  /// - Throws: ``StoreError`` `.closed`.
  private func begin() throws {
    try state.withLock { state in
      if state.isClosed { throw StoreError.closed }
      state.works += 1
    }
  }

  private func end() {
    let closers = state.withLock { state in
      state.works -= 1
      return state.isClosed && state.works == 0 ? state.takeClosers() : []
    }
    for closer in closers { closer() }
  }

  /// Calls the closure. Closing waits for it.
  ///
  /// - Throws: ``StoreError`` `.closed` if the store was closed before.
  func working<Result>(_ body: () throws -> Result) throws -> Result {
    try begin()
    defer { end() }
    return try body()
  }

  /// Calls the closure. Closing waits for it.
  ///
  /// - Throws: ``StoreError`` `.closed` if the store was closed before.
  func working<Result: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async throws -> Result {
    try begin()
    defer { end() }
    return try await body()
  }

  /// Registers an object that holds a connection for as long as its owner lives.
  func keep(_ resource: any StoreResource) {
    state.withLock { state in
      state.resources[ObjectIdentifier(resource)] = Resource(value: resource)
    }
  }

  func forget(_ resource: any StoreResource) {
    state.withLock { state in _ = state.resources.removeValue(forKey: ObjectIdentifier(resource)) }
  }

  /// Refuses new work, and calls the completions of all callers of `close` when the last work and `finish` are done.
  ///
  /// - Parameters:
  ///   - refuse: Makes the connections refuse new work. Called for the first caller, before the store says that it is
  ///     closed, so that no call succeeds after that.
  ///   - finish: Closes the connections. Only called for the first caller; it calls its argument when it is done.
  func close(
    _ completion: @escaping @Sendable () -> Void, refuse: () -> Void,
    finish: (_ done: @escaping @Sendable () -> Void) -> Void
  ) {
    let (isFirst, isDone, resources) = state.withLock { state in
      let isFirst = !state.isClosed
      if isFirst { refuse() }
      state.isClosed = true
      if isFirst { state.works += 1 }
      if state.works > 0 { state.closers.append(completion) }
      let resources = isFirst ? state.resources.values.compactMap(\.value) : []
      return (isFirst, state.works == 0, resources)
    }
    if isDone { return completion() }
    guard isFirst else { return }
    for resource in resources { resource.close() }
    finish { self.end() }
  }
}

extension StoreLifetime.State {
  fileprivate mutating func takeClosers() -> [@Sendable () -> Void] {
    defer { closers.removeAll() }
    return closers
  }
}

/// An object that holds a connection of a store beyond a single call.
protocol StoreResource: AnyObject, Sendable {
  /// Closes the connection; its next use throws `.closed`.
  func close()
}
