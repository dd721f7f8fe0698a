public import Foundation

/// A collection of documents, without `await`: `store.blocking.documents("people")`, and `db.documents("people")` in a transaction or snapshot.
///
/// It offers the verbs of ``Documents``, which explains them.
public struct BlockingDocuments<Access: StoreReader, Value: Codable> {
  /// The collection's name.
  public let name: String
  let access: Access
  private let table: DocumentTable

  init(_ name: String, _ access: Access) {
    self.name = name
    self.access = access
    table = DocumentTable(name)
  }

  private var coding: DocumentCoding<Value> { DocumentCoding(collection: name) }

  private func reading<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try access._read(isReentrant: true) { try body($0.connection) }
  }

  /// Whether there is a document with the key.
  public func contains(_ key: String) throws -> Bool {
    try reading { try table.contains(key, $0) }
  }

  /// The document with the key, or nil.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` where it does not decode as the collection's type.
  public func get(_ key: String) throws -> Value? {
    try reading { try table.get(key, $0) { try coding.decode(key, $0) } }
  }

  /// The document with the key, or nil.
  public subscript(key: String) -> Value? {
    get throws { try get(key) }
  }

  /// The documents with the keys; those that are not there are left out.
  ///
  /// - Throws: As `get` of one key, for the first that does not decode; `.unsupported` if two keys differ in the file alone and not for Swift.
  public func get(_ keys: some Sequence<String>) throws -> [String: Value] {
    try reading { connection in
      var values: [String: Value] = [:]
      for key in keys {
        guard let value = try table.get(key, connection, { try coding.decode(key, $0) }) else { continue }
        if let position = values.index(forKey: key), ExactText(values[position].key) != ExactText(key) {
          throw StoreError(
            .unsupported, model: name,
            "Two of the documents of \(name) have keys that Swift takes for equal, of which a dictionary holds one. Get each by itself, or use load.")
        }
        values[key] = value
      }
      return values
    }
  }

  /// The JSON text of the document, or nil.
  public func json(_ key: String) throws -> String? {
    try reading { try table.get(key, $0) { String(decoding: $0, as: UTF8.self) } }
  }

  /// When the document expires; nil for one that stays, and if there is none.
  public func expiry(of key: String) throws -> Date? {
    try reading { try table.expiry(of: key, $0) }
  }

  /// The names of the properties that documents of the collection ever had, oldest first.
  public var properties: [String] {
    get throws { try reading { try table.properties($0) } }
  }

  /// The paths of each index of the collection, oldest first.
  public var indexes: [[String]] {
    get throws { try reading { try table.indexes($0) } }
  }

  // MARK: Queries

  /// The keys of the documents that satisfy the conditions, in the order that the text says.
  public func keys(
    where conditions: [Condition] = [], sort: String = "", limit: Int? = nil, offset: Int = 0, validatesProperties: Bool = true
  ) throws -> [String] {
    try keys(DocumentQuery(DocumentPredicate(conditions), sort: sort, limit: limit, offset: offset, validatesProperties: validatesProperties))
  }

  /// The keys of the documents for which the closure's condition holds: `people.keys { $0.age > 30 && $0.name == "Ada" }`.
  public func keys(
    sort: String = "", limit: Int? = nil, offset: Int = 0, validatesProperties: Bool = true,
    where condition: (DocumentProperties) -> DocumentPredicate
  ) throws -> [String] {
    try keys(
      DocumentQuery(condition(DocumentProperties()), sort: sort, limit: limit, offset: offset, validatesProperties: validatesProperties))
  }

  func keys(_ query: DocumentQuery) throws -> [String] {
    try reading { try table.keys(query, $0) }
  }

  /// The documents that satisfy the conditions, with their keys.
  public func fetch(
    where conditions: [Condition] = [], sort: String = "", limit: Int? = nil, offset: Int = 0, validatesProperties: Bool = true
  ) throws -> [KeyedValue<Value>] {
    try fetch(DocumentQuery(DocumentPredicate(conditions), sort: sort, limit: limit, offset: offset, validatesProperties: validatesProperties))
  }

  /// The documents for which the closure's condition holds, with their keys.
  public func fetch(
    sort: String = "", limit: Int? = nil, offset: Int = 0, validatesProperties: Bool = true,
    where condition: (DocumentProperties) -> DocumentPredicate
  ) throws -> [KeyedValue<Value>] {
    try fetch(
      DocumentQuery(condition(DocumentProperties()), sort: sort, limit: limit, offset: offset, validatesProperties: validatesProperties))
  }

  func fetch(_ query: DocumentQuery) throws -> [KeyedValue<Value>] {
    try reading { connection in
      try table.fetch(query, connection) { key, json in KeyedValue(key: key, value: try coding.decode(key, json)) }
    }
  }

  /// The number of documents that satisfy the conditions.
  public func count(where conditions: [Condition] = [], validatesProperties: Bool = true) throws -> Int {
    try count(DocumentQuery(DocumentPredicate(conditions), validatesProperties: validatesProperties))
  }

  /// The number of documents for which the closure's condition holds.
  public func count(validatesProperties: Bool = true, where condition: (DocumentProperties) -> DocumentPredicate) throws -> Int {
    try count(DocumentQuery(condition(DocumentProperties()), validatesProperties: validatesProperties))
  }

  func count(_ query: DocumentQuery) throws -> Int {
    try reading { try table.count(query, $0) }
  }
}

