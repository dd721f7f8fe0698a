/// A type whose values are documents of one collection, each under its own key, so that documents can refer to one another.
///
/// ```swift
/// struct Customer: StoredDocument {
///   static let collection = "customers"
///   var key: String
///   var name: String
/// }
/// ```
///
/// A type that conforms has a collection without naming it, `store.documents(Customer.self)`, and can be the target of a ``DocumentReference``.
public protocol StoredDocument: Codable, Sendable {
  /// The name of the collection.
  static var collection: String { get }
  /// The key of the document. A stored property of this name isn't part of the JSON.
  var key: String { get }
}

extension Store {
  /// The collection of the type's documents.
  public func documents<Value: StoredDocument>(_ type: Value.Type) -> Documents<Value> {
    Documents(store: self, name: type.collection)
  }
}

extension StoreReader {
  /// The collection of the type's documents.
  public func documents<Value: StoredDocument>(_ type: Value.Type) -> BlockingDocuments<Self, Value> {
    BlockingDocuments(type.collection, self)
  }
}
