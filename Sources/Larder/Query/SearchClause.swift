/// A full-text condition on a model's `.searchable` properties.
struct SearchClause: Sendable, Hashable {
  var pattern: String
  var isRanked = false
  /// The style of the matches' snippets, if they are needed.
  var style: SnippetStyle?

  static func table(of model: String) -> String { "\(ReservedNames.prefix)search_\(model)" }

  func writeJoin<M: Model>(_ writer: inout SQLWriter, _ schema: ModelSchema<M>) {
    let index = Quoting.name(Self.table(of: schema.table))
    let row = "\(schema.statements.table).\(Quoting.name(schema.rowIDColumn))"
    guard let sources = writer.pendingText?.sources[schema.table] else {
      writer.write(" JOIN \(index) ON \(index).rowid = \(row)")
      return
    }
    writer.write(" JOIN (")
    writeMatches(sources, &writer)
    writer.write(") AS \(index) ON \(index).number = \(row)")
  }

  func writeCondition<M: Model>(_ writer: inout SQLWriter, _ schema: ModelSchema<M>) throws {
    guard !pattern.utf8.contains(0) else {
      throw StoreError(
        .invalidValue, model: schema.modelName, "The search text holds a NUL, at which SQLite ends it. Leave it out.")
    }
    guard !schema.searchableColumns.isEmpty else {
      throw StoreError(
        .unsupported, model: schema.modelName,
        "\(schema.modelName) has no searchable property; mark one with @Attribute(.searchable)")
    }
    let index = Quoting.name(Self.table(of: schema.table))
    if let sources = writer.pendingText?.sources[schema.table] {
      guard !isRanked else { return writer.write("TRUE") }
      writer.write("\(schema.statements.table).\(Quoting.name(schema.rowIDColumn)) IN (")
      writeMatches(sources, &writer)
      writer.write(")")
      return
    }
    if isRanked {
      writer.write("\(index) MATCH ")
    } else {
      writer.write(
        "\(schema.statements.table).\(Quoting.name(schema.rowIDColumn)) IN (SELECT rowid FROM \(index) WHERE \(index) MATCH "
      )
    }
    writer.bind(.text(pattern))
    if !isRanked { writer.write(")") }
  }

  func writeRank<M: Model>(_ writer: inout SQLWriter, _ schema: ModelSchema<M>) {
    let index = Quoting.name(Self.table(of: schema.table))
    writer.write(writer.pendingText?.sources[schema.table] == nil ? "bm25(\(index))" : "\(index).rank")
  }
}

extension Model {
  /// Returns a query for rows whose `.searchable` properties match an FTS5 query: `swift AND sqlite*`,
  /// `"exact phrase"`, `title : milk`.
  ///
  /// For text that a person types, use ``search(typed:)``. Source:
  /// <https://www.sqlite.org/fts5.html#full_text_query_syntax>.
  ///
  /// - Parameter pattern: The FTS5 query. If FTS5 can't parse it, running the query throws ``StoreError``
  ///   `.invalidValue`.
  /// - Returns: A query for the matching rows.
  public static func search(_ pattern: String) -> Query<Self> {
    var query = all
    query.search = SearchClause(pattern: pattern)
    return query
  }

  /// Returns a query for rows that contain every typed word, or a word that begins with it, in any order.
  ///
  /// No character has a special meaning. If the text has no words, every row matches, like in a list before a search.
  ///
  /// - Parameter text: The text that a person has typed.
  /// - Returns: A query for the matching rows.
  public static func search(typed text: String) -> Query<Self> {
    // Split by scalars, as the index does: a quotation mark may form one character with a combining mark.
    let words = text.unicodeScalars.split(whereSeparator: SearchWords.isSeparator).filter {
      $0.contains(where: SearchWords.beginsWord)
    }
    return words.isEmpty ? all : search(words.map { "\"\(String($0))\"*" }.joined(separator: " "))
  }
}

extension Query {
  /// Returns the query with the best matches of a search first, by FTS5's BM25; sorts order equal matches.
  ///
  /// Without a search this has no effect.
  ///
  /// - Returns: A new query; this one doesn't change.
  public func ranked() -> Query {
    var query = self
    query.search?.isRanked = true
    return query
  }
}
