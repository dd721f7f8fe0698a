import Foundation
import Larder

/// A table, or a collection of documents, whose rows are exported and imported.
struct TransferredTable: Sendable {
  /// The column with the date of expiry.
  static let expires = "_expires"
  /// The columns of a collection.
  static let (key, document) = ("key", "document")

  let description: TableDescription
  let columns: [ColumnCoding]

  init(_ description: TableDescription) {
    self.description = description
    let expiry = ColumnCoding(Self.expires, .date)
    if description.kind == .documents {
      columns = [ColumnCoding(Self.key, .any), ColumnCoding(Self.document, .json), expiry]
    } else {
      columns = description.properties.map { ColumnCoding($0) } + (description.expires ? [expiry] : [])
    }
  }

  var isCollection: Bool { description.kind == .documents }

  /// Calls a closure with the values of each row of a query, in the order of ``columns``.
  func forEach(_ query: TableQuery, in db: Snapshot, _ body: ([Value]) throws -> Void) throws {
    let documents = db.documents(description.name)
    let names = description.properties.map(\.name)
    let keys = description.key.map(\.name)
    try db.forEach(query) { row in
      try autoreleasing {
        if isCollection {
          let key = row[Self.key]?.text ?? ""
          // A document may expire between two reads of a long export.
          guard let json = try documents.json(key) else { return }
          try body([.text(key), .text(json), try Self.value(documents.expiry(of: key))])
        } else {
          var values = names.map { row[$0] ?? .null }
          if description.expires {
            values.append(Self.value(try db.expiry(ofRowWith: keys.map { row[$0] ?? .null }, in: description.name)))
          }
          try body(values)
        }
      }
    }
  }

  private static func value(_ date: Date?) -> Value {
    date.map { .real($0.timeIntervalSinceReferenceDate) } ?? .null
  }
}
