public import Foundation

/// A collection of JSON objects, each with a text key. It needs no model.
///
/// ```swift
/// let people = store.documents("people")
/// try await people.save("ada", ["name": "Ada", "age": 36, "languages": ["English", "French"]])
/// let keys = try await people.keys(sort: "age desc") { $0.age > 30 && $0.languages.contains("French") }
/// ```
///
/// A collection is created with its first document. Properties need no declaration: conditions, sorts and SQL can use
/// every property that a document has had. With `store.documents("people", of: Person.self)` the values are those of
/// any Codable struct or class. `store.blocking`, transactions and snapshots have the same methods without `await`.
///
/// Every method throws ``StoreError`` if the file can't be read or written (`.busy`, `.diskFull`, `.readOnly`,
/// `.corrupt`, `.inputOutput`), and `CancellationError` if its task was cancelled. Methods that write throw
/// `.schemaMismatch` for a name that the file uses for something other than a collection. Other errors are documented
/// at each method. A write that throws has changed nothing.
public struct Documents<Content: Codable>: Sendable {
  let store: Store
  /// The name of the collection.
  public let name: String

  private var table: DocumentTable { DocumentTable(name) }
  private var coding: DocumentCoding<Content> { DocumentCoding(collection: name) }
}

extension Documents where Content: Sendable {
  private func reading<Result: Sendable>(
    _ body: @escaping @Sendable (BlockingDocuments<Snapshot, Content>) throws -> Result
  ) async throws -> Result {
    try await store.read { try body(BlockingDocuments(name, $0)) }
  }

  // MARK: Reading

  /// Returns whether the collection has a document with the key.
  ///
  /// - Parameter key: The key to look up.
  /// - Returns: `true` if there is a document that has not expired.
  /// - Throws: ``StoreError`` with the codes of any read.
  /// - Complexity: One lookup by key.
  public func contains(_ key: String) async throws -> Bool {
    try await reading { try $0.contains(key) }
  }

  /// Returns the document with the key.
  ///
  /// - Parameter key: The key to look up.
  /// - Returns: The document, or nil if there is none.
  /// - Throws: ``StoreError`` `.invalidValue` if it can't be decoded as the collection's type, and the errors of any
  ///   read.
  /// - Complexity: One lookup by key.
  public func find(_ key: String) async throws -> Content? {
    try await reading { try $0.find(key) }
  }

  /// Returns the document with the key, or nil if there is none.
  public subscript(key: String) -> Content? {
    get async throws { try await find(key) }
  }

  /// Returns the documents with the keys.
  ///
  /// - Parameter keys: The keys to look up.
  /// - Returns: The documents by key, without those that don't exist.
  /// - Throws: ``StoreError`` `.invalidValue` if a document can't be decoded as the collection's type, `.unsupported`
  ///   if two keys are equal in Swift but not in the file, and the errors of any read.
  public func find(_ keys: some Sequence<String> & Sendable) async throws -> [String: Content] {
    try await reading { try $0.find(keys) }
  }

  /// Returns the JSON text of the document with the key.
  ///
  /// - Parameter key: The key to look up.
  /// - Returns: The JSON text, or nil if there is no such document.
  /// - Throws: ``StoreError`` `.invalidValue` for JSON of another program that isn't UTF-8, and with the codes of any read.
  public func json(_ key: String) async throws -> String? {
    try await reading { try $0.json(key) }
  }

  /// Returns when the document with the key expires.
  ///
  /// - Parameter key: The key to look up.
  /// - Returns: The date, or nil if the document doesn't expire or doesn't exist.
  /// - Throws: ``StoreError`` with the codes of any read.
  public func expiry(of key: String) async throws -> Date? {
    try await reading { try $0.expiry(of: key) }
  }

  /// The names of all properties that documents of the collection have ever had, oldest first.
  ///
  /// - Throws: ``StoreError`` with the codes of any read.
  public var properties: [String] {
    get async throws { try await reading { try $0.properties } }
  }

  // MARK: Queries

