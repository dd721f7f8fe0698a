/// What the command has to know of SQL before SQLite reads it.
enum SQLText {
  /// Returns an argument as the parser of arguments must see it: SQL may begin with a comment, which is no option.
  static func argument(_ text: String) -> String {
    guard text.hasPrefix("--"), let end = text.firstIndex(where: { $0.isWhitespace || $0 == "=" }) else { return text }
    return text[end] == "=" ? text : " " + text
  }

  /// Returns whether a statement begins like one that inserts, updates or deletes rows.
  static func changesRows(_ statement: String) -> Bool {
    let word = withoutComments(statement[...]).prefix(while: \.isLetter).lowercased()
    return ["insert", "replace", "update", "delete", "with"].contains(word)
  }

  private static func withoutComments(_ text: Substring) -> Substring {
    var rest = text.drop(while: \.isWhitespace)
    while true {
      if rest.hasPrefix("--") {
        rest = rest.drop { !$0.isNewline }
      } else if rest.hasPrefix("/*") {
        rest = rest.dropFirst(2)
        while !rest.isEmpty, !rest.hasPrefix("*/") { rest = rest.dropFirst() }
        rest = rest.dropFirst(2)
      } else {
        return rest
      }
      rest = rest.drop(while: \.isWhitespace)
    }
  }
}
