/// What SQL of the program finds under a collection's name: a temporary view of each connection with the properties as columns, which has only
/// the documents that have not expired. The table itself holds the JSON alone: columns computed from it would make each insert slower by as
/// many as there are.
enum DocumentViews {
  /// So many properties are columns of SQL: SQLite allows 2,000, and a join needs room for those of others.
  static let columnLimit = 1000

  /// The statement that makes the view.
  static func create(_ name: String, _ properties: [String]) -> String {
    let dialect = Dialect.sqlite
    var columns = ["key"]
    // SQLite does not tell upper from lower case in the names of columns.
    var taken: Set<ExactText> = [ExactText("key")]
    for property in properties.prefix(columnLimit) where taken.insert(ExactText(property.asciiLowercased)).inserted && !property.utf8.contains(0) {
      columns.append("\(DocumentSQL.value(DocumentPath(property))) AS \(dialect.quote(property))")
    }
    for (name, column) in [("_json", "json"), ("_expires", "expires")] where taken.insert(ExactText(name)).inserted {
      columns.append("\(column) AS \(name)")
    }
    let table = dialect.quote(name)
    return "CREATE TEMP VIEW \(table) AS SELECT \(columns.joined(separator: ", ")) FROM main.\(table) WHERE \(DocumentSQL.isLive)"
  }
}

extension Connection {
  /// The kept statement of SQL that a user wrote, which reads collections through their views.
  ///
  /// - Throws: ``StoreError`` `.unsupported` for SQL that changes a collection, in which what it wrote would be unknown.
  func userStatement(_ sql: String) throws -> PreparedStatement {
    do {
      return try viewingStatement(sql)
    } catch let error as StoreError where error.code == .unsupported {
      let collection = documents.views.keys.first { name in
        error.message.contains("cannot modify \(name) because it is a view") || error.message.contains("use DROP VIEW to delete view \(name).")
      }
      if let name = collection {
        throw StoreError(
          .unsupported, model: name,
          "\(name) is a collection of documents, which SQL reads and does not change. Change it with the verbs of store.documents(\"\(name)\").")
      }
      // A table may have been altered by another connection: SQLite looks for that itself after some of its errors alone.
      _ = try query("SELECT 1 FROM main.sqlite_master LIMIT 1")
      return try viewingStatement(sql)
    }
  }

  private func viewingStatement(_ sql: String) throws -> PreparedStatement {
    let compiled: PreparedStatement
    do {
      compiled = try statement(sql)
    } catch let error as StoreError where error.code == .schemaMismatch {
      // A column may be a property that came since, and a table may be a collection.
      guard try updateViews(try documents.names(self) + Array(documents.views.keys)) else { throw naming(columnsOf: sql, error) }
      do {
        return try statement(sql)
      } catch let error as StoreError {
        throw naming(columnsOf: sql, error)
      }
    }
    // Without its view a collection that is written to would be the table itself.
    let named = Set(compiled.facts.reads.tables.keys).union(compiled.facts.writes.tables.keys)
    let tables = named.filter { !documents.plainTables.contains($0) && !$0.hasPrefix("_larder_") }
    guard !tables.isEmpty, try updateViews(tables) else { return compiled }
    return try statement(sql)
  }

  /// Removes the views of all collections; the next SQL that needs one makes it again.
  func dropDocumentViews() throws {
    guard !documents.views.isEmpty else { return }
    for name in documents.views.keys { try change("DROP VIEW IF EXISTS temp.\(Dialect.sqlite.quote(name))") }
    documents.views.removeAll()
    forgetStatements()
  }

  /// Brings the views of those of the tables that are collections up to date; false where all were.
  private func updateViews(_ tables: some Collection<String>) throws -> Bool {
    var hasChanged = false
    for table in tables {
      let collection = try documents.collection(table, self)
      let version = collection.map { DocumentCatalogue.ViewVersion(id: $0.id, count: min($0.properties.count, DocumentViews.columnLimit)) }
      guard documents.views[table] != version else {
        if version == nil { documents.plainTables.insert(table) }
        continue
      }
      if !isAutocommitting { documents.noteChange() }
      hasChanged = true
      documents.views[table] = nil
      try change("DROP VIEW IF EXISTS temp.\(Dialect.sqlite.quote(table))")
      guard let collection, let version else { continue }
      try change(DocumentViews.create(table, collection.properties))
      documents.views[table] = version
    }
    if hasChanged { forgetStatements() }
    return hasChanged
  }
}
