public import Foundation

/// A collection of JSON objects by text key, which needs no model: `store.documents("people")`.
///
/// ```swift
/// let people = store.documents("people")
/// try await people.set("ada", ["name": "Ada", "age": 36, "languages": ["English", "French"]])
/// let keys = try await people.keys(sort: "age desc") { $0.age > 30 && $0.languages.contains("French") }
/// ```
///
/// A collection is made with its first document. Properties are discovered as they arrive: conditions, sorts and SQL name them. With
/// `store.documents("people", of: Person.self)` the values are those of any Codable struct or class. `store.blocking`, transactions and snapshots have
/// the same verbs without `await`.
///
/// Every verb throws ``StoreError`` where the file cannot be read or written (`.busy`, `.diskFull`, `.readOnly`, `.corrupt`, `.inputOutput`), and
/// `CancellationError` where its task was cancelled. Verbs that write throw `.schemaMismatch` for a name that the file gives to something else.
/// What a verb throws besides is said there. A write that throws has changed nothing.
public struct Documents<Value: Codable>: Sendable {
  let store: Store
  /// The collection's name.
  public let name: String

  private var table: DocumentTable { DocumentTable(name) }
  private var coding: DocumentCoding<Value> { DocumentCoding(collection: name) }
}

extension Documents where Value: Sendable {
  private func reading<Result: Sendable>(
    _ body: @escaping @Sendable (BlockingDocuments<Snapshot, Value>) throws -> Result
  ) async throws -> Result {
    try await store.read { try body(BlockingDocuments(name, $0)) }
  }

  // MARK: Reading

  /// Whether there is a document with the key.
  public func contains(_ key: String) async throws -> Bool {
    try await reading { try $0.contains(key) }
  }

  /// The document with the key, or nil.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` where it does not decode as the collection's type.
  public func get(_ key: String) async throws -> Value? {
    try await reading { try $0.get(key) }
  }

  /// The document with the key, or nil.
  public subscript(key: String) -> Value? {
    get async throws { try await get(key) }
  }

  /// The documents with the keys; those that are not there are left out.
  ///
  /// - Throws: As `get` of one key, for the first that does not decode; `.unsupported` if two keys differ in the file alone and not for Swift.
  public func get(_ keys: some Sequence<String> & Sendable) async throws -> [String: Value] {
    try await reading { try $0.get(keys) }
  }

  /// The JSON text of the document, or nil.
  public func json(_ key: String) async throws -> String? {
    try await reading { try $0.json(key) }
  }

  /// When the document expires; nil for one that stays, and if there is none.
  public func expiry(of key: String) async throws -> Date? {
    try await reading { try $0.expiry(of: key) }
  }

  /// The names of the properties that documents of the collection ever had, oldest first.
  public var properties: [String] {
    get async throws { try await reading { try $0.properties } }
  }

  // MARK: Queries

  /// The keys of the documents that satisfy the conditions, in the order that the text says.
  ///
  /// - Parameters:
  ///   - conditions: Those of one set must all hold, of several sets one suffices; none means every document.
  ///   - sort: Names or paths between commas, each with `asc` or `desc` behind it or nothing: `"name, address.city desc"`.
  ///   - validatesProperties: Whether a property that no document ever had is an error.
  /// - Throws: ``StoreError`` `.schemaMismatch` for an unknown property, with the one that may have been meant.
  public func keys(
    where conditions: [Condition] = [], sort: String = "", limit: Int? = nil, offset: Int = 0, validatesProperties: Bool = true
  ) async throws -> [String] {
    let query = DocumentQuery(DocumentPredicate(conditions), sort: sort, limit: limit, offset: offset, validatesProperties: validatesProperties)
    return try await reading { try $0.keys(query) }
  }

  /// The keys of the documents for which the closure's condition holds.
  public func keys(
    sort: String = "", limit: Int? = nil, offset: Int = 0, validatesProperties: Bool = true,
    where condition: (DocumentProperties) -> DocumentPredicate
  ) async throws -> [String] {
    let query = DocumentQuery(
      condition(DocumentProperties()), sort: sort, limit: limit, offset: offset, validatesProperties: validatesProperties)
    return try await reading { try $0.keys(query) }
  }

  /// The documents that satisfy the conditions, with their keys.
  public func fetch(
    where conditions: [Condition] = [], sort: String = "", limit: Int? = nil, offset: Int = 0, validatesProperties: Bool = true
  ) async throws -> [KeyedValue<Value>] {
    let query = DocumentQuery(DocumentPredicate(conditions), sort: sort, limit: limit, offset: offset, validatesProperties: validatesProperties)
    return try await reading { try $0.fetch(query) }
  }

