import Foundation
import GRDBSQLite

/// The documents of a collection on a connection.
struct DocumentRows {
  private let table: DocumentTable
  let connection: Connection

  init(table: DocumentTable, connection: Connection) {
    self.table = table
    self.connection = connection
  }

  var name: String { table.name }
  /// The name of the table in SQL.
  var target: String { table.target }

  // MARK: Reading

  func contains(_ key: String) throws -> Bool {
    try get(key) { _ in true } ?? false
  }

  /// Transforms the document's JSON; returns nil if there is no such document.
  func get<Output>(
    _ key: String, _ decode: (UnsafeBufferPointer<UInt8>) throws -> Output
  ) throws -> Output? {
    try naming {
      guard try isThere() else { return nil }
      return try executing(table.find, [.value(.text(key))]) { statement in
        try connection.step(statement, nil) ? try decode(Self.json(statement, 0)) : nil
      }
    }
  }

  /// Returns when the document expires; nil if it doesn't expire or doesn't exist.
  func expiry(of key: String) throws -> Date? {
    try naming {
      guard try isThere() else { return nil }
      return try executing(table.find, [.value(.text(key))]) { statement in
        guard try connection.step(statement, nil) else { return nil }
        return StoredColumn(statement.pointer, 1).real.map { Date(timeIntervalSinceReferenceDate: $0) }
      }
    }
  }

  /// Returns the documents with the keys, in their order; nil for each that doesn't exist.
  func rows(_ keys: ArraySlice<String>) throws -> [DocumentPages.Row?] {
    try naming {
      connection.noteRead(of: name)
      guard try isThere() else { return keys.map { _ in nil } }
      return try keys.map { key in
        try executing(table.find, [.value(.text(key))]) { statement in
          guard try connection.step(statement, nil) else { return nil }
          let json = try jsonText(Self.json(statement, 0), of: key)
          return DocumentPages.Row(
            json: json, expires: StoredColumn(statement.pointer, 1).real, clock: connection.environment.clock)
        }
      }
    }
  }

  func count(_ query: DocumentQuery) throws -> Int {
    try select("count(*)", query) { Int(sqlite3_column_int64($0.pointer, 0)) }.first ?? 0
  }

  func keys(_ query: DocumentQuery) throws -> [String] {
    try select("key", query) { try key($0) }
  }

  func fetch<Output>(
    _ query: DocumentQuery, _ decode: (String, UnsafeBufferPointer<UInt8>) throws -> Output
  ) throws -> [Output] {
    try select("key, json", query) { try decode(key($0), Self.json($0, 1)) }
  }

  private func select<Output>(
    _ columns: String, _ query: DocumentQuery, _ body: (PreparedStatement) throws -> Output
  ) throws -> [Output] {
    try naming {
      guard let collection = try connection.documents.collection(name) else { return [] }
      try DocumentPathCheck(collection, name, connection).check(query)
      var writer = connection.environment.makeWriter()
      try query.select(columns, from: target, &writer)
      return try connection.using(writer, nil) { statement in
        var outputs: [Output] = []
        while try connection.step(statement, nil) { outputs.append(try body(statement)) }
        return outputs
      }
    }
  }

  func properties() throws -> [String] {
    try connection.documents.collection(name)?.properties ?? []
  }

  /// Returns whether the file has the collection. A collection that the connection knows still exists, or its
  /// statements fail to compile.
  private func isThere() throws -> Bool {
    if connection.documents.isKnown(name), (try? connection.statement(table.find)) != nil { return true }
    return try connection.documents.collection(name) != nil
  }

  /// Returns the key in the first column of a statement.
  ///
  /// - Throws: `StoreError` `.invalidValue` for bytes of another program that aren't UTF-8.
  func key(_ statement: PreparedStatement) throws -> String {
    guard let key = StoredColumn(statement.pointer, 0).text else {
      throw StoreError(ValueFailure.invalidText, model: name, property: "key")
    }
    return key
  }

  /// Returns the JSON of a document as it is stored.
  ///
  /// - Throws: `StoreError` `.invalidValue` for bytes of another program that aren't UTF-8.
  func jsonText(_ json: UnsafeBufferPointer<UInt8>, of key: String) throws -> String {
    guard let text = StoredColumn.exactText(json) else {
      throw StoreError(
        .invalidValue, model: name,
        "The document \"\(key)\" of \(name) holds text that is not valid UTF-8. Set it anew, or delete it.")
    }
    return text
  }

