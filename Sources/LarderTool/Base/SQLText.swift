/// What the command has to know of SQL before SQLite reads it.
enum SQLText {
  /// Returns the arguments as their parser must see them: SQL may begin with a comment, which is no option. What follows
  /// `--` is none either.
  static func arguments(_ all: [String]) -> [String] {
    guard all.first == "sql" else { return all }
    let end = all.firstIndex(of: "--") ?? all.endIndex
    return all[..<end].map(argument) + all[end...]
  }

  private static func argument(_ text: String) -> String {
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
