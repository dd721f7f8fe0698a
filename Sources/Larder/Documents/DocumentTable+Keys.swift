import GRDBSQLite

extension DocumentTable {
  /// Calls the closure with each of the documents with the keys that is there, in any order. It is one statement for all of them.
  func forEach(
    _ keys: [String], _ connection: Connection, _ body: (_ key: String, _ json: UnsafeBufferPointer<UInt8>) throws -> Void
  ) throws {
    try naming(connection) {
      guard try connection.documents.collection(name, connection) != nil else { return }
      // What json_each takes out of an array of texts ends at a NUL; objects stay JSON, which a function of Larder's reads to the end.
      let holdsNull = keys.contains { $0.utf8.contains(0) }
      let json = try DocumentWriter.json(of: keys.map { holdsNull ? ["key": .text($0)] : .text($0) })
      let element = holdsNull ? "larder_property(value, 'key')" : "value"
      let sql = "SELECT key, json FROM \(table) WHERE key IN (SELECT \(element) FROM json_each(?1)) AND \(DocumentSQL.isLive)"
      try executing(sql, [.value(.text(json))], connection) { statement in
        while try connection.step(statement, nil) {
          // Between the rows other code decodes.
          try connection.checkInterruption()
          try body(StoredColumn(statement.pointer, 0).text ?? "", Self.json(statement, 1))
        }
      }
    }
  }
}
