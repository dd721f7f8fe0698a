public import Foundation

extension DocumentGraph {
  /// Returns the documents to write, one batch for each collection, in the order in which the collections were added.
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

  private static func encode<Content: Codable>(
    _ value: Content, at address: DocumentAddress, expires: Date?
  ) throws -> EncodedDocument {
    try DocumentCoding<Content>(collection: address.collection).encode(address.key, value, expires: expires)
  }
}

extension Store {
  /// Stores the documents of the graph, each under its key: all of them, or none if an error is thrown.
  ///
  /// Documents that were loaded and not set since aren't written, so later changes by others aren't lost.
  ///
  /// - Parameters:
  ///   - graph: The documents.
  ///   - expires: When the documents expire. If nil, existing documents keep their date, and new ones don't expire.
  /// - Throws: ``StoreError`` `.invalidValue` if a document can't be encoded, `.schemaMismatch` for the name of a
  ///   collection that the file uses for something else, the errors of any write, and `CancellationError`.
  public func save(_ graph: DocumentGraph, expires: Date? = nil) async throws {
    let batches = try graph.encoded(expires: expires)
    try await writer.perform { try $0.write(batches) }
  }
}

extension StoreWriter {
  /// Stores the documents of the graph, each under its key: all of them, or none if an error is thrown.
  ///
  /// Documents that were loaded and not set since aren't written.
  ///
  /// - Parameters:
  ///   - graph: The documents.
  ///   - expires: When the documents expire. If nil, existing documents keep their date, and new ones don't expire.
  /// - Throws: ``StoreError`` `.invalidValue` if a document can't be encoded, `.schemaMismatch` for the name of a
  ///   collection that the file uses for something else, and the errors of any write.
  public func save(_ graph: DocumentGraph, expires: Date? = nil) throws {
    let batches = try graph.encoded(expires: expires)
    try _write(isAtomic: true) { try $0.connection.write(batches) }
  }
}

extension Connection {
  fileprivate func write(_ batches: [(table: DocumentTable, documents: [EncodedDocument])]) throws {
    guard !batches.isEmpty else { return }
    let body = { for (table, documents) in batches { try table.on(self).set(documents, keepsExpiry: true) } }
    try isAutocommitting ? transaction(body) : savepoint(body)
  }
}
