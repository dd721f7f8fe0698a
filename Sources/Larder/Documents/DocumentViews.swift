/// The temporary views that the program's SQL finds under a collection's name: the properties as columns, and only
/// documents that haven't expired.
///
/// The table itself stores only the JSON: computed columns would slow each insert down in proportion to their number.
enum DocumentViews {
  /// The largest number of properties that are columns in SQL: SQLite allows 2,000, and a join needs columns of other
  /// tables too.
  static let columnLimit = 1000

  /// Returns the statement that creates the view.
  static func create(_ name: String, _ properties: [String]) -> String {
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
    return
      "CREATE TEMP VIEW \(table) AS SELECT \(columns.joined(separator: ", ")) FROM main.\(table) WHERE \(DocumentSQL.isLive)"
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
    } catch let error as StoreError where error.code == .unsupported {
      let collection = documents.views.keys.first { name in
        error.message.contains("cannot modify \(name) because it is a view")
          || error.message.contains("use DROP VIEW to delete view \(name).")
      }
      if let name = collection {
        throw StoreError(
          .unsupported, model: name,
          "\(name) is a collection of documents, which SQL reads and does not change. Change it with the verbs of store.documents(\"\(name)\")."
        )
      }
      // Another connection may have altered a table; after some errors SQLite itself doesn't check for that.
      _ = try query("SELECT 1 FROM main.sqlite_master LIMIT 1")
      return try viewingStatement(sql)
    }
  }

  private func viewingStatement(_ sql: String) throws -> PreparedStatement {
    let compiled: PreparedStatement
    do {
      compiled = try statement(sql)
    } catch let error as StoreError where error.code == .schemaMismatch {
      // A column may be a property that was added since, and a table may be a collection.
      guard try updateViews(try documents.names(self) + Array(documents.views.keys)) else {
        throw naming(columnsOf: sql, error)
      }
      do {
        return try statement(sql)
      } catch let error as StoreError {
        throw naming(columnsOf: sql, error)
      }
    }
    // Without its view, the collection's name would resolve to the table itself.
    let named = Set(compiled.facts.reads.tables.keys).union(compiled.facts.writes.tables.keys)
    let tables = named.filter { !documents.plainTables.contains($0) && !$0.hasPrefix(ReservedNames.prefix) }
    guard !tables.isEmpty, try updateViews(tables) else { return compiled }
    return try statement(sql)
  }

  /// Removes the views of all collections. The next SQL that needs one creates it again.
  func dropDocumentViews() throws {
    guard !documents.views.isEmpty else { return }
    for name in documents.views.keys { try change("DROP VIEW IF EXISTS temp.\(Quoting.name(name))") }
    documents.views.removeAll()
    forgetStatements()
  }

  /// Updates the views of those tables that are collections. Returns false if all were up to date.
  private func updateViews(_ tables: some Collection<String>) throws -> Bool {
    var hasChanged = false
    for table in tables {
      let collection = try documents.collection(table, self)
      let version = collection.map {
        DocumentCatalogue.ViewVersion(id: $0.id, count: min($0.properties.count, DocumentViews.columnLimit))
      }
      guard documents.views[table] != version else {
        if version == nil { documents.plainTables.insert(table) }
        continue
      }
      if !isAutocommitting { documents.noteChange() }
      hasChanged = true
      documents.views[table] = nil
      try change("DROP VIEW IF EXISTS temp.\(Quoting.name(table))")
      guard let collection, let version else { continue }
      try change(DocumentViews.create(table, collection.properties))
      documents.views[table] = version
    }
    if hasChanged { forgetStatements() }
    return hasChanged
  }
}
