/// A full-text condition on a model's `.searchable` properties.
struct SearchClause: Sendable, Hashable {
  var pattern: String
  var isRanked = false
  /// How the matches' snippets look, where they are asked for.
  var style: SnippetStyle?

  static func table(of model: String) -> String { "_larder_search_\(model)" }

  func writeJoin<M: Model>(_ writer: inout SQLWriter, _ schema: ModelSchema<M>) {
    let index = writer.dialect.quote(Self.table(of: schema.table))
    let row = "\(schema.statements.table).\(writer.dialect.quote(schema.rowIDColumn))"
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
      throw StoreError(.invalidValue, model: schema.modelName, "The search text holds a NUL, at which SQLite ends it. Leave it out.")
    }
    guard !schema.searchableColumns.isEmpty else {
      throw StoreError(
        .unsupported, model: schema.modelName, "\(schema.modelName) has no searchable property; mark one with @Attribute(.searchable)")
    }
    let index = writer.dialect.quote(Self.table(of: schema.table))
    if let sources = writer.pendingText?.sources[schema.table] {
      guard !isRanked else { return writer.write("TRUE") }
      writer.write("\(schema.statements.table).\(writer.dialect.quote(schema.rowIDColumn)) IN (")
      writeMatches(sources, &writer)
      writer.write(")")
      return
    }
    if isRanked {
      writer.write("\(index) MATCH ")
    } else {
      writer.write("\(schema.statements.table).\(writer.dialect.quote(schema.rowIDColumn)) IN (SELECT rowid FROM \(index) WHERE \(index) MATCH ")
    }
    writer.bind(.text(pattern))
    if !isRanked { writer.write(")") }
  }

  func writeRank<M: Model>(_ writer: inout SQLWriter, _ schema: ModelSchema<M>) {
    let index = writer.dialect.quote(Self.table(of: schema.table))
    writer.write(writer.pendingText?.sources[schema.table] == nil ? "bm25(\(index))" : "\(index).rank")
  }
}

extension ModelSchema {
  /// The column that is the row identifier: the key where it is an integer, a hidden column otherwise.
  var rowIDColumn: String {
    isKeyRowID ? keyColumns[0].name : ModelStatements.hiddenRowID
  }
}

extension Model {
  /// The rows whose `.searchable` properties match an FTS5 query: `swift AND sqlite*`, `"exact phrase"`, `title : milk`.
  ///
  /// A pattern that FTS5 cannot read throws `.invalidValue` when the query runs. For what a person types, use ``search(typed:)``.
  /// Source: <https://www.sqlite.org/fts5.html#full_text_query_syntax>.
  public static func search(_ pattern: String) -> Query<Self> {
    var query = all
    query.search = SearchClause(pattern: pattern)
    return query
  }

  /// The rows that hold every typed word, or a word that begins with it, in any order. No character has a special meaning.
  ///
  /// Without a word in the text every row matches, as a list does that nobody searches yet.
  public static func search(typed text: String) -> Query<Self> {
    // By scalars, as the index does it: a letter and what joins it may be one character together with a quotation mark.
    let words = text.unicodeScalars.split(whereSeparator: SearchWords.isSeparator).filter { $0.contains(where: SearchWords.beginsWord) }
    return words.isEmpty ? all : search(words.map { "\"\(String($0))\"*" }.joined(separator: " "))
  }
}

extension Query {
  /// The best matches of a search first, by the BM25 of FTS5; sorts decide among equals. Without a search it changes nothing.
  public func ranked() -> Query {
    var query = self
    query.search?.isRanked = true
    return query
  }
}
