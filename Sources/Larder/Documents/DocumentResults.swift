extension Documents where Content: Sendable {
  /// Returns the documents that satisfy the conditions as a collection that holds their keys and loads documents on
  /// demand.
  ///
  /// ```swift
  /// let notes = try await store.documents("notes", of: Note.self).results(sort: "title")
  /// if let note = notes[250_000] { show(note) }
  /// ```
  ///
  /// The keys, and so the number and order of the elements, are fixed when this method is called.
  ///
  /// - Parameters:
  ///   - conditions: All conditions of a set must hold, for at least one set. Without conditions, every document
  ///     qualifies.
  ///   - sort: Names or paths, separated by commas, each optionally followed by `asc` or `desc`.
  ///   - validatesProperties: Whether a property that no document ever had is an error.
  /// - Returns: A random-access collection of documents.
  /// - Throws: The errors of `keys(where:sort:)`.
  public func results(
    where conditions: [Condition] = [], sort: String = "", validatesProperties: Bool = true
  ) async throws -> DocumentResults<Content> {
    makeResults(try await keys(where: conditions, sort: sort, validatesProperties: validatesProperties))
  }

  /// Returns the documents for which the closure's condition holds as a collection that loads documents on demand.
  ///
  /// - Parameters:
  ///   - sort: Names or paths, separated by commas, each optionally followed by `asc` or `desc`.
  ///   - validatesProperties: Whether a property that no document ever had is an error.
  ///   - isolation: The caller's actor, on which the closure runs.
  ///   - condition: Returns the condition.
  /// - Returns: A random-access collection of documents.
  /// - Throws: The errors of `keys(where:sort:)`.
  public func results(
    sort: String = "", validatesProperties: Bool = true, isolation: isolated (any Actor)? = #isolation,
    where condition: (DocumentProperties) -> Condition
  ) async throws -> DocumentResults<Content> {
    makeResults(
      try await keys(sort: sort, validatesProperties: validatesProperties, isolation: isolation, where: condition))
  }

  private func makeResults(_ keys: [String]) -> DocumentResults<Content> {
    DocumentResults(
      keys: keys, pages: DocumentPages(store, DocumentTable(name)), coding: DocumentCoding(collection: name))
  }
}

/// The documents of a query, loaded on demand in pages. See `results(where:sort:)` of ``Documents``.
///
/// An element is nil if its document has been deleted or has expired. Elements are current: after a commit that affects
/// the collection, loaded documents are loaded again. The keys and their order never change; call
/// `results(where:sort:)` again to update them.
///
/// A subscript whose page isn't loaded blocks its thread until the page is read. ``elements(in:)`` doesn't block.
public struct DocumentResults<Content: Codable & Sendable>: Sendable {
  /// The number of documents in a page.
  public static var pageSize: Int { DocumentPages.size }

  /// The keys of the documents, in the query's order.
  public let keys: [String]
  private let pages: DocumentPages
  private let coding: DocumentCoding<Content>

  init(keys: [String], pages: DocumentPages, coding: DocumentCoding<Content>) {
    self.keys = keys
    self.pages = pages
    self.coding = coding
  }

  /// Returns the documents at some positions, without blocking the thread.
  ///
  /// - Parameter range: The positions.
  /// - Returns: One element for each position; nil if its document no longer exists.
  /// - Throws: ``StoreError`` `.invalidValue` if a document can't be decoded as the collection's type, the errors of
  ///   any read, and `CancellationError` as soon as the task is cancelled.
  public func elements(in range: Range<Int>) async throws -> [Content?] {
    let keys = keys[range]
    let rows = try await pages.rows(with: keys)
    return try zip(keys, rows).map { key, row in try row.map { try coding.decode(key, json: $0.json) } }
  }
}

extension DocumentResults: RandomAccessCollection {
  public var startIndex: Int { keys.startIndex }
  public var endIndex: Int { keys.endIndex }

  /// The document at the position; nil if it no longer exists, or can't be read or decoded. ``elements(in:)`` throws
  /// the reason.
  ///
  /// - Complexity: O(1) if its page is loaded, and otherwise one lookup for each key of the page.
  public subscript(position: Int) -> Content? {
    precondition(
      keys.indices.contains(position), "there is no position \(position) in results of \(keys.count) documents")
    guard let row = pages.row(at: position, of: keys) else { return nil }
    return try? coding.decode(keys[position], json: row.json)
  }
}
