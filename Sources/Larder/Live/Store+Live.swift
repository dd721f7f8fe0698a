extension Store {
  /// The rows of the query now, and again after each commit that touches what the query reads.
  ///
  /// ```swift
  /// for try await notes in store.live(Note.all.sorted(by: \.modifiedAt, order: .reverse)) { show(notes) }
  /// ```
  ///
  /// The first value comes at once. Commits that come faster than the consumer takes values are answered by one value, the newest; the last
  /// state is never missed. Commits of other processes are seen within a tenth of a second. The sequence ends when its task is cancelled.
  ///
  /// What ``Query/including(_:)`` loads is watched as well. A value may equal the one before it: the commit touched a column that the query
  /// reads, in another row. `removeDuplicates()` of the async algorithms package leaves those out where the elements can be compared.
  ///
  /// - Throws: While iterating, what ``Store/fetch(_:)-(Query<M>)`` throws; then the sequence is at its end.
  public func live<M: Model>(_ query: Query<M>) -> LiveResults<[M]> {
    LiveResults(store: self) { try $0.fetch(query) }
  }

  /// The groups of the query now, and again after each commit that touches what the query reads.
  ///
  /// - Throws: While iterating, what ``Store/fetch(_:)-(Query<M>)`` throws; then the sequence is at its end.
  public func live<M: Model, Key: Sendable, each Output: Sendable>(
    _ query: GroupedQuery<M, Key, repeat each Output>
  ) -> LiveResults<[(repeat each Output)]> {
    LiveResults(store: self) { try $0.fetch(query) }
  }

  /// What the closure reads now, and again after each commit that touches what it read the last time.
  ///
  /// ```swift
  /// for try await count in store.live({ db in try db.count(Note.where { !$0.isRead }) }) { show(count) }
  /// ```
  ///
  /// All reads of one call see the same commit. The closure may ask different questions each time: those of its last call are watched. What it
  /// reads from elsewhere is not.
  ///
  /// - Throws: While iterating, what the closure throws; then the sequence is at its end.
  public func live<Value: Sendable>(_ read: @escaping @Sendable (Snapshot) throws -> Value) -> LiveResults<Value> {
    LiveResults(store: self) { connection in
      try Snapshot.reading(connection) { snapshot in
        // What fixes the snapshot's view is no read of the closure's.
        connection.tracked = TrackedReads()
        return try read(snapshot)
      }
    }
  }
}
