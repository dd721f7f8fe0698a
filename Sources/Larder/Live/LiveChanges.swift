extension Store {
  /// Returns an asynchronous sequence of the changes to the query's rows.
  ///
  /// ```swift
  /// for try await change in store.changes(Note.all.sorted(by: \.title)) {
  ///   titles = change.applying(to: titles)
  /// }
  /// ```
  ///
  /// The first change comes immediately and inserts all rows into an empty list. Each later one is the difference
  /// between the previous rows and the current ones, regardless of how many commits came between. Commits that change
  /// none of the rows are skipped.
  ///
  /// - Parameter query: The condition, order and inclusions of the rows.
  /// - Returns: A sequence that throws the errors of ``Store/fetch(_:)-(Query<M>)``, and then ends.
  /// - Complexity: For each change O(*n*) in the number of rows, and additionally O(*k* log *k*) if rows moved within a
  ///   range of *k* positions.
  public func changes<M: Model>(_ query: Query<M>) -> LiveChanges<M> {
    LiveChanges(results: live(query), inclusions: query.inclusions)
  }
}

/// An asynchronous sequence of the changes to a query's rows. See ``Store/changes(_:)``.
public struct LiveChanges<M: Model>: AsyncSequence, Sendable {
  public typealias Element = ResultsChange<M>

  let results: LiveResults<[M]>
  let inclusions: [Inclusion<M>]

  /// Returns an iterator with its own subscription.
  ///
  /// - Returns: The iterator.
  public func makeAsyncIterator() -> Iterator {
    Iterator(results: results.makeAsyncIterator(), inclusions: inclusions)
  }

  /// The iterator of a ``LiveChanges`` sequence.
  public struct Iterator: AsyncIteratorProtocol {
    var results: LiveResults<[M]>.Iterator
    let inclusions: [Inclusion<M>]
    /// The rows after the previous change; nil before the first.
    private var last: [M]?

    init(results: LiveResults<[M]>.Iterator, inclusions: [Inclusion<M>]) {
      self.results = results
      self.inclusions = inclusions
    }

    /// Waits for the next change, and returns it.
    ///
    /// - Returns: The change, or nil once the task is cancelled and after an error.
    /// - Throws: The errors of the query. After an error the sequence has ended.
    public mutating func next() async throws -> ResultsChange<M>? {
      while let values = try await results.next() {
        let change = ResultsChange(from: last ?? [], to: values, inclusions)
        guard last == nil || !change.isEmpty else { continue }
        last = values
        return change
      }
      last = nil
      return nil
    }
  }
}
