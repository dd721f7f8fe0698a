import Foundation
package import Larder
import LarderSync

/// A table as the oracle sees it: the description of its model, and the names that its properties have in the exchange.
package struct OracleTable: Sendable {
  static let documents = "_larder_documents:"

  /// The name in the exchange.
  package let name: String
  package let description: ModuleTable
  /// The properties by the columns that they are.
  package let properties: [(name: String, column: ModuleTable.Column)]

  /// Returns the tables of a store that take part in sync.
  package static func all(of store: Store) async throws -> [OracleTable] {
    let models = try await store.readingModule { try $0.tables.filter(\.syncs) }
    let collections = try await store.documentCollections.map { ModuleTable(collection: $0) }
    let found = try await store.sql(
      """
      SELECT t.name AS 'table', p.name AS property, p.column_name AS column FROM _larder_sync_properties p \
      JOIN _larder_sync_tables t ON t.id = p.table_id WHERE p.column_name IS NOT NULL AND t.is_local = 0
      """)
    // Names that are equal as Swift compares texts may be those of different tables.
    var names: [[UInt8]: [(name: String, column: String)]] = [:]
    for row in found {
      guard case .text(let table)? = row["table"], case .text(let name)? = row["property"],
        case .text(let column)? = row["column"]
      else { continue }
      names[Array(table.utf8), default: []].append((name, column))
    }
    return (models + collections).compactMap { description in
      let name = description.isCollection ? self.name(ofCollection: description.name) : description.name
      // A collection can stay on its device.
      if description.isCollection, names[Array(name.utf8)] == nil { return nil }
      let columns = Dictionary(description.columns.map { ($0.name, $0) }) { $1 }
      let properties = (names[Array(name.utf8)] ?? []).compactMap { property in
        columns[property.column].map { (name: property.name, column: $0) }
      }
      return OracleTable(name: name, description: description, properties: properties.sorted { $0.name < $1.name })
    }
  }

  /// The name in the exchange of a collection of documents, whose own name can have capitals.
  static func name(ofCollection name: String) -> String {
    documents + String(decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
  }

  /// The property of a document with a name in the exchange; nil if it is a column of the collection.
  static func property(_ name: String) -> String? {
    guard name.hasPrefix(".") else { return nil }
    let rest = name.dropFirst()
    if rest.utf8.count > 2, rest.hasPrefix("\""), rest.hasSuffix("\""),
      let property = DocumentParts.name(ofEscaped: String(rest.dropFirst().dropLast())), property.utf8.contains(0)
    {
      return property
    }
    return String(rest)
  }
}
