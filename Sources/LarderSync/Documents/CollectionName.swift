import Foundation
import Larder

/// The names by which replicas call collections of documents, and properties of documents.
///
/// A collection is `_larder_documents:` and its name in lowercase ASCII, as SQLite compares the names of tables. No model
/// can have a table with that name. A property is a point and its name, so that it isn't taken for the date of expiry. A
/// name with a NUL is written as in JSON, with the quotation marks.
enum CollectionName {
  private static let prefix = "_larder_documents:"

  /// The condition that a name in the exchange is that of a model's table.
  static let isModelTable = "substr(name, 1, \(prefix.utf8.count)) <> '\(prefix)'"

  /// The name in the exchange of a collection.
  static func exchange(_ collection: String) -> String { prefix + folded(collection) }

  /// The collection with a name in the exchange; nil if it is the name of a model's table.
  static func collection(_ name: String) -> String? {
    name.utf8.starts(with: prefix.utf8) ? String(decoding: name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self) : nil
  }

  /// Whether a collection can have the name in the exchange.
  static func isPossible(_ name: String) -> Bool {
    guard let collection = collection(name), !collection.isEmpty else { return false }
    return folded(collection) == collection && !collection.hasPrefix("_larder_") && !collection.hasPrefix("sqlite_")
  }

  private static func folded(_ name: String) -> String {
    String(decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
  }

  // MARK: Properties

  /// The name in the exchange of a property of a document.
  static func exchange(property: String) -> String {
    property.utf8.contains(0) ? ".\"\(DocumentParts.escaped(property))\"" : ".\(property)"
  }

  /// The property of a document with a name in the exchange; nil if it is a column of the collection.
  static func property(_ name: String) -> String? {
    guard name.utf8.first == UInt8(ascii: ".") else { return nil }
    let rest = name.utf8.dropFirst()
    guard rest.count > 2, rest.first == UInt8(ascii: "\""), rest.last == UInt8(ascii: "\"") else {
      return String(decoding: rest, as: UTF8.self)
    }
    let text = String(decoding: rest.dropFirst().dropLast(), as: UTF8.self)
    guard let property = DocumentParts.name(ofEscaped: text), property.utf8.contains(0) else {
      return String(decoding: rest, as: UTF8.self)
    }
    return property
  }
}

extension CollectionName {
  /// The name that a property has for users.
  static func property(_ name: String, of row: RowState) -> String {
    row.isDocument ? property(name) ?? name : name
  }
}

extension ModuleTable {
  /// The name in the exchange.
  var exchangeName: String { isCollection ? CollectionName.exchange(name) : name }
}

extension RowState {
  /// Whether the row is a document, whose properties come and go.
  var isDocument: Bool { CollectionName.collection(table) != nil }
}
