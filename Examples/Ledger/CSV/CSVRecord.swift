/// A line of a CSV file, or several where a quoted field has line breaks.
struct CSVRecord: Equatable, Sendable {
  /// Where it begins; the first line of the file is 1.
  let line: Int
  let fields: [String]
  /// What is wrong with its quotes, if anything.
  var problem: Problem?

  enum Problem: Equatable, Sendable {
    /// A quoted field has no end before the file has one.
    case openQuote
    /// A quoted field goes on after its end: `"a"b`.
    case textAfterQuote
  }

  /// No field, or one without text.
  var isBlank: Bool { problem == nil && (fields.isEmpty || fields.count == 1 && fields[0].isBlank) }
}
