/// Documents that refer to one another, of any collections, each of them once: what `load(_:following:)` reads and `save` stores together.
///
/// ```swift
/// var graph = DocumentGraph()
/// let ada = graph.insert(Customer(key: "ada", name: "Ada"))
/// let tea = graph.insert(Product(key: "tea", name: "Tea"))
/// graph.insert(Order(key: "o1", customer: ada, lines: [OrderLine(product: tea)]))
/// try await store.save(graph)
/// ```
///
/// A reference leads to its document with a subscript, `graph[order.customer]`, so circles and shared targets need no care. Documents of collections
/// without a type are found by collection and key: `graph["customers", "ada"]`. A graph is a value: changing it changes nothing in the file.
public struct DocumentGraph: Sendable {
  typealias Content = any Codable & Sendable

  /// What is known of a document.
  enum Entry: Sendable {
    /// Its value. `isChanged` says whether it was given by the user and not read from the file.
    case value(Content, isChanged: Bool)
    /// It was looked for, and is not there.
    case missing
  }

  /// An entry, and the number by which entries are in the order in which they came.
  private struct Numbered: Sendable {
    var entry: Entry
    let number: Int
  }

  private var entries: [DocumentAddress: Numbered] = [:]
  private var nextNumber = 0

  /// A graph without documents.
  public init() {}

  /// A graph of the values: `DocumentGraph(order, ada, tea)`.
  public init<each Value: StoredDocument>(_ values: repeat each Value) {
    for value in repeat each values { insert(value) }
  }

  // MARK: Documents

  /// The number of documents in the graph. Missing ones don't count.
  public private(set) var count = 0

  /// Whether the graph has no documents.
  public var isEmpty: Bool { count == 0 }

  /// Adds the value, in the place of one with its key.
  ///
  /// - Returns: The reference to it.
  @discardableResult
  public mutating func insert<Value: StoredDocument>(_ value: Value) -> DocumentReference<Value> {
    let reference = DocumentReference(value)
    self[reference] = value
    return reference
  }

  /// Adds the values, each in the place of one with its key.
  public mutating func insert(contentsOf values: some Sequence<some StoredDocument>) {
    for value in values { insert(value) }
  }

  /// The document that is referred to; nil if it is missing, was not loaded, or is in the graph as another type.
  ///
  /// Setting nil takes the document out of the graph. It is not deleted from the store.
  public subscript<Target>(reference: DocumentReference<Target>) -> Target? {
    get { value(at: reference.address) as? Target }
    set { set(newValue, at: reference.address) }
  }

  /// The document without a type of the collection; nil if it is missing, was not loaded, or is in the graph as a value of a type.
  ///
  /// Setting nil takes the document out of the graph. It is not deleted from the store.
  public subscript(collection: String, key: String) -> Document? {
    get { value(at: DocumentAddress(collection, key)) as? Document }
    set { set(newValue, at: DocumentAddress(collection, key)) }
  }

  /// The documents of the type, in the order in which they came into the graph.
  public func values<Value: StoredDocument>(of type: Value.Type) -> [Value] {
    contents(of: type.collection) { _, value in value as? Value }
  }

  /// The documents without a type of the collection, in the order in which they came into the graph.
  public func documents(in collection: String) -> [KeyedValue<Document>] {
    contents(of: collection) { key, value in (value as? Document).map { KeyedValue(key: key, value: $0) } }
  }

  // MARK: Missing documents

  /// Whether the document was looked for and is not there: it was never stored, was deleted, or has expired.
  public func isMissing<Target>(_ reference: DocumentReference<Target>) -> Bool {
    isMissing(at: reference.address)
  }

  /// Whether the document was looked for and is not there: it was never stored, was deleted, or has expired.
  public func isMissing(_ collection: String, _ key: String) -> Bool {
    isMissing(at: DocumentAddress(collection, key))
  }

  /// The documents that were looked for and are not there, in the order in which they were looked for.
  public var missing: [(collection: String, key: String)] {
    inOrder { address, entry in
      if case .missing = entry { (address.collection, address.key) } else { nil }
    }
  }

  private func isMissing(at address: DocumentAddress) -> Bool {
    if case .missing = entries[address]?.entry { true } else { false }
  }

  // MARK: Entries

  /// The documents that were given by the user, in the order in which they came.
  var changes: [(address: DocumentAddress, value: Content)] {
    inOrder { address, entry in
      if case .value(let value, isChanged: true) = entry { (address, value) } else { nil }
    }
  }

  func isKnown(_ address: DocumentAddress) -> Bool { entries[address] != nil }

  func value(at address: DocumentAddress) -> Content? {
    if case .value(let value, _) = entries[address]?.entry { value } else { nil }
  }

  /// What the closure makes of the entries, in the order in which they came.
  private func inOrder<Output>(_ transform: (DocumentAddress, Entry) -> Output?) -> [Output] {
    let found = entries.compactMap { address, numbered in transform(address, numbered.entry).map { (number: numbered.number, output: $0) } }
    return found.sorted { $0.number < $1.number }.map(\.output)
  }

  private func contents<Output>(of collection: String, _ transform: (String, Content) -> Output?) -> [Output] {
    let name = collection.foldedTableName
    return inOrder { address, entry in
      guard case .value(let value, _) = entry, address.collection.foldedTableName == name else { return nil }
      return transform(address.key, value)
    }
  }

  private mutating func set(_ value: Content?, at address: DocumentAddress) {
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
