/// The temporary views that the program's SQL finds under a collection's name: the properties as columns, and only
/// documents that haven't expired.
///
/// The table itself stores only the JSON: computed columns would slow each insert down in proportion to their number.
enum DocumentViews {
  /// The largest number of properties that are columns in SQL: SQLite allows 2,000, and a join needs columns of other
  /// tables too.
  static let columnLimit = 1000

  /// Returns the statements that create the view.
  ///
  /// With its triggers, which are never executed, SQL that changes the view can be compiled: so it is known to do so.
  static func create(_ name: String, _ properties: [String]) -> [String] {
    var columns = ["key"]
    // SQLite's column names are case-insensitive.
    var taken: Set<ExactText> = [ExactText("key")]
    for property in properties.prefix(columnLimit)
    where taken.insert(ExactText(property.asciiLowercased)).inserted && !property.utf8.contains(0) {
      columns.append("\(DocumentSQL.value(DocumentPath(property))) AS \(Quoting.name(property))")
    }
    for (name, column) in [("_json", "json"), ("_expires", "expires")] where taken.insert(ExactText(name)).inserted {
      columns.append("\(column) AS \(name)")
    }
    let table = Quoting.name(name)
    let view =
      "CREATE TEMP VIEW \(table) AS SELECT \(columns.joined(separator: ", ")) FROM main.\(table) WHERE \(DocumentSQL.isLive)"
    let triggers = ["INSERT", "UPDATE", "DELETE"].map { verb in
      let trigger = Quoting.name("\(ReservedNames.prefix)\(verb.lowercased())_\(name)")
      return
        "CREATE TEMP TRIGGER \(trigger) INSTEAD OF \(verb) ON temp.\(table) BEGIN SELECT RAISE(ABORT, 'unsupported'); END"
    }
    return [view] + triggers
  }
}

extension Connection {
  /// Returns the cached statement of SQL from the program, which reads collections through their views.
  ///
  /// - Throws: ``StoreError`` `.unsupported` for SQL that changes a collection, because the library couldn't know what
  ///   it wrote.
  func userStatement(_ sql: String) throws -> PreparedStatement {
    do {
      return try viewingStatement(sql)
    } catch let error as StoreError where error.code == .schemaMismatch || error.model == nil {
      // The columns of the table itself aren't those of the view.
      if let name = try collection(writtenBy: sql) { throw Self.refusal(ofWritesTo: name) }
      guard error.code == .unsupported || error.code == .schemaMismatch else { throw error }
      // Another connection may have altered a table; after some errors SQLite itself doesn't check for that.
      _ = try query("SELECT 1 FROM main.sqlite_master LIMIT 1")
      return try viewingStatement(sql)
    }
  }

  private static func refusal(ofWritesTo name: String) -> StoreError {
    StoreError(
      .unsupported, model: name,
      "\(name) is a collection of documents, which SQL reads and does not change. Change it with the verbs of store.documents(\"\(name)\")."
    )
  }

  /// Returns the collection that SQL, which can't be compiled with the views, would write to without them.
  private func collection(writtenBy sql: String) throws -> String? {
    let names = documents.views.keys.sorted()
    guard !names.isEmpty else { return nil }
    try dropDocumentViews()
    let facts = try? compile(sql, isPersistent: false).facts
    _ = try updateViews(names)
    return names.first { facts?.writes.tables[$0] != nil }
  }

  /// Compiles SQL, and throws ``StoreError`` `.unsupported` if it changes a view of a collection.
  private func reading(_ sql: String) throws -> PreparedStatement {
    func check(_ names: Set<String>) throws {
      if let name = names.sorted().first(where: { documents.views[$0] != nil }) { throw Self.refusal(ofWritesTo: name) }
    }
    do {
      let statement = try statement(sql)
      try check(statement.facts.temporaryWrites)
      return statement
    } catch let error as StoreError where error.model == nil {
      // SQLite authorizes an insert and a drop before it finds that they can't be compiled.
      try check(authorizer.temporaryWrites)
      throw error
    }
  }

  private func viewingStatement(_ sql: String) throws -> PreparedStatement {
    let compiled: PreparedStatement
    do {
      compiled = try reading(sql)
    } catch let error as StoreError where error.code == .schemaMismatch {
      // A column may be a property that was added since, and a table may be a collection.
      guard try updateViews(try documents.names() + Array(documents.views.keys)) else { throw error }
      return try reading(sql)
    }
    // Without its view, the collection's name would resolve to the table itself.
    let named = Set(compiled.facts.reads.tables.keys).union(compiled.facts.writes.tables.keys)
    let tables = try documents.withoutPlainTables(named.filter { !$0.hasPrefix(ReservedNames.prefix) })
    guard !tables.isEmpty, try updateViews(tables) else { return compiled }
    return try reading(sql)
  }

  /// Removes the views of all collections. The next SQL that needs one creates it again.
  func dropDocumentViews() throws {
    guard !documents.views.isEmpty else { return }
    // Each by itself: one that a cancellation keeps from being dropped is still known.
    for name in documents.views.keys.sorted() {
      try change("DROP VIEW IF EXISTS temp.\(Quoting.name(name))")
      documents.views[name] = nil
      forgetStatements()
    }
  }

  /// Updates the views of those tables that are collections. Returns false if all were up to date.
  private func updateViews(_ tables: some Collection<String>) throws -> Bool {
    var hasChanged = false
    for table in tables {
      let collection = try documents.collection(table)
      let version = collection.map {
        DocumentCatalogue.ViewVersion(id: $0.id, count: min($0.properties.count, DocumentViews.columnLimit))
      }
      guard documents.views[table] != version else {
        if version == nil { documents.notePlain(table) }
        continue
      }
      if !isAutocommitting { documents.noteChange() }
      hasChanged = true
      documents.views[table] = nil
      try change("DROP VIEW IF EXISTS temp.\(Quoting.name(table))")
      guard let collection, let version else { continue }
      for statement in DocumentViews.create(table, collection.properties) { try change(statement) }
      documents.views[table] = version
    }
    if hasChanged { forgetStatements() }
    return hasChanged
  }
}