  /// The documents for which the closure's condition holds, with their keys.
  public func fetch(
    sort: String = "", limit: Int? = nil, offset: Int = 0, validatesProperties: Bool = true,
    where condition: (DocumentProperties) -> DocumentPredicate
  ) async throws -> [KeyedValue<Value>] {
    let query = DocumentQuery(
      condition(DocumentProperties()), sort: sort, limit: limit, offset: offset, validatesProperties: validatesProperties)
    return try await reading { try $0.fetch(query) }
  }

  /// The number of documents that satisfy the conditions.
  public func count(where conditions: [Condition] = [], validatesProperties: Bool = true) async throws -> Int {
    try await reading { try $0.count(where: conditions, validatesProperties: validatesProperties) }
  }

  /// The number of documents for which the closure's condition holds.
  public func count(validatesProperties: Bool = true, where condition: (DocumentProperties) -> DocumentPredicate) async throws -> Int {
    let query = DocumentQuery(condition(DocumentProperties()), validatesProperties: validatesProperties)
    return try await reading { try $0.count(query) }
  }

  /// The documents that satisfy the conditions, now and again after each commit that touches the collection.
  public func live(
    where conditions: [Condition] = [], sort: String = "", limit: Int? = nil, validatesProperties: Bool = false
  ) -> LiveResults<[KeyedValue<Value>]> {
    let query = DocumentQuery(DocumentPredicate(conditions), sort: sort, limit: limit, validatesProperties: validatesProperties)
    return store.live { [name] in try BlockingDocuments<Snapshot, Value>(name, $0).fetch(query) }
  }
}

extension Documents where Value: Sendable {
  /// The documents for which the closure's condition holds, now and again after each commit that touches the collection.
  public func live(
    sort: String = "", limit: Int? = nil, validatesProperties: Bool = false, where condition: (DocumentProperties) -> DocumentPredicate
  ) -> LiveResults<[KeyedValue<Value>]> {
    let query = DocumentQuery(condition(DocumentProperties()), sort: sort, limit: limit, validatesProperties: validatesProperties)
    return store.live { [name] in try BlockingDocuments<Snapshot, Value>(name, $0).fetch(query) }
  }

  /// The paths of each index of the collection, oldest first.
  public var indexes: [[String]] {
    get async throws { try await reading { try $0.indexes } }
  }
}

extension Documents {
  /// Stores the value under the key, whatever was there.
  ///
  /// - Parameter expires: When the document is gone; without a date it stays.
  /// - Throws: ``StoreError`` `.invalidValue` for a number that is not finite, and for too deep a nesting.
  public func set(_ key: String, _ value: Value, expires: Date? = nil) async throws {
    let document = try coding.encode(key, value, expires: expires)
    try await store.writer.perform { [table] in try table.set([document], $0) }
  }

  /// Stores all values under their keys, or on an error none.
  public func set(_ values: some Sequence<(key: String, value: Value)>, expires: Date? = nil) async throws {
    let documents = try values.map { try coding.encode($0.key, $0.value, expires: expires) }
    try await store.writer.perform { [table] in try table.set(documents, $0) }
  }

  /// Stores the value under its own key: the text of its property `key`.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` where it has none; otherwise as ``set(_:_:expires:)``.
  public func save(_ value: Value, expires: Date? = nil) async throws {
    let document = try coding.encode(nil, value, expires: expires)
    try await store.writer.perform { [table] in try table.set([document], $0) }
  }

  /// Stores all values under their own keys, or on an error none.
  public func save(_ values: some Sequence<Value>, expires: Date? = nil) async throws {
    let documents = try values.map { try coding.encode(nil, $0, expires: expires) }
    try await store.writer.perform { [table] in try table.set(documents, $0) }
  }

  /// Stores the object that the JSON text is. A `key` in it is ignored.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` with line, column and offset of what isn't valid JSON, of a number that neither a 64-bit integer nor a
  ///   `Double` holds, and of a name that an object has twice.
  public func set(_ key: String, json: String, expires: Date? = nil) async throws {
    let document = try coding.read(key, json: json, expires: expires)
    try await store.writer.perform { [table] in try table.set([document], $0) }
  }

  /// Stores all objects that the JSON texts are under their keys, or on an error none. A `key` in one is ignored.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` with position in the batch, line, column and offset of what is no JSON.
  public func set(json texts: some Sequence<(key: String, value: String)>, expires: Date? = nil) async throws {
    let documents = try coding.read(texts, expires: expires)
    try await store.writer.perform { [table] in try table.set(documents, $0) }
  }

