public import Larder

extension Store {
  /// Returns a publisher of the query's rows, now and after each commit that affects the query.
  ///
  /// ```swift
  /// let subscription = store.publisher(for: Note.all.sorted(by: \.title)).sink { _ in } receiveValue: { notes in show(notes) }
  /// ```
  ///
  /// Each subscriber gets its own values, and no more than it demands. Without demand nothing is read; the next value
  /// is then the newest. Cancelling the subscription ends it. Values arrive on a thread of Swift's pool; to change it,
  /// use `receive(on:)`.
  ///
  /// - Parameter query: The condition, order and inclusions of the rows.
  /// - Returns: A publisher that fails with the errors of `Store.live(_:)`.
  public func publisher<M: Model>(for query: Query<M>) -> LivePublisher<LiveResults<[M]>> {
    LivePublisher(live(query))
  }

  /// Returns a publisher of the closure's results, now and after each commit that affects what it last read.
  ///
  /// - Parameter read: The closure.
  /// - Returns: A publisher that fails with what the closure throws.
  public func publisher<Value: Sendable>(
    for read: @escaping @Sendable (Snapshot) throws -> Value
  ) -> LivePublisher<LiveResults<Value>> {
    LivePublisher(live(read))
  }

  /// Returns a publisher of the query's selected values, groups or joined rows, now and after each commit that affects
  /// them.
  ///
  /// - Parameter query: A query with `select`, `grouped` or `join`.
  /// - Returns: A publisher that fails with the errors of `Store.live(_:)`.
  public func publisher<Q: ValueQuery>(for query: Q) -> LivePublisher<LiveResults<[Q.Result]>>
  where Q.Result: Sendable {
    LivePublisher(live(query))
  }

  /// Returns a publisher of the query's rows in sections, now and after each commit that affects the query.
  ///
  /// - Parameters:
  ///   - query: The condition and order of the rows.
  ///   - key: A property, or a value computed from a row.
  /// - Returns: A publisher that fails with the errors of `Store.live(_:)`.
  public func publisher<M: Model, Key: Hashable & Sendable>(
    for query: Query<M>, sectionedBy key: @escaping @Sendable (M) -> Key
  ) -> LivePublisher<LiveResults<[ResultsSection<Key, M>]>> {
    LivePublisher(live(query, sectionedBy: key))
  }

  /// Returns a publisher of the changes to the query's rows. The first change inserts all rows.
  ///
  /// What is committed while there is no demand becomes one change.
  ///
  /// - Parameter query: The condition, order and inclusions of the rows.
  /// - Returns: A publisher that fails with the errors of `Store.changes(_:)`.
  public func changesPublisher<M: Model>(for query: Query<M>) -> LivePublisher<LiveChanges<M>> {
    LivePublisher(changes(query))
  }
}
