extension Transaction {
  /// Runs the closure if the name is new to the file, and records the name in the same transaction.
  static func once(_ name: String, _ connection: Connection, body: (Transaction) throws -> Void) throws -> Bool {
    try writing(connection) { transaction in
      try connection.execute(Catalogue.createOnceTable)
      var writer = SQLWriter()
      writer.write("INSERT INTO \(Catalogue.onceTable) (name) VALUES (")
      writer.bind(.text(name))
      writer.write(") ON CONFLICT DO NOTHING")
      guard try connection.change(writer, nil) > 0 else { return false }
      try body(transaction)
      return true
    }
  }
}
