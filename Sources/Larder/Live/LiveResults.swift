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
  /// - Throws: While iterating, what ``Store/fetch(_:)-(Query<M>)`` throws.
  public func live<M: Model>(_ query: Query<M>) -> LiveResults<M> {
    LiveResults(store: self, query: query)
  }
}

/// An asynchronous sequence of a query's results. Made by ``Store/live(_:)``.
public struct LiveResults<M: Model>: AsyncSequence, Sendable {
  public typealias Element = [M]

  let store: Store
  let query: Query<M>

  public func makeAsyncIterator() -> Iterator {
    Iterator(store: store, query: query)
  }

  /// What waits for the next result.
  public struct Iterator: AsyncIteratorProtocol {
    private let store: Store
    private let query: Query<M>
    private let subscription: LiveSubscription

    init(store: Store, query: Query<M>) {
      self.store = store
      self.query = query
      subscription = LiveSubscription(store.live)
    }

    /// The newest result that was not yet given; nil once the task is cancelled.
    public mutating func next() async throws -> [M]? {
      guard await subscription.observer.waitForChange() else { return nil }
      let query = query
      do {
        let (rows, region) = try await store.reading { connection in
          (try connection.fetch(query), try connection.region(of: query))
        }
        subscription.observer.watch(region)
        return rows
      } catch is CancellationError {
        return nil
      }
    }
  }
}

/// An observer that is registered as long as its owner lives.
final class LiveSubscription: Sendable {
  let observer = LiveObserver()
  private let registry: LiveRegistry
  private let id: Int

  init(_ registry: LiveRegistry) {
    self.registry = registry
    id = registry.add(observer)
  }

  deinit {
    registry.remove(id)
  }
}

extension Connection {
  /// The tables and columns that the query reads.
  func region<M: Model>(of query: Query<M>) throws -> Region {
    var region: Region
    if query.isEverything {
      region = try statement(.fetchAll, M.self).facts.reads
    } else {
      var writer = environment.makeWriter()
      try query.select(&writer)
      region = try statement(writer.sql).facts.reads
    }
    for inclusion in query.inclusions { region.formUnion(try inclusion.region(self)) }
    return region
  }
}
