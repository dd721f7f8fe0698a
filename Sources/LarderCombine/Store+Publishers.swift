public import Larder

extension Store {
  /// The rows of the query, now and again after each commit that touches what the query reads.
  ///
  /// ```swift
  /// let subscription = store.publisher(for: Note.all.sorted(by: \.title)).sink { _ in } receiveValue: { notes in show(notes) }
  /// ```
  ///
  /// Each subscriber follows the query for itself and gets no more values than it asked for. While it asks for none nothing is read; the next value is
  /// then the newest. Cancelling the subscription ends it. It fails with what ``Store/live(_:)-(Query<M>)`` throws. Values arrive on a thread of
  /// Swift's pool; use `receive(on:)` for another.
  public func publisher<M: Model>(for query: Query<M>) -> LivePublisher<LiveResults<[M]>> {
    LivePublisher(live(query))
  }

  /// What the closure reads, now and again after each commit that touches what it read the last time.
  public func publisher<Value: Sendable>(for read: @escaping @Sendable (Snapshot) throws -> Value) -> LivePublisher<LiveResults<Value>> {
    LivePublisher(live(read))
  }
}
