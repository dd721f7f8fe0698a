public import Foundation

extension DocumentGraph {
  /// The documents to write, a batch for each collection, in the order in which the collections came.
  fileprivate func encoded(expires: Date?) throws -> [(table: DocumentTable, documents: [EncodedDocument])] {
    var batches: [(table: DocumentTable, documents: [EncodedDocument])] = []
    var positions: [String: Int] = [:]
    for (address, value) in changes {
      let document = try Self.encode(value, at: address, expires: expires)
      let name = address.collection.foldedTableName
      if let position = positions[name] {
        batches[position].documents.append(document)
      } else {
        positions[name] = batches.count
        batches.append((DocumentTable(address.collection), [document]))
      }
    }
    return batches
  }

  private static func encode<Value: Codable>(_ value: Value, at address: DocumentAddress, expires: Date?) throws -> EncodedDocument {
    try DocumentCoding<Value>(collection: address.collection).encode(address.key, value, expires: expires)
  }
}

extension Store {
  /// Stores the documents of the graph, each under its key: all of them, or on an error none.
  ///
  /// Those that were loaded and not set since are not written, so that nobody's later changes to them are lost.
  ///
  /// - Parameters:
  ///   - graph: The documents.
  ///   - expires: When they are gone. Without a date, documents that are there keep theirs, and new ones stay.
  /// - Throws: ``StoreError`` `.invalidValue` if one cannot be encoded, `.schemaMismatch` for the name of a collection that the file gives to
  ///   something else; `CancellationError`.
  public func save(_ graph: DocumentGraph, expires: Date? = nil) async throws {
    let batches = try graph.encoded(expires: expires)
    try await writer.perform { try $0.write(batches) }
  }
}

extension StoreWriter {
  /// Stores the documents of the graph, each under its key: all of them, or on an error none.
  ///
  /// Those that were loaded and not set since are not written.
  ///
  /// - Parameters:
  ///   - graph: The documents.
  ///   - expires: When they are gone. Without a date, documents that are there keep theirs, and new ones stay.
  /// - Throws: ``StoreError`` `.invalidValue` if one cannot be encoded, `.schemaMismatch` for the name of a collection that the file gives to
  ///   something else.
  public func save(_ graph: DocumentGraph, expires: Date? = nil) throws {
    let batches = try graph.encoded(expires: expires)
    try _write(isAtomic: true) { try $0.connection.write(batches) }
  }
}

extension Connection {
  fileprivate func write(_ batches: [(table: DocumentTable, documents: [EncodedDocument])]) throws {
    guard !batches.isEmpty else { return }
    let body = { for (table, documents) in batches { try table.set(documents, keepsExpiry: true, self) } }
    try isAutocommitting ? transaction(body) : savepoint(body)
  }
}
