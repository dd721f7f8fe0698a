extension Store {
  /// Returns the rows of the query as a collection that holds their keys and loads rows on demand.
  ///
  /// ```swift
  /// let notes = try await store.results(Note.all.sorted(by: \.title))
  /// if let note = notes[250_000] { show(note) }
  /// ```
  ///
  /// The keys, and so the number and order of the elements, are fixed when this method is called.
  ///
  /// - Parameter query: The condition, order and inclusions of the rows.
  /// - Returns: A random-access collection of rows.
  /// - Throws: The errors of ``Store/fetch(_:)-(Query<M>)``.
  /// - Complexity: One statement that reads the key of each row. An integer key takes eight bytes of memory, a `UUID`
  ///   sixteen.
  public func results<M: Model>(_ query: Query<M>) async throws -> Results<M> {
    let keys = try await reading { try $0.keys(of: query) }
    return Results(keys: keys, pages: ResultsPages(self, query.inclusions))
  }
}

/// The rows of a query, loaded on demand in pages. See ``Store/results(_:)``.
///
/// An element is nil if its row has been deleted. Elements are current: after a commit that affects them, loaded rows
/// are loaded again. The keys and their order never change; call ``Store/results(_:)`` again to update them.
///
/// A subscript whose page isn't loaded blocks its thread until the page is read, some tenths of a millisecond.
/// ``elements(in:)`` doesn't block. Copies share loaded pages.
public struct Results<M: Model>: Sendable {
  /// The number of rows in a page.
  public static var pageSize: Int { 100 }

  /// The keys of the rows, in the query's order.
  public let keys: [M.ID]
  private let pages: ResultsPages<M>

  init(keys: [M.ID], pages: ResultsPages<M>) {
    self.keys = keys
    self.pages = pages
  }

  /// Returns the rows at some positions, without blocking the thread.
  ///
  /// - Parameter range: The positions.
  /// - Returns: One element for each position; nil if its row has been deleted.
  /// - Throws: The errors of ``Store/fetch(_:)-(Query<M>)``; `CancellationError` as soon as the task is cancelled.
  /// - Complexity: One statement, and one for each included relationship.
  public func elements(in range: Range<Int>) async throws -> [M?] {
    try await pages.rows(with: keys[range])
  }
}

extension Results: RandomAccessCollection {
  public var startIndex: Int { keys.startIndex }
  public var endIndex: Int { keys.endIndex }

  /// The row at the position; nil if it has been deleted or can't be read. ``elements(in:)`` throws the reason.
  ///
  /// - Complexity: O(1) if its page is loaded. Otherwise one statement, which loads the page and, during sequential
  ///   access, the next page in that direction.
  public subscript(position: Int) -> M? {
    precondition(keys.indices.contains(position), "there is no position \(position) in results of \(keys.count) rows")
    return pages.row(at: position, of: keys)
  }
}
