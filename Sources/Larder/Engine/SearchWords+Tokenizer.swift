extension SearchWords {
  /// Returns the tokenizer of the index of a table, as stored in the file.
  static func tokenizer(ofIndexOf table: String, in connection: Connection) throws -> String {
    let rows = try connection.query(
      "SELECT sql FROM main.sqlite_master WHERE name = ?1", [.text(SearchClause.table(of: table))])
    let sql = rows.first?["sql"]?.text ?? ""
    return [tokenizer, firstTokenizer].first {
      sql.utf8.reversed().starts(with: "tokenize=\(Quoting.literal($0)))".utf8.reversed())
    }
      ?? tokenizer
  }
}
