extension Store {
  /// How the rows of the query change: all of them at first, and then what each commit that touches them did to them.
  ///
  /// ```swift
  /// for try await change in store.changes(Note.all.sorted(by: \.title)) {
  ///   titles = change.applying(to: titles)
  /// }
  /// ```
  ///
  /// The first change comes at once and inserts all rows into an empty list. The next one tells the difference between the rows that were given
  /// last and those of now, whatever was committed between them; commits that change none of the rows are left out.
  ///
  /// - Throws: While iterating, what ``Store/fetch(_:)-(Query<M>)`` throws; then the sequence is at its end.
  /// - Complexity: For each change O(*n*) in the number of rows, and O(*k* log *k*) more where rows moved across a distance of *k*.
  public func changes<M: Model>(_ query: Query<M>) -> ResultsChanges<M> {
    ResultsChanges(results: live(query), inclusions: query.inclusions)
  }
}

/// An asynchronous sequence of the changes of a query's rows. Made by ``Store/changes(_:)``.
public struct ResultsChanges<M: Model>: AsyncSequence, Sendable {
  public typealias Element = ResultsChange<M>

  let results: LiveResults<[M]>
  let inclusions: [Inclusion<M>]

  public func makeAsyncIterator() -> Iterator {
    Iterator(results: results.makeAsyncIterator(), inclusions: inclusions)
  }

  /// What waits for the next change.
  public struct Iterator: AsyncIteratorProtocol {
    var results: LiveResults<[M]>.Iterator
    let inclusions: [Inclusion<M>]
    /// The rows that were given last; nil before the first.
    private var last: [M]?

    init(results: LiveResults<[M]>.Iterator, inclusions: [Inclusion<M>]) {
      self.results = results
      self.inclusions = inclusions
    }

    /// The next change, as soon as there is one; nil once the task is cancelled, and after an error.
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
