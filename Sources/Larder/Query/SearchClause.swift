/// A full-text condition on a model's `.searchable` properties.
struct SearchClause: Sendable, Hashable {
  var pattern: String
  var isRanked = false
  /// The style of the matches' snippets, if they are needed.
  var style: SnippetStyle?

  static func table(of model: String) -> String { "\(ReservedNames.prefix)search_\(model)" }

  func writeJoin(_ writer: inout SQLWriter, _ searched: SearchedTable) {
    let index = Quoting.name(Self.table(of: searched.name))
    let row = "\(Quoting.name(searched.name)).\(Quoting.name(searched.rowIDColumn))"
    guard let sources = writer.pendingText?.sources[searched.name] else {
      writer.write(" JOIN \(index) ON \(index).rowid = \(row)")
      return
    }
    writer.write(" JOIN (")
    writeMatches(sources, &writer)
    writer.write(") AS \(index) ON \(index).number = \(row)")
  }

  func writeCondition(_ writer: inout SQLWriter, _ searched: SearchedTable) throws {
    guard !pattern.utf8.contains(0) else {
      throw StoreError(
        .invalidValue, model: searched.model, "The search text holds a NUL, at which SQLite ends it. Leave it out.")
    }
    guard searched.isSearchable else {
      throw StoreError(
        .unsupported, model: searched.model,
        "\(searched.model) has no searchable property; mark one with @Attribute(.searchable)")
    }
    let index = Quoting.name(Self.table(of: searched.name))
    if let sources = writer.pendingText?.sources[searched.name] {
      guard !isRanked else { return writer.write("TRUE") }
      writer.write("\(Quoting.name(searched.name)).\(Quoting.name(searched.rowIDColumn)) IN (")
      writeMatches(sources, &writer)
      writer.write(")")
      return
    }
    if isRanked {
      writer.write("\(index) MATCH ")
    } else {
      writer.write(
        "\(Quoting.name(searched.name)).\(Quoting.name(searched.rowIDColumn)) IN (SELECT rowid FROM \(index) WHERE \(index) MATCH "
      )
    }
    writer.bind(.text(pattern))
    if !isRanked { writer.write(")") }
  }

  func writeRank(_ writer: inout SQLWriter, _ searched: SearchedTable) {
    let index = Quoting.name(Self.table(of: searched.name))
    writer.write(writer.pendingText?.sources[searched.name] == nil ? "bm25(\(index))" : "\(index).rank")
  }
}

/// A table as full-text search knows it.
struct SearchedTable {
  let name: String
  let model: String
  let rowIDColumn: String
  let isSearchable: Bool
}

extension ModelSchema {
  var searched: SearchedTable {
    SearchedTable(name: table, model: modelName, rowIDColumn: rowIDColumn, isSearchable: !searchableColumns.isEmpty)
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
    SearchWords.pattern(typed: text).map { search($0) } ?? all
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