  /// Returns the keys of the documents that satisfy the conditions.
  ///
  /// - Parameters:
  ///   - conditions: All conditions of a set must hold, for at least one set. Without conditions, every document
  ///     qualifies.
  ///   - sort: Names or paths, separated by commas, each optionally followed by `asc` or `desc`:
  ///     `"name, address.city desc"`.
  ///   - limit: The largest number of keys to return.
  ///   - offset: The number of keys to skip.
  ///   - validatesProperties: Whether a property that no document ever had is an error.
  /// - Returns: The keys, in the order of `sort`.
  /// - Throws: ``StoreError`` `.schemaMismatch` for an unknown property, with a suggestion; `.invalidValue` if a path
  ///   or `sort` can't be parsed; and the errors of any read.
  public func keys(
    where conditions: [Condition] = [], sort: String = "", limit: Int? = nil, offset: Int = 0,
    validatesProperties: Bool = true
  ) async throws -> [String] {
    let query = DocumentQuery(
      Condition(conditions), sort: sort, limit: limit, offset: offset, validatesProperties: validatesProperties)
    return try await reading { try $0.keys(query) }
  }

  /// Returns the keys of the documents for which the closure's condition holds.
  ///
  /// - Parameters:
  ///   - sort: Names or paths, separated by commas, each optionally followed by `asc` or `desc`.
  ///   - limit: The largest number of keys to return.
  ///   - offset: The number of keys to skip.
  ///   - validatesProperties: Whether a property that no document ever had is an error.
  ///   - isolation: The caller's actor, on which the closure runs.
  ///   - condition: Returns the condition, such as `{ $0.age > 30 && $0.name == "Ada" }`.
  /// - Returns: The keys, in the order of `sort`.
  /// - Throws: ``StoreError`` `.schemaMismatch` for an unknown property, with a suggestion; `.invalidValue` if a path
  ///   or `sort` can't be parsed; and the errors of any read.
  public func keys(
    sort: String = "", limit: Int? = nil, offset: Int = 0, validatesProperties: Bool = true,
    isolation: isolated (any Actor)? = #isolation, where condition: (DocumentProperties) -> Condition
  ) async throws -> [String] {
    let query = DocumentQuery(
      condition(DocumentProperties()), sort: sort, limit: limit, offset: offset,
      validatesProperties: validatesProperties)
    return try await reading { try $0.keys(query) }
  }

  /// Returns the documents that satisfy the conditions, with their keys.
  ///
  /// - Parameters:
  ///   - conditions: All conditions of a set must hold, for at least one set. Without conditions, every document
  ///     qualifies.
  ///   - sort: Names or paths, separated by commas, each optionally followed by `asc` or `desc`.
  ///   - limit: The largest number of documents to return.
  ///   - offset: The number of documents to skip.
  ///   - validatesProperties: Whether a property that no document ever had is an error.
  /// - Returns: The documents, in the order of `sort`.
  /// - Throws: ``StoreError`` `.schemaMismatch` for an unknown property, with a suggestion; `.invalidValue` if a
  ///   document can't be decoded, or a path or `sort` can't be parsed; and the errors of any read.
  public func fetch(
    where conditions: [Condition] = [], sort: String = "", limit: Int? = nil, offset: Int = 0,
    validatesProperties: Bool = true
  ) async throws -> [KeyedValue<Content>] {
    let query = DocumentQuery(
      Condition(conditions), sort: sort, limit: limit, offset: offset, validatesProperties: validatesProperties)
    return try await reading { try $0.fetch(query) }
  }

  /// Returns the documents for which the closure's condition holds, with their keys.
  ///
  /// - Parameters:
  ///   - sort: Names or paths, separated by commas, each optionally followed by `asc` or `desc`.
  ///   - limit: The largest number of documents to return.
  ///   - offset: The number of documents to skip.
  ///   - validatesProperties: Whether a property that no document ever had is an error.
  ///   - isolation: The caller's actor, on which the closure runs.
  ///   - condition: Returns the condition.
  /// - Returns: The documents, in the order of `sort`.
  /// - Throws: ``StoreError`` `.schemaMismatch` for an unknown property, with a suggestion; `.invalidValue` if a
  ///   document can't be decoded, or a path or `sort` can't be parsed; and the errors of any read.
  public func fetch(
    sort: String = "", limit: Int? = nil, offset: Int = 0, validatesProperties: Bool = true,
    isolation: isolated (any Actor)? = #isolation, where condition: (DocumentProperties) -> Condition
  ) async throws -> [KeyedValue<Content>] {
    let query = DocumentQuery(
      condition(DocumentProperties()), sort: sort, limit: limit, offset: offset,
      validatesProperties: validatesProperties)
    return try await reading { try $0.fetch(query) }
  }

  /// Returns the number of documents that satisfy the conditions.
  ///
  /// - Parameters:
  ///   - conditions: All conditions of a set must hold, for at least one set. Without conditions, every document
  ///     counts.
  ///   - validatesProperties: Whether a property that no document ever had is an error.
  /// - Returns: The number of documents.
  /// - Throws: ``StoreError`` `.schemaMismatch` for an unknown property, `.invalidValue` for an invalid path, and the
  ///   errors of any read.
  public func count(where conditions: [Condition] = [], validatesProperties: Bool = true) async throws -> Int {
    try await reading { try $0.count(where: conditions, validatesProperties: validatesProperties) }
  }