extension BlockingDocuments: Sendable where Access: Sendable {}

/// A value and the key that it has among the documents.
public struct KeyedValue<Value> {
  /// The key.
  public let key: String
  /// The value.
  public let value: Value
}

extension KeyedValue: Sendable where Value: Sendable {}
extension KeyedValue: Equatable where Value: Equatable {}
extension KeyedValue: Hashable where Value: Hashable {}

extension KeyedValue: Identifiable {
  public var id: String { key }
}

extension BlockingDocuments where Access: StoreWriter {
  private func writing<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try access._write(isAtomic: true) { try body($0.connection) }
  }

  /// Stores the value under the key, whatever was there. Without a date it stays.
  public func set(_ key: String, _ value: Value, expires: Date? = nil) throws {
    let document = try coding.encode(key, value, expires: expires)
    try writing { try table.set([document], $0) }
  }

  /// Stores all values under their keys, or on an error none.
  public func set(_ values: some Sequence<(key: String, value: Value)>, expires: Date? = nil) throws {
    let documents = try values.map { try coding.encode($0.key, $0.value, expires: expires) }
    try writing { try table.set(documents, $0) }
  }

  /// Stores the value under its own key: the text of its property `key`.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` where it has none.
  public func save(_ value: Value, expires: Date? = nil) throws {
    let document = try coding.encode(nil, value, expires: expires)
    try writing { try table.set([document], $0) }
  }

  /// Stores all values under their own keys, or on an error none.
  public func save(_ values: some Sequence<Value>, expires: Date? = nil) throws {
    let documents = try values.map { try coding.encode(nil, $0, expires: expires) }
    try writing { try table.set(documents, $0) }
  }

  /// Stores the object that the JSON text is. A `key` in it is ignored.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` with line, column and offset of what is no JSON.
  public func set(_ key: String, json: String, expires: Date? = nil) throws {
    let document = try coding.read(key, json: json, expires: expires)
    try writing { try table.set([document], $0) }
  }

  /// Stores all objects that the JSON texts are under their keys, or on an error none. A `key` in one is ignored.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` with position in the batch, line, column and offset of what is no JSON.
  public func set(json texts: some Sequence<(key: String, value: String)>, expires: Date? = nil) throws {
    let documents = try coding.read(texts, expires: expires)
    try writing { try table.set(documents, $0) }
  }

  /// Sets some properties, and leaves the others and the date of expiry as they are.
  ///
  /// - Throws: ``StoreError`` `.notFound` where there is no such document.
  public func update(_ key: String, _ changes: Document) throws {
    try writing { try table.update([key], changes, $0) }
  }

  /// Sets some properties in each of the documents: all of them, or on an error none.
  public func update(_ keys: some Sequence<String>, _ changes: Document) throws {
    try writing { try table.update(Array(keys), changes, $0) }
  }

  /// Deletes the document, and answers whether there was one.
  @discardableResult
  public func delete(_ key: String) throws -> Bool {
    try writing { try table.delete([key], $0) > 0 }
  }

  /// Deletes the documents, and answers how many there were.
  @discardableResult
  public func delete(_ keys: some Sequence<String>) throws -> Int {
    try writing { try table.delete(Array(keys), $0) }
  }

  /// Deletes the documents that satisfy the conditions, and answers how many there were. Without conditions all of them.
  @discardableResult
  public func deleteAll(where conditions: [Condition] = [], validatesProperties: Bool = true) throws -> Int {
    try deleteAll(DocumentQuery(DocumentPredicate(conditions), validatesProperties: validatesProperties))
  }

  /// Deletes the documents for which the closure's condition holds, and answers how many there were.
  @discardableResult
  public func deleteAll(validatesProperties: Bool = true, where condition: (DocumentProperties) -> DocumentPredicate) throws -> Int {
    try deleteAll(DocumentQuery(condition(DocumentProperties()), validatesProperties: validatesProperties))
  }

  func deleteAll(_ query: DocumentQuery) throws -> Int {
    try writing { try table.deleteAll(query, $0) }
  }

  /// Sets when the document expires, nil for never, and answers whether there is one.
  @discardableResult
  public func setExpiry(of key: String, to date: Date?) throws -> Bool {
    try writing { try table.setExpiry(of: key, to: date, $0) }
  }

  /// Makes the collection keep in each document when it was added and last updated, as dates called `addedAt` and `updatedAt`.
  public func keepTimes(_ keepsTimes: Bool = true) throws {
    try writing { try table.keepTimes(keepsTimes, $0) }
  }

  /// Makes conditions and sorts on the properties, in this order, fast. Where there is such an index already, nothing happens.
  public func index(on properties: String...) throws {
    try index(properties)
  }

  /// Removes the index on the properties, if there is one.
  public func removeIndex(on properties: String...) throws {
    try removeIndex(properties)
  }

  func index(_ properties: [String]) throws { try writing { try table.index(properties, $0) } }

  func removeIndex(_ properties: [String]) throws { try writing { try table.removeIndex(properties, $0) } }

  /// Removes the collection with all that is in it, and answers whether there was one.
  @discardableResult
  public func drop() throws -> Bool {
    try writing { try table.drop($0) }
  }
}

extension StoreReader {
  /// The collection of documents with the name; it is made when the first document is stored.
  public func documents(_ name: String) -> BlockingDocuments<Self, Document> {
    BlockingDocuments(name, self)
  }

  /// The collection of documents with the name, as values of a Codable type.
  public func documents<Value: Codable>(_ name: String, of type: Value.Type) -> BlockingDocuments<Self, Value> {
    BlockingDocuments(name, self)
  }
  /// The names of all collections of documents.
  public var documentCollections: [String] {
    get throws { try _read { try $0.connection.documents.names($0.connection) } }
  }

  /// The number of documents in each collection, by its name.
  ///
  /// - Complexity: Counts the documents of all collections.
  public var documentCounts: [String: Int] {
    get throws {
      try _read(isReentrant: true) { access in
        let names = try access.connection.documents.names(access.connection)
        let counts = try names.map { ($0, try DocumentTable($0).count(DocumentQuery(DocumentPredicate([])), access.connection)) }
        return Dictionary(counts, uniquingKeysWith: { first, _ in first })
      }
    }
  }
}
