/// The full-text indexes of a context's unsaved rows, by table.
///
/// `@unchecked Sendable`: it belongs to a context's connection, which only one caller uses at a time.
final class PendingText: @unchecked Sendable {
  /// One index, and which of its matches count.
  struct Source {
    /// The quoted name of the FTS5 table.
    let index: String
    /// The row ID in the model's table.
    let row: String
    /// The join that provides the row ID.
    let join: String
    /// The condition that no later change hides the row. It begins with `AND`, or is empty.
    let condition: String
  }

  var sources: [String: [Source]] = [:]
}

extension SearchClause {
  /// Writes the matches in the file's index and in those of unsaved rows as one list of row IDs.
  ///
  /// The scores of unsaved rows come from an index of their own.
  func writeMatches(_ sources: [PendingText.Source], _ writer: inout SQLWriter) {
    for (position, source) in sources.enumerated() {
      if position > 0 { writer.write(" UNION ALL ") }
      writer.write("SELECT \(source.row) AS number")
      if isRanked { writer.write(", bm25(\(source.index)) AS rank") }
      if let style {
        writer.write(", ")
        style.write(&writer, index: source.index)
        writer.write(" AS snippet")
      }
      writer.write(" FROM \(source.index)\(source.join) WHERE \(source.index) MATCH ")
      writer.bind(.text(pattern))
      writer.write(source.condition)
    }
  }
}

extension SnippetStyle {
  /// Writes FTS5's function for the text around a match.
  func write(_ writer: inout SQLWriter, index: String) {
    writer.write("snippet(\(index), -1, ")
    for text in [marks.open, marks.close, ellipsis] {
      writer.bind(.text(text))
      writer.write(", ")
    }
    writer.bind(.integer(Int64(words)))
    writer.write(")")
  }
}
