/// A row that a search found, with how well it matches and where.
public struct SearchMatch<M: Model>: Sendable, Identifiable {
  /// The row.
  public let value: M
  /// How well it matches: greater is better. Comparable within one search alone.
  public let score: Double
  /// The stretch of text around the words that were found, each between the marks that were asked for.
  public let snippet: String

  public var id: M.ID { value.id }
}

extension SearchMatch: Equatable where M: Equatable {}
extension SearchMatch: Hashable where M: Hashable {}

/// How the words that were found stand out in a snippet.
public struct SnippetStyle: Sendable, Hashable {
  /// What comes before and after each word that was found.
  public var marks: (open: String, close: String) {
    get { (open, close) }
    set { (open, close) = newValue }
  }

  private var open: String
  private var close: String
  /// What stands where text was left out.
  public var ellipsis: String
  /// About how many words a snippet has, 1 to 64.
  public var words: Int

  /// Throws `.invalidValue` for a NUL, at which SQLite would end the text.
  func validate(_ model: String) throws {
    for text in [open, close, ellipsis] where text.utf8.contains(0) {
      throw StoreError(.invalidValue, model: model, "A mark or the ellipsis of a snippet's style holds a NUL, at which SQLite ends it. Leave it out.")
    }
  }

  /// A style; what is left out has its default. The number of words is brought into the range 1 to 64.
  public init(marks: (open: String, close: String) = ("[", "]"), ellipsis: String = "…", words: Int = 16) {
    open = marks.open
    close = marks.close
    self.ellipsis = ellipsis
    self.words = min(max(words, 1), 64)
  }
}