  /// Returns the number of documents for which the closure's condition holds.
  ///
  /// - Parameters:
  ///   - validatesProperties: Whether a property that no document ever had is an error.
  ///   - isolation: The caller's actor, on which the closure runs.
  ///   - condition: Returns the condition.
  /// - Returns: The number of documents.
  /// - Throws: ``StoreError`` `.schemaMismatch` for an unknown property, `.invalidValue` for an invalid path, and the
  ///   errors of any read.
  public func count(
    validatesProperties: Bool = true, isolation: isolated (any Actor)? = #isolation,
    where condition: (DocumentProperties) -> Condition
  ) async throws -> Int {
    let query = DocumentQuery(condition(DocumentProperties()), validatesProperties: validatesProperties)
    return try await reading { try $0.count(query) }
  }

  /// Returns the documents that satisfy the conditions, now and after each commit that affects the collection.
  ///
  /// - Parameters:
  ///   - conditions: All conditions of a set must hold, for at least one set. Without conditions, every document
  ///     qualifies.
  ///   - sort: Names or paths, separated by commas, each optionally followed by `asc` or `desc`.
  ///   - limit: The largest number of documents to return.
  ///   - validatesProperties: Whether a property that no document ever had is an error.
  /// - Returns: An asynchronous sequence of results, which throws the errors of `fetch`.
  public func live(
    where conditions: [Condition] = [], sort: String = "", limit: Int? = nil, validatesProperties: Bool = false
  ) -> LiveResults<[KeyedValue<Content>]> {
    let query = DocumentQuery(
      Condition(conditions), sort: sort, limit: limit, validatesProperties: validatesProperties)
    return store.live { [name] in try BlockingDocuments<Snapshot, Content>(name, $0).fetch(query) }
  }
}

extension Documents where Content: Sendable {
  /// Returns the documents for which the closure's condition holds, now and after each commit that affects the
  /// collection.
  ///
  /// - Parameters:
  ///   - sort: Names or paths, separated by commas, each optionally followed by `asc` or `desc`.
  ///   - limit: The largest number of documents to return.
  ///   - validatesProperties: Whether a property that no document ever had is an error.
  ///   - condition: Returns the condition.
  /// - Returns: An asynchronous sequence of results, which throws the errors of `fetch`.
  public func live(
    sort: String = "", limit: Int? = nil, validatesProperties: Bool = false,
    where condition: (DocumentProperties) -> Condition
  ) -> LiveResults<[KeyedValue<Content>]> {
    let query = DocumentQuery(
      condition(DocumentProperties()), sort: sort, limit: limit, validatesProperties: validatesProperties)
    return store.live { [name] in try BlockingDocuments<Snapshot, Content>(name, $0).fetch(query) }
  }

  /// The paths of each index of the collection, oldest index first.
  ///
  /// - Throws: ``StoreError`` with the codes of any read.
  public var indexes: [[String]] {
    get async throws { try await reading { try $0.indexes } }
  }
}

extension Documents {
  /// Stores the value under the key, replacing an existing document.
  ///
  /// - Parameters:
  ///   - key: The key of the document.
  ///   - value: The value to store.
  ///   - expires: When the document expires; nil if it doesn't.
  /// - Throws: ``StoreError`` `.invalidValue` for a number that isn't finite and for a value that is nested too deeply,
  ///   and the errors of any write.
  public func save(_ key: String, _ value: Content, expires: Date? = nil) async throws {
    let document = try coding.encode(key, value, expires: expires)
    try await store.writer.perform { [table] in try table.on($0).set([document]) }
  }

  /// Stores all values under their keys, or none if an error is thrown.
  ///
  /// - Parameters:
  ///   - values: The keys and values.
  ///   - expires: When the documents expire; nil if they don't.
  /// - Throws: The errors of ``save(_:_:expires:)``.
  public func save(keyed values: some Sequence<(key: String, value: Content)>, expires: Date? = nil) async throws {
    let documents = try values.map { try coding.encode($0.key, $0.value, expires: expires) }
    try await store.writer.perform { [table] in try table.on($0).set(documents) }
  }

