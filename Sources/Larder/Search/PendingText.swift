/// The full-text indexes over the pending rows of a context, by the tables whose rows they are.
///
/// `@unchecked Sendable`: it belongs to a context's connection, and whoever uses the connection uses it alone.
final class PendingText: @unchecked Sendable {
  /// One index, and which of its matches count.
  struct Source {
    /// The quoted name of the FTS5 table.
    let index: String
    /// The row's number as the model's table has it.
    let row: String
    /// What is joined to the index to know that number.
    let join: String
    /// The condition that no later change hides the row; begins with `AND`, or is empty.
    let condition: String
  }

  var sources: [String: [Source]] = [:]
}

extension SearchClause {
  /// Writes the matches in the file's index and in those of the pending rows as one list of row numbers.
  ///
  /// The scores of pending rows come from an index of their own.
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
  /// FTS5's function for the text around a match.
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
