public import Larder

extension Store {
  /// The rows of the query, now and again after each commit that touches what the query reads.
  ///
  /// ```swift
  /// let subscription = store.publisher(for: Note.all.sorted(by: \.title)).sink { _ in } receiveValue: { notes in show(notes) }
  /// ```
  ///
  /// Each subscriber follows the query for itself and gets no more values than it asked for. While it asks for none nothing is read; the next value
  /// is then the newest. Cancelling the subscription ends it. It fails with what ``Store/live(_:)-(Query<M>)`` throws. Values arrive on a thread of
  /// Swift's pool; use `receive(on:)` for another.
  public func publisher<M: Model>(for query: Query<M>) -> LivePublisher<LiveResults<[M]>> {
    LivePublisher(live(query))
  }

  /// What the closure reads, now and again after each commit that touches what it read the last time.
  public func publisher<Value: Sendable>(for read: @escaping @Sendable (Snapshot) throws -> Value) -> LivePublisher<LiveResults<Value>> {
    LivePublisher(live(read))
  }

  /// The groups of the query, now and again after each commit that touches what the query reads.
  public func publisher<M: Model, Key: Sendable, each Output: Sendable>(
    for query: GroupedQuery<M, Key, repeat each Output>
  ) -> LivePublisher<LiveResults<[(repeat each Output)]>> {
    LivePublisher(live(query))
  }

  /// The rows of the query in sections, now and again after each commit that touches what the query reads.
  public func publisher<M: Model, Key: Hashable & Sendable>(
    for query: Query<M>, sectionedBy key: @escaping @Sendable (M) -> Key
  ) -> LivePublisher<LiveResults<[ResultsSection<Key, M>]>> {
    LivePublisher(live(query, sectionedBy: key))
  }

  /// How the rows of the query change: all of them at first, and then what each commit that touches them did to them.
  ///
  /// What is committed while the subscriber asks for nothing is one change when it does.
  public func changesPublisher<M: Model>(for query: Query<M>) -> LivePublisher<ResultsChanges<M>> {
    LivePublisher(changes(query))
  }
}
