import GRDBSQLite

extension DocumentRows {
  /// Calls the closure with each document that has one of the keys, in any order, using one statement.
  func forEach(
    _ keys: [String],
    _ body: (_ key: String, _ json: UnsafeBufferPointer<UInt8>) throws -> Void
  ) throws {
    try naming {
      guard try connection.documents.collection(name) != nil else { return }
      // Text that json_each extracts from an array ends at a NUL. Objects stay JSON, which a function of Larder reads
      // to the end.
      let holdsNull = keys.contains { $0.utf8.contains(0) }
      let json = try DocumentWriter.json(of: keys.map { holdsNull ? ["key": .text($0)] : .text($0) })
      let element = holdsNull ? "larder_property(value, 'key')" : "value"
      let sql =
        "SELECT key, json FROM \(target) WHERE key IN (SELECT \(element) FROM json_each(?1)) AND \(DocumentSQL.isLive)"
      try executing(sql, [.value(.text(json))]) { statement in
        while try connection.step(statement, nil) {
          // Other code decodes between the rows.
          try connection.checkInterruption()
          try body(key(statement), Self.json(statement, 1))
        }
      }
    }
  }
}