  /// Sets some properties, and leaves the others and the date of expiry as they are.
  ///
  /// - Throws: ``StoreError`` `.notFound` where there is no such document.
  public func update(_ key: String, _ changes: Document) async throws {
    try await update(CollectionOfOne(key), changes)
  }

  /// Sets some properties in each of the documents: all of them, or on an error none.
  public func update(_ keys: some Sequence<String>, _ changes: Document) async throws {
    let keys = Array(keys)
    try await store.writer.perform { [table] in try table.update(keys, changes, $0) }
  }

  /// Deletes the document, and answers whether there was one.
  @discardableResult
  public func delete(_ key: String) async throws -> Bool {
    try await delete(CollectionOfOne(key)) > 0
  }

  /// Deletes the documents, and answers how many there were.
  @discardableResult
  public func delete(_ keys: some Sequence<String>) async throws -> Int {
    let keys = Array(keys)
    return try await store.writer.perform { [table] in try table.delete(keys, $0) }
  }

  /// Deletes the documents that satisfy the conditions, and answers how many there were. Without conditions all of them.
  @discardableResult
  public func deleteAll(where conditions: [Condition] = [], validatesProperties: Bool = true) async throws -> Int {
    let query = DocumentQuery(DocumentPredicate(conditions), validatesProperties: validatesProperties)
    return try await store.writer.perform { [table] in try table.deleteAll(query, $0) }
  }

  /// Deletes the documents for which the closure's condition holds, and answers how many there were.
  @discardableResult
  public func deleteAll(validatesProperties: Bool = true, where condition: (DocumentProperties) -> DocumentPredicate) async throws -> Int {
    let query = DocumentQuery(condition(DocumentProperties()), validatesProperties: validatesProperties)
    return try await store.writer.perform { [table] in try table.deleteAll(query, $0) }
  }

  /// Sets when the document expires, nil for never, and answers whether there is one.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` for a date that is not finite.
  @discardableResult
  public func setExpiry(of key: String, to date: Date?) async throws -> Bool {
    try await store.writer.perform { [table] in try table.setExpiry(of: key, to: date, $0) }
  }

  /// Makes the collection keep in each document when it was added and last updated, as dates called `addedAt` and `updatedAt`.
  ///
  /// Conditions, sort orders, SQL and typed values have them as they have other properties. What a document says by these names itself is replaced.
  /// Documents that are there already have no `addedAt`, and an `updatedAt` from their next change on. The file remembers the choice.
  ///
  /// - Parameter keepsTimes: Whether times are kept; documents keep those that they have.
  public func keepTimes(_ keepsTimes: Bool = true) async throws {
    try await store.writer.perform { [table] in try table.keepTimes(keepsTimes, $0) }
  }

  /// Makes conditions and sorts on the properties, in this order, fast. Where there is such an index already, nothing happens.
  ///
  /// - Parameter properties: Names of properties, or paths to values in them such as `address.city` and `tags[0]`, as ``DocumentPath`` explains.
  /// - Throws: ``StoreError`` `.invalidValue` if no property is named, and for a text that isn't a path.
  /// - Complexity: Reads every document once.
  public func index(on properties: String...) async throws {
    try await store.writer.perform { [table] in try table.index(properties, $0) }
  }

  /// Removes the index on the properties, if there is one.
  public func removeIndex(on properties: String...) async throws {
    try await store.writer.perform { [table] in try table.removeIndex(properties, $0) }
  }

  /// Removes the collection with all that is in it, and answers whether there was one.
  @discardableResult
  public func drop() async throws -> Bool {
    try await store.writer.perform { [table] in try table.drop($0) }
  }
}

extension Store {
  /// The collection of documents with the name; it is made when the first document is stored.
  public func documents(_ name: String) -> Documents<Document> {
    Documents(store: self, name: name)
  }

  /// The collection of documents with the name, as values of a Codable type.
  public func documents<Value: Codable>(_ name: String, of type: Value.Type) -> Documents<Value> {
    Documents(store: self, name: name)
  }

  /// The names of all collections of documents.
  public var documentCollections: [String] {
    get async throws { try await reading { try $0.documents.names($0) } }
  }
  /// The number of documents in each collection, by its name.
  ///
  /// - Complexity: Counts the documents of all collections.
  public var documentCounts: [String: Int] {
    get async throws { try await read { try $0.documentCounts } }
  }
}
