/// A row that a search found, with its score and a snippet.
public struct SearchMatch<M: Model>: Sendable, Identifiable {
  /// The row.
  public let value: M
  /// How well the row matches; greater is better. Only comparable within one search.
  public let score: Double
  /// The text around the words that were found, with the style's marks.
  public let snippet: String

  public var id: M.ID { value.id }
}

extension SearchMatch: Equatable where M: Equatable {}
extension SearchMatch: Hashable where M: Hashable {}

/// How a snippet marks the words that were found.
public struct SnippetStyle: Sendable, Hashable {
  /// The text before and after each word that was found.
  public var marks: (open: String, close: String) {
    get { (open, close) }
    set { (open, close) = newValue }
  }

  private var open: String
  private var close: String
  /// The text that replaces omitted text.
  public var ellipsis: String
  /// The approximate number of words in a snippet, 1 to 64.
  public var words: Int

  /// Throws `.invalidValue` for a NUL, at which SQLite would end the text.
  func validate(_ model: String) throws {
    for text in [open, close, ellipsis] where text.utf8.contains(0) {
      throw StoreError(
        .invalidValue, model: model,
        "A mark or the ellipsis of a snippet's style holds a NUL, at which SQLite ends it. Leave it out.")
    }
  }

  /// Creates a style.
  ///
  /// - Parameters:
  ///   - marks: The text before and after each word that was found.
  ///   - ellipsis: The text that replaces omitted text.
  ///   - words: The approximate number of words in a snippet, clamped to 1 to 64.
  public init(marks: (open: String, close: String) = ("[", "]"), ellipsis: String = "…", words: Int = 16) {
    open = marks.open
    close = marks.close
    self.ellipsis = ellipsis
    self.words = min(max(words, 1), 64)
  }
}
