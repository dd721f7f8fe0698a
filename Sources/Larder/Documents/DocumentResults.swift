extension Documents where Value: Sendable {
  /// The documents that satisfy the conditions as a collection that holds their keys, and loads the documents themselves when they are asked for.
  ///
  /// ```swift
  /// let notes = try await store.documents("notes", of: Note.self).results(sort: "title")
  /// if let note = notes[250_000] { show(note) }
  /// ```
  ///
  /// The keys, and with them the number of documents and their order, are those of this moment.
  ///
  /// - Throws: What `keys(where:sort:)` throws.
  public func results(
    where conditions: [Condition] = [], sort: String = "", validatesProperties: Bool = true
  ) async throws -> DocumentResults<Value> {
    makeResults(try await keys(where: conditions, sort: sort, validatesProperties: validatesProperties))
  }

  /// The documents for which the closure's condition holds as a collection that loads them when they are asked for.
  public func results(
    sort: String = "", validatesProperties: Bool = true, where condition: (DocumentProperties) -> DocumentPredicate
  ) async throws -> DocumentResults<Value> {
    makeResults(try await keys(sort: sort, validatesProperties: validatesProperties, where: condition))
  }

  private func makeResults(_ keys: [String]) -> DocumentResults<Value> {
    DocumentResults(keys: keys, pages: DocumentPages(store, DocumentTable(name)), coding: DocumentCoding(collection: name))
  }
}

/// The documents of a query, loaded a page at a time when they are asked for. Made by `results(where:sort:)` of ``Documents``.
///
/// An element is nil if its document has been deleted or has expired. It is what the document is when it is asked for: documents that were loaded
/// before a commit that touches the collection are loaded anew. Which keys there are, and in which order, never changes; ask the collection for
/// new results.
///
/// A subscript that finds its page missing blocks its thread until the page is read. ``elements(in:)`` does not block.
public struct DocumentResults<Value: Codable & Sendable>: Sendable {
  /// How many documents are loaded together.
  public static var pageSize: Int { DocumentPages.size }

  /// The keys of the documents, in the query's order.
  public let keys: [String]
  private let pages: DocumentPages
  private let coding: DocumentCoding<Value>

  init(keys: [String], pages: DocumentPages, coding: DocumentCoding<Value>) {
    self.keys = keys
    self.pages = pages
    self.coding = coding
  }

  /// The documents at some positions, nil for each that is not there any more. Reads without blocking the thread.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` if one does not decode as the collection's type; `CancellationError` as soon as the task is cancelled.
  public func elements(in range: Range<Int>) async throws -> [Value?] {
    let keys = keys[range]
    let rows = try await pages.rows(with: keys)
    return try zip(keys, rows).map { key, row in try row.map { try coding.decode(key, json: $0.json) } }
  }
}

extension DocumentResults: RandomAccessCollection {
  public var startIndex: Int { keys.startIndex }
  public var endIndex: Int { keys.endIndex }

  /// The document at the position; nil if it is not there any more, and if it cannot be read or decoded: ``elements(in:)`` throws the reason.
  ///
  /// - Complexity: O(1) where its page is loaded, and otherwise a lookup for each key of the page.
  public subscript(position: Int) -> Value? {
    precondition(keys.indices.contains(position), "there is no position \(position) in results of \(keys.count) documents")
    guard let row = pages.row(at: position, of: keys) else { return nil }
    return try? coding.decode(keys[position], json: row.json)
  }
}
