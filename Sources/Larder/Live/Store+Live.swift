extension Store {
  /// Returns the rows of the query, now and after each commit that affects the query.
  ///
  /// ```swift
  /// for try await notes in store.live(Note.all.sorted(by: \.modifiedAt, order: .reverse)) { show(notes) }
  /// ```
  ///
  /// The first value comes immediately. If commits come faster than the consumer takes values, it only gets the newest
  /// one; the last state is never missed. Commits of other processes are noticed within a tenth of a second. The
  /// sequence ends when its task is cancelled.
  ///
  /// Rows loaded by ``Query/including(_:)`` are observed as well. A value may equal the previous one, if the commit
  /// changed a column that the query reads in another row. To skip those, use `removeDuplicates()` of the async
  /// algorithms package.
  ///
  /// - Parameter query: The condition, order and inclusions of the rows.
  /// - Returns: A sequence that throws the errors of ``Store/fetch(_:)-(Query<M>)``, and then ends.
  public func live<M: Model>(_ query: Query<M>) -> LiveResults<[M]> {
    LiveResults(store: self) { try $0.fetch(query) }
  }

  /// Returns the selected values, groups or joined rows of the query, now and after each commit that affects them.
  ///
  /// - Parameter query: A query with `select`, `grouped` or `join`. Columns that it doesn't read aren't observed.
  /// - Returns: A sequence that throws the errors of ``Store/fetch(_:)-(Query<M>)``, and then ends.
  public func live<Q: ValueQuery>(_ query: Q) -> LiveResults<[Q.Result]> where Q.Result: Sendable {
    let statement = query._statement
    return LiveResults(store: self) { try $0.fetch(statement) }
  }

  /// Returns the results of the closure, now and after each commit that affects what it last read.
  ///
  /// ```swift
  /// for try await count in store.live({ db in try db.count(Note.where { !$0.isRead }) }) { show(count) }
  /// ```
  ///
  /// All reads of one call see the same commit. The closure may read different rows each time: those of its last call
  /// are observed. What it reads from elsewhere isn't.
  ///
  /// - Parameter read: The closure, which is called again after each commit that affects it.
  /// - Returns: A sequence that throws what `read` throws, and then ends.
  public func live<Value: Sendable>(_ read: @escaping @Sendable (Snapshot) throws -> Value) -> LiveResults<Value> {
    LiveResults(store: self) { connection in
      try Snapshot.reading(connection) { snapshot in
        // The read that fixes the snapshot's view isn't one of the closure.
        connection.tracked = TrackedReads()
        return try read(snapshot)
      }
    }
  }

  /// Returns the results of a module's closure, now and after each commit that affects what it last read.
  ///
  /// - Parameter read: The closure.
  /// - Returns: A sequence that throws what `read` throws, and then ends.
  package func liveModule<Value: Sendable>(
    _ read: @escaping @Sendable (ModuleConnection) throws -> Value
  ) -> LiveResults<Value> {
    LiveResults(store: self) { try read(ModuleConnection($0)) }
  }
}
