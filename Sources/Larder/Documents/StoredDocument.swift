/// A type whose values are the documents of one collection, each with its own key, so that documents can refer to one
/// another.
///
/// ```swift
/// struct Customer: StoredDocument {
///   static let collection = "customers"
///   var key: String
///   var name: String
/// }
/// ```
///
/// A conforming type needs no collection name, `store.documents(Customer.self)`, and can be the target of a
/// ``DocumentReference``.
public protocol StoredDocument: Codable, Sendable {
  /// The name of the collection.
  static var collection: String { get }
  /// The key of the document. A stored property with this name isn't part of the JSON.
  var key: String { get }
}

extension Store {
  /// Returns the collection of the type's documents.
  ///
  /// - Parameter type: The type of the documents.
  /// - Returns: The collection, whether or not it exists in the file.
  public func documents<Content: StoredDocument>(_ type: Content.Type) -> Documents<Content> {
    Documents(store: self, name: type.collection)
  }
}

extension StoreReader {
  /// Returns the collection of the type's documents.
  ///
  /// - Parameter type: The type of the documents.
  /// - Returns: The collection, whether or not it exists in the file.
  public func documents<Content: StoredDocument>(_ type: Content.Type) -> BlockingDocuments<Self, Content> {
    BlockingDocuments(type.collection, self)
  }
}