  /// Stores the value under its own key: the text of its property `key`.
  ///
  /// - Parameters:
  ///   - value: The value to store.
  ///   - expires: When the document expires; nil if it doesn't.
  /// - Throws: ``StoreError`` `.invalidValue` if it has no such property, and the errors of ``save(_:_:expires:)``.
  public func save(_ value: Content, expires: Date? = nil) async throws {
    let document = try coding.encode(nil, value, expires: expires)
    try await store.writer.perform { [table] in try table.on($0).set([document]) }
  }

  /// Stores all values under their own keys, or none if an error is thrown.
  ///
  /// - Parameters:
  ///   - values: The values to store.
  ///   - expires: When the documents expire; nil if they don't.
  /// - Throws: The errors of ``save(_:expires:)-(Content,_)``.
  public func save(_ values: some Sequence<Content>, expires: Date? = nil) async throws {
    let documents = try values.map { try coding.encode(nil, $0, expires: expires) }
    try await store.writer.perform { [table] in try table.on($0).set(documents) }
  }

  /// Stores the object in the JSON text under the key. A property `key` in it is ignored.
  ///
  /// - Parameters:
  ///   - key: The key of the document.
  ///   - json: The text of a JSON object.
  ///   - expires: When the document expires; nil if it doesn't.
  /// - Throws: ``StoreError`` `.invalidValue`, with line, column and offset, for invalid JSON, for a number that fits
  ///   neither a 64-bit integer nor a `Double`, and for an object with two properties of the same name; and the errors
  ///   of any write.
  public func save(_ key: String, json: String, expires: Date? = nil) async throws {
    let document = try coding.read(key, json: json, expires: expires)
    try await store.writer.perform { [table] in try table.on($0).set([document]) }
  }

  /// Stores all objects in the JSON texts under their keys, or none if an error is thrown. A property `key` in one is
  /// ignored.
  ///
  /// - Parameters:
  ///   - texts: The keys and the texts of JSON objects.
  ///   - expires: When the documents expire; nil if they don't.
  /// - Throws: The errors of ``save(_:json:expires:)``, with the position in the batch.
  public func save(json texts: some Sequence<(key: String, value: String)>, expires: Date? = nil) async throws {
    let documents = try coding.read(texts, expires: expires)
    try await store.writer.perform { [table] in try table.on($0).set(documents) }
  }

  /// Sets some properties of a document, and keeps its other properties and its date of expiry.
  ///
  /// - Parameters:
  ///   - key: The key of the document.
  ///   - changes: The properties to set.
  /// - Throws: ``StoreError`` `.notFound` if there is no such document, and the errors of ``save(_:_:expires:)``.
  public func update(_ key: String, _ changes: Document) async throws {
    try await update(CollectionOfOne(key), changes)
  }

  /// Sets some properties in each of the documents: in all of them, or in none if an error is thrown.
  ///
  /// - Parameters:
  ///   - keys: The keys of the documents.
  ///   - changes: The properties to set.
  /// - Throws: The errors of ``update(_:_:)-(String,_)``.
  public func update(_ keys: some Sequence<String>, _ changes: Document) async throws {
    let keys = Array(keys)
    try await store.writer.perform { [table] in try table.on($0).update(keys, changes) }
  }

  /// Deletes the document with the key.
  ///
  /// - Parameter key: The key of the document.
  /// - Returns: `true` if there was a document to delete.
  /// - Throws: ``StoreError`` with the codes of any write.
  @discardableResult
  public func delete(_ key: String) async throws -> Bool {
    try await delete(CollectionOfOne(key)) > 0
  }

  /// Deletes the documents with the keys: all of them, or none if an error is thrown.
  ///
  /// - Parameter keys: The keys of the documents.
  /// - Returns: The number of deleted documents.
  /// - Throws: ``StoreError`` with the codes of any write.
  @discardableResult
  public func delete(_ keys: some Sequence<String>) async throws -> Int {
    let keys = Array(keys)
    return try await store.writer.perform { [table] in try table.on($0).delete(keys) }
  }

  /// Deletes the documents that satisfy the conditions; without conditions, all documents.
  ///
  /// - Parameters:
  ///   - conditions: All conditions of a set must hold, for at least one set.
  ///   - validatesProperties: Whether a property that no document ever had is an error.
  /// - Returns: The number of deleted documents.
  /// - Throws: ``StoreError`` `.schemaMismatch` for an unknown property, `.invalidValue` for an invalid path, and the
  ///   errors of any write.
  @discardableResult
  public func deleteAll(where conditions: [Condition] = [], validatesProperties: Bool = true) async throws -> Int {
    let query = DocumentQuery(Condition(conditions), validatesProperties: validatesProperties)
    return try await store.writer.perform { [table] in try table.on($0).deleteAll(query) }
  }