  static func json(_ statement: PreparedStatement, _ column: Int32) -> UnsafeBufferPointer<UInt8> {
    let bytes = sqlite3_column_text(statement.pointer, column)
    return UnsafeBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement.pointer, column)))
  }

  // MARK: Writing

  /// The number of names up to which comparing each with each is quicker than looking them up.
  private static let comparisonLimit = 32

  /// Stores the documents.
  ///
  /// - Parameter keepsExpiry: Whether a document without a date of expiry keeps that of the document it replaces.
  func set(_ documents: [EncodedDocument], keepsExpiry: Bool = false) throws {
    guard !documents.isEmpty else { return }
    try writing {
      try connection.prepareAttachments(documents.contains { Attachment.isNamed(in: .text($0.json)) })
      // Most documents of a batch have the names of the one before, in any order.
      var prepared: [ExactText]?
      for document in documents {
        let properties = document.properties
        let isFew = properties.count <= Self.comparisonLimit
        if isFew, let prepared, properties.allSatisfy({ prepared.contains(ExactText($0)) }) { continue }
        try connection.documents.prepare(name, properties)
        prepared = isFew ? properties.map(ExactText.init) : nil
      }
      let keepsTimes = try connection.documents.keepsTimes(name)
      let statement = try connection.statement(keepsExpiry ? table.upsertKeepingExpiry : table.upsert)
      for document in documents {
        let document = keepsTimes ? try withTimes(document) : document
        var key = StatementParameter(statement.pointer, 1, statement.arena)
        key.bind(document.key)
        var json = StatementParameter(statement.pointer, 2, statement.arena)
        json.bind(document.json)
        var expires = StatementParameter(statement.pointer, 3, statement.arena)
        if let date = document.expires { expires.bind(date.timeIntervalSinceReferenceDate) } else { expires.bindNull() }
        guard statement.arena.failure == SQLITE_OK else {
          let failure = statement.arena.failure
          statement.reset()
          throw connection.error(failure, nil)
        }
        try connection.run(statement)
      }
      for case let date? in documents.map(\.expires) {
        connection.environment.clock.note(date.timeIntervalSinceReferenceDate)
      }
    }
  }

  /// Returns the document with the time of this call, and the time at which it was added: that of the stored document,
  /// if there is one.
  private func withTimes(_ document: EncodedDocument) throws -> EncodedDocument {
    let now = try Date(timeIntervalSinceReferenceDate: connection.environment.clock.now).documentValue
    let old = try get(document.key) { try DocumentReader.document($0, of: document.key, in: name) }
    return try document.keepingTimes(addedAt: old.map { $0["addedAt"] } ?? now, updatedAt: now)
  }

  /// Sets whether the collection records when documents are added and updated.
  func keepTimes(_ keepsTimes: Bool) throws {
    try writing {
      try connection.documents.prepare(name, keepsTimes ? EncodedDocument.times : [])
      try connection.documents.setKeepsTimes(keepsTimes, name)
    }
  }

  /// Sets some properties of a document, and keeps the others and its date of expiry. Throws `.notFound` if there is
  /// none.
  func update(_ keys: [String], _ changes: Document) throws {
    try writing {
      for key in keys { try update(key, changes) }
    }
  }

  private func update(_ key: String, _ changes: Document) throws {
    guard let old = try get(key, { try DocumentReader.document($0, of: key, in: name) }) else {
      throw StoreError(.notFound, model: name, "There is no document with this key in \(name). Use save to add it.")
    }
    var new = old
    try connection.documents.prepare(name, [])
    let keepsTimes = try connection.documents.keepsTimes(name)
    let isKept: (String) -> Bool = { $0 == "key" || (keepsTimes && EncodedDocument.times.contains($0)) }
    for (property, value) in changes where !isKept(property) { new[property] = value }
    if keepsTimes {
      new["updatedAt"] = try Date(timeIntervalSinceReferenceDate: connection.environment.clock.now).documentValue
    }
    try connection.documents.prepare(name, changes.names.filter { !isKept($0) })
    let json = try DocumentWriter.json(of: new)
    try connection.prepareAttachments(Attachment.isNamed(in: .text(json)))
    _ = try changed(
      "UPDATE \(target) SET json = ?2 WHERE key = ?1", [.value(.text(key)), .value(.text(json))])
  }

  /// Deletes documents, and returns how many existed.
  func delete(_ keys: [String]) throws -> Int {
    try writing {
      guard try connection.documents.collection(name) != nil else { return 0 }
      return try keys.reduce(0) { try $0 + changed(table.remove, [.value(.text($1))]) }
    }
  }

  func deleteAll(_ query: DocumentQuery) throws -> Int {
    try writing {
      guard let collection = try connection.documents.collection(name) else { return 0 }
      try DocumentPathCheck(collection, name, connection).check(query)
      var writer = connection.environment.makeWriter()
      writer.write("DELETE FROM \(target) WHERE rowid IN (")
      try query.select("rowid", from: target, &writer)
      writer.write(")")
      return try connection.change(writer, nil)
    }
  }

  /// Sets when the document expires. Returns whether there is such a document.
  func setExpiry(of key: String, to date: Date?) throws -> Bool {
    let time = try Expiry.stored(date, of: name)
    return try writing {
      guard try isThere() else { return false }
      let sql = "UPDATE \(target) SET expires = ?2 WHERE key = ?1 AND \(DocumentSQL.isLive)"
      guard try changed(sql, [.value(.text(key)), .value(time)]) > 0 else { return false }
      if let seconds = time.real { connection.environment.clock.note(seconds) }
      return true
    }
  }

  func drop() throws -> Bool {
    try writing { try connection.documents.drop(name) }
  }

  /// Deletes expired documents, and returns their number.
  fileprivate func sweep(limit: Int, _ span: ExpirySpan) throws -> Int {
    try writing {
      try connection.environment.features.expiring(until: span.until, connection) {
        try changed(
          "DELETE FROM \(target) WHERE rowid IN (SELECT rowid FROM \(target) WHERE expires > ?1 AND expires <= ?2 LIMIT ?3)",
          [.value(.real(span.after)), .value(.real(span.until)), .value(.integer(Int64(limit)))])
      }
    }
  }

  // MARK: Executing

  func executing<Result>(
    _ sql: String, _ arguments: [SQLWriter.Argument],
    _ body: (PreparedStatement) throws -> Result
  ) throws -> Result {
    try connection.using(try connection.statement(sql), arguments, nil, body)
  }

  private func changed(_ sql: String, _ arguments: [SQLWriter.Argument]) throws -> Int {
    try executing(sql, arguments) { statement in
      while try connection.step(statement, nil) {}
      connection.note(statement)
      return Int(sqlite3_changes64(connection.handle))
    }
  }

  /// Calls the closure atomically: all of its changes are made, or none.
  func writing<Result>(_ body: () throws -> Result) throws -> Result {
    guard connection.overlay == nil else {
      throw StoreError(
        .unsupported, model: name,
        "A context does not keep documents. Write to \(name) with store.documents(\"\(name)\").")
    }
    return try naming {
      try connection.isAutocommitting ? connection.transaction(body) : connection.savepoint(body)
    }
  }

  func naming<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as StoreError where error.model == nil {
      throw damage(behind: error) ?? error.naming(name)
    }
  }

  /// Returns the error of the first document with damaged JSON after SQL failed, because SQLite doesn't report which
  /// one it was.
  private func damage(behind error: StoreError) -> StoreError? {
    guard error.property == nil, error.code == .invalidValue || error.code == .unsupported else { return nil }
    return try? executing("SELECT key, json FROM \(target)", []) { statement in
      while try connection.step(statement, nil) {
        do {
          _ = try DocumentReader.document(
            Self.json(statement, 1), of: key(statement), in: name)
        } catch {
          return error as? StoreError
        }
      }
      return nil
    }
  }
}

extension Connection {
  /// Returns when the first document after the time expires; infinity if none does.
  func nextDocumentExpiry(after time: Double) throws -> Double {
    try documents.names().reduce(.infinity) { earliest, name in
      let sql = "SELECT min(expires) AS next FROM main.\(Quoting.name(name)) WHERE expires > ?1"
      return min(earliest, try query(sql, [.real(time)]).first?["next"]?.real ?? .infinity)
    }
  }

  /// Deletes a limited number of expired documents in all collections together, and returns their number.
  ///
  /// - Parameter span: The range of expiry dates; by default all that have passed.
  func removeExpiredDocuments(_ span: ExpirySpan? = nil, limit: Int) throws -> Int {
    let span = span ?? ExpirySpan(until: environment.clock.reading)
    return try documents.names().reduce(0) { count, name in
      count < limit ? count + (try DocumentTable(name).on(self).sweep(limit: limit - count, span)) : count
    }
  }
}
