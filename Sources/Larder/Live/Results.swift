extension Store {
  /// The rows of the query as a collection that holds their keys, and loads the rows themselves when they are asked for.
  ///
  /// ```swift
  /// let notes = try await store.results(Note.all.sorted(by: \.title))
  /// if let note = notes[250_000] { show(note) }
  /// ```
  ///
  /// The keys, and with them the number of rows and their order, are those of this moment.
  ///
  /// - Throws: What ``Store/fetch(_:)-(Query<M>)`` throws.
  /// - Complexity: One statement that reads the key of each row. A whole number takes eight bytes of memory, a `UUID` sixteen.
  public func results<M: Model>(_ query: Query<M>) async throws -> Results<M> {
    let keys = try await reading { try $0.keys(of: query) }
    return Results(keys: keys, pages: ResultsPages(self, query.inclusions))
  }
}

/// The rows of a query, loaded a page at a time when they are asked for. Made by ``Store/results(_:)``.
///
/// An element is nil where its row has been deleted. It is what the row holds when it is asked for: rows that were loaded before a commit that
/// touches them are loaded anew. Which keys there are, and in which order, never changes; ask the store for new results.
///
/// A subscript that finds its page missing blocks its thread until the page is read, some tenths of a millisecond. ``elements(in:)`` does not block.
/// Copies share the pages that are loaded.
public struct Results<M: Model>: Sendable {
  /// How many rows are loaded together.
  public static var pageSize: Int { 100 }

  /// The keys of the rows, in the query's order.
  public let keys: [M.ID]
  private let pages: ResultsPages<M>

  init(keys: [M.ID], pages: ResultsPages<M>) {
    self.keys = keys
    self.pages = pages
  }

  /// The rows at some positions, nil for each that has been deleted. Reads without blocking the thread.
  ///
  /// - Throws: What ``Store/fetch(_:)-(Query<M>)`` throws; `CancellationError` as soon as the task is cancelled.
  /// - Complexity: One statement, and one for each relationship that is included.
  public func elements(in range: Range<Int>) async throws -> [M?] {
    try await pages.rows(with: keys[range])
  }
}

extension Results: RandomAccessCollection {
  public var startIndex: Int { keys.startIndex }
  public var endIndex: Int { keys.endIndex }

  /// The row at the position; nil where it has been deleted, and where the store cannot read it: ``elements(in:)`` throws the reason.
  ///
  /// - Complexity: O(1) where its page is loaded. Otherwise one statement, which loads the page; for who walks from page to page, also
  ///   the next one in the direction of travel.
  public subscript(position: Int) -> M? {
    precondition(keys.indices.contains(position), "there is no position \(position) in results of \(keys.count) rows")
    return pages.row(at: position, of: keys)
  }
}