  /// Deletes the documents for which the closure's condition holds.
  ///
  /// - Parameters:
  ///   - validatesProperties: Whether a property that no document ever had is an error.
  ///   - isolation: The caller's actor, on which the closure runs.
  ///   - condition: Returns the condition.
  /// - Returns: The number of deleted documents.
  /// - Throws: ``StoreError`` `.schemaMismatch` for an unknown property, `.invalidValue` for an invalid path, and the
  ///   errors of any write.
  @discardableResult
  public func deleteAll(
    validatesProperties: Bool = true, isolation: isolated (any Actor)? = #isolation,
    where condition: (DocumentProperties) -> Condition
  ) async throws -> Int {
    let query = DocumentQuery(condition(DocumentProperties()), validatesProperties: validatesProperties)
    return try await store.writer.perform { [table] in try table.on($0).deleteAll(query) }
  }

  /// Sets when the document with the key expires.
  ///
  /// - Parameters:
  ///   - key: The key of the document.
  ///   - date: The date; nil if the document shall not expire.
  /// - Returns: `true` if there is such a document.
  /// - Throws: ``StoreError`` `.invalidValue` for a date that isn't finite, and the errors of any write.
  @discardableResult
  public func setExpiry(of key: String, to date: Date?) async throws -> Bool {
    try await store.writer.perform { [table] in try table.on($0).setExpiry(of: key, to: date) }
  }

  /// Records in each document when it was added and last updated, as dates named `addedAt` and `updatedAt`.
  ///
  /// Conditions, sorts, SQL and typed values use them like other properties. A document's own values with these names
  /// are replaced. Existing documents have no `addedAt`, and get an `updatedAt` with their next change. The file stores
  /// the choice.
  ///
  /// - Parameter keepsTimes: Whether to record times. If false, documents keep the times that they have.
  /// - Throws: ``StoreError`` with the codes of any write.
  public func keepTimes(_ keepsTimes: Bool = true) async throws {
    try await store.writer.perform { [table] in try table.on($0).keepTimes(keepsTimes) }
  }

  /// Creates an index on the properties, in this order, which makes conditions and sorts on them fast.
  ///
  /// If there is such an index, this method has no effect.
  ///
  /// - Parameter properties: Names of properties, or paths such as `address.city` and `tags[0]`. See ``DocumentPath``.
  /// - Throws: ``StoreError`` `.invalidValue` if no property is given and for an invalid path, and the errors of any
  ///   write.
  /// - Complexity: Reads every document once.
  public func index(on properties: String...) async throws {
    try await store.writer.perform { [table] in try table.on($0).index(properties) }
  }

  /// Removes the index on the properties, if there is one.
  ///
  /// - Parameter properties: The names or paths with which the index was created.
  /// - Throws: ``StoreError`` `.invalidValue` for an invalid path, and the errors of any write.
  public func removeIndex(on properties: String...) async throws {
    try await store.writer.perform { [table] in try table.on($0).removeIndex(properties) }
  }

  /// Removes the collection and all its documents.
  ///
  /// - Returns: `true` if there was such a collection.
  /// - Throws: ``StoreError`` with the codes of any write.
  @discardableResult
  public func deleteCollection() async throws -> Bool {
    try await store.writer.perform { [table] in try table.on($0).drop() }
  }
}

extension Store {
  /// Returns the collection of documents with the name. It is created when the first document is stored.
  ///
  /// - Parameter name: The name of the collection.
  /// - Returns: The collection, whether or not it exists in the file.
  public func documents(_ name: String) -> Documents<Document> {
    Documents(store: self, name: name)
  }

  /// Returns the collection of documents with the name, with values of a Codable type.
  ///
  /// - Parameters:
  ///   - name: The name of the collection.
  ///   - type: The type of the values.
  /// - Returns: The collection, whether or not it exists in the file.
  public func documents<Content: Codable>(_ name: String, of type: Content.Type) -> Documents<Content> {
    Documents(store: self, name: name)
  }

  /// The names of all collections of documents.
  ///
  /// - Throws: ``StoreError`` with the codes of any read.
  public var documentCollections: [String] {
    get async throws { try await reading { try $0.documents.names() } }
  }

  /// The number of documents in each collection, by the collection's name.
  ///
  /// - Throws: ``StoreError`` with the codes of any read.
  /// - Complexity: O(*n*), where *n* is the number of documents in all collections.
  public var documentCounts: [String: Int] {
    get async throws { try await read { try $0.documentCounts } }
  }
}
