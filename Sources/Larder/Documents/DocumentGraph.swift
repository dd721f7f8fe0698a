/// Documents of any collections that refer to one another, each of them once. `load(_:following:)` reads a graph, and
/// `save` stores it.
///
/// ```swift
/// var graph = DocumentGraph()
/// let ada = graph.insert(Customer(key: "ada", name: "Ada"))
/// let tea = graph.insert(Product(key: "tea", name: "Tea"))
/// graph.insert(Order(key: "o1", customer: ada, lines: [OrderLine(product: tea)]))
/// try await store.save(graph)
/// ```
///
/// A subscript follows a reference to its document, `graph[order.customer]`, so cycles and shared targets need no
/// special handling. Documents of untyped collections are found by collection and key: `graph["customers", "ada"]`. A
/// graph is a value: changing it doesn't change the file.
public struct DocumentGraph: Sendable {
  typealias AnyContent = any Codable & Sendable

  /// What is known about a document.
  enum Entry: Sendable {
    /// Its value. `isChanged` is true if the program set it, and false if it was read from the file.
    case value(AnyContent, isChanged: Bool)
    /// It was looked up and doesn't exist.
    case missing
  }

  /// An entry, and its position in the order of insertion.
  private struct Numbered: Sendable {
    var entry: Entry
    let number: Int
  }

  private var entries: [DocumentAddress: Numbered] = [:]
  private var nextNumber = 0

  /// Creates an empty graph.
  public init() {}

  /// Creates a graph with the values: `DocumentGraph(order, ada, tea)`.
  ///
  /// - Parameter values: The documents.
  public init<each Content: StoredDocument>(_ values: repeat each Content) {
    for value in repeat each values { insert(value) }
  }

  // MARK: Documents

  /// The number of documents in the graph. Missing ones don't count.
  public private(set) var count = 0

  /// Whether the graph has no documents.
  public var isEmpty: Bool { count == 0 }

  /// Inserts the value, replacing one with the same key.
  ///
  /// - Parameter value: The document.
  /// - Returns: A reference to it.
  @discardableResult
  public mutating func insert<Content: StoredDocument>(_ value: Content) -> DocumentReference<Content> {
    let reference = DocumentReference(value)
    self[reference] = value
    return reference
  }

  /// Inserts the values, each replacing one with the same key.
  ///
  /// - Parameter values: The documents.
  public mutating func insert(contentsOf values: some Sequence<some StoredDocument>) {
    for value in values { insert(value) }
  }

  /// The document that the reference refers to; nil if it is missing, wasn't loaded, or is in the graph as a value of
  /// another type.
  ///
  /// Setting nil removes the document from the graph, but not from the store.
  public subscript<Target>(reference: DocumentReference<Target>) -> Target? {
    get { value(at: reference.address) as? Target }
    set { set(newValue, at: reference.address) }
  }

  /// The untyped document with the collection and key; nil if it is missing, wasn't loaded, or is in the graph as a
  /// value of a type.
  ///
  /// Setting nil removes the document from the graph, but not from the store.
  public subscript(collection: String, key: String) -> Document? {
    get { value(at: DocumentAddress(collection, key)) as? Document }
    set { set(newValue, at: DocumentAddress(collection, key)) }
  }

  /// Returns the documents of a type, in the order in which they were added.
  ///
  /// - Parameter type: The type of the documents.
  /// - Returns: The documents, without missing ones.
  public func values<Content: StoredDocument>(of type: Content.Type) -> [Content] {
    contents(of: type.collection) { _, value in value as? Content }
  }

  /// Returns the untyped documents of a collection, in the order in which they were added.
  ///
  /// - Parameter collection: The name of the collection.
  /// - Returns: The documents with their keys, without missing ones.
  public func documents(in collection: String) -> [KeyedValue<Document>] {
    contents(of: collection) { key, value in (value as? Document).map { KeyedValue(key: key, value: $0) } }
  }

  // MARK: Missing documents

  /// Returns whether the document was looked up and doesn't exist: it was never stored, was deleted, or has expired.
  ///
  /// - Parameter reference: The reference to the document.
  /// - Returns: `true` if the document is known to be missing; `false` if it exists or was never looked up.
  public func isMissing<Target>(_ reference: DocumentReference<Target>) -> Bool {
    isMissing(at: reference.address)
  }

  /// Returns whether the document was looked up and doesn't exist: it was never stored, was deleted, or has expired.
  ///
  /// - Parameters:
  ///   - collection: The name of the collection.
  ///   - key: The key of the document.
  /// - Returns: `true` if the document is known to be missing; `false` if it exists or was never looked up.
  public func isMissing(_ collection: String, _ key: String) -> Bool {
    isMissing(at: DocumentAddress(collection, key))
  }

  /// The documents that were looked up and don't exist, in the order of the lookups.
  public var missing: [(collection: String, key: String)] {
    inOrder { address, entry in
      if case .missing = entry { (address.collection, address.key) } else { nil }
    }
  }

  private func isMissing(at address: DocumentAddress) -> Bool {
    if case .missing = entries[address]?.entry { true } else { false }
  }

  // MARK: Entries

  /// The documents that the program set, in the order in which they were added.
  var changes: [(address: DocumentAddress, value: AnyContent)] {
    inOrder { address, entry in
      if case .value(let value, isChanged: true) = entry { (address, value) } else { nil }
    }
  }

  func isKnown(_ address: DocumentAddress) -> Bool { entries[address] != nil }

  func value(at address: DocumentAddress) -> AnyContent? {
    if case .value(let value, _) = entries[address]?.entry { value } else { nil }
  }

  /// Transforms the entries in the order in which they were added.
  private func inOrder<Output>(_ transform: (DocumentAddress, Entry) -> Output?) -> [Output] {
    let found = entries.compactMap { address, numbered in
      transform(address, numbered.entry).map { (number: numbered.number, output: $0) }
    }
    return found.sorted { $0.number < $1.number }.map(\.output)
  }

  private func contents<Output>(of collection: String, _ transform: (String, AnyContent) -> Output?) -> [Output] {
    let name = collection.foldedTableName
    return inOrder { address, entry in
      guard case .value(let value, _) = entry, address.collection.foldedTableName == name else { return nil }
      return transform(address.key, value)
    }
  }

  private mutating func set(_ value: AnyContent?, at address: DocumentAddress) {
    note(value.map { .value($0, isChanged: true) }, at: address)
  }

  mutating func note(_ entry: Entry?, at address: DocumentAddress) {
    if value(at: address) != nil { count -= 1 }
    guard let entry else {
      entries[address] = nil
      return
    }
    if case .value = entry { count += 1 }
    if entries[address] == nil {
      entries[address] = Numbered(entry: entry, number: nextNumber)
      nextNumber += 1
    } else {
      entries[address]?.entry = entry
    }
  }
}
