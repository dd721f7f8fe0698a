import Synchronization

extension Context {
  /// Returns the rows of the query as the context sees them, now and after each change in the context and each commit
  /// that affects them.
  ///
  /// ```swift
  /// for try await notes in context.live(Note.all.sorted(by: \.title)) { show(notes) }
  /// ```
  ///
  /// Changes of child and parent contexts count as well, whichever rows they are of. A slow consumer only gets the newest
  /// rows. The rows are read where the context belongs, in the task that iterates; each commit of the store that affects
  /// the query reads them once more, on a connection of the store.
  ///
  /// - Parameter query: The condition, order and inclusions of the rows.
  /// - Returns: A sequence that throws the errors of ``StoreReader/fetch(_:)-(Query<M>)``, and then ends.
  public func live<M: Model>(_ query: Query<M>) -> ContextResults<[M]> {
    let commits = store.live(query)
    return ContextResults(context: self, commits: { try await commits.forEach($0) }, read: { try $0.fetch(query) })
  }

  /// Returns the selected values, groups or joined rows of the query as the context sees them, now and after each
  /// change.
  ///
  /// - Parameter query: A query with `select`, `grouped` or `join`.
  /// - Returns: A sequence that throws the errors of ``StoreReader/fetch(_:)-(Query<M>)``, and then ends.
  public func live<Q: ValueQuery>(_ query: Q) -> ContextResults<[Q.Result]> where Q.Result: Sendable {
    let commits = store.live(query)
    return ContextResults(context: self, commits: { try await commits.forEach($0) }, read: { try $0.fetch(query) })
  }
}

/// An asynchronous sequence of the results of a context's query. See ``Context/live(_:)-(Query<M>)``.
///
/// Like its context it isn't `Sendable`.
public struct ContextResults<Element>: AsyncSequence {
  fileprivate let context: Context
  /// Calls the closure for each commit that affects the query.
  fileprivate let commits: @Sendable (_ commit: @Sendable () -> Void) async throws -> Void
  fileprivate let read: (Context) throws -> Element

  /// Returns an iterator that observes the context from now on.
  ///
  /// - Returns: The iterator.
  public func makeAsyncIterator() -> Iterator {
    Iterator(self)
  }

  /// The iterator of ``ContextResults``.
  public struct Iterator: AsyncIteratorProtocol {
    private let results: ContextResults
    private var isFinished = false
    private var changes: AsyncThrowingStream<Void, any Error>.Iterator

    fileprivate init(_ results: ContextResults) {
      self.results = results
      let (stream, continuation) = AsyncThrowingStream.makeStream(
        of: Void.self, throwing: (any Error).self, bufferingPolicy: .bufferingNewest(1))
      let commits = results.commits
      let task = Task.detached {
        do {
          try await commits { continuation.yield() }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      let observers = results.context.observers
      let number = observers.add(continuation)
      continuation.onTermination = { _ in
        task.cancel()
        observers.remove(number)
      }
      continuation.yield()
      changes = stream.makeAsyncIterator()
    }

    /// Waits for the next change, and returns the results.
    ///
    /// - Returns: The newest results, or nil once the task is cancelled and after an error.
    /// - Throws: The errors of the read. After an error the sequence has ended.
    public mutating func next() async throws -> Element? {
      try await next(isolation: nil)
    }

    /// Waits for the next change, and returns the results, which are read on the caller's actor.
    ///
    /// - Parameter actor: The caller's actor.
    /// - Returns: The newest results, or nil once the task is cancelled and after an error.
    /// - Throws: The errors of the read. After an error the sequence has ended.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
      guard !isFinished else { return nil }
      do {
        if try await changes.next(isolation: actor) != nil, !Task.isCancelled {
          return try results.read(results.context)
        }
      } catch {
        isFinished = true
        throw error
      }
      isFinished = true
      return nil
    }
  }
}

/// Those who want to know of changes of a context, its parents and its children.
final class ContextObservers: Sendable {
  private struct State {
    var count = 0
    var continuations: [Int: AsyncThrowingStream<Void, any Error>.Continuation] = [:]
  }

  private let state = Mutex(State())

  func add(_ continuation: AsyncThrowingStream<Void, any Error>.Continuation) -> Int {
    state.withLock { state in
      state.count += 1
      state.continuations[state.count] = continuation
      return state.count
    }
  }

  func remove(_ number: Int) {
    _ = state.withLock { $0.continuations.removeValue(forKey: number) }
  }

  /// Says that something has changed.
  func notify() {
    for continuation in state.withLock({ Array($0.continuations.values) }) { continuation.yield() }
  }
}

extension LiveResults {
  fileprivate func forEach(_ body: @Sendable () -> Void) async throws {
    for try await _ in self { body() }
  }
}
