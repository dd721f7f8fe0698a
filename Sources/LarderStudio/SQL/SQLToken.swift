/// A word or a mark of SQL, as SQLite separates them. Source: <https://www.sqlite.org/src/file/src/tokenize.c>.
enum SQLToken: Hashable {
  /// A keyword, or a name without quotes, in capital letters.
  case word(String)
  /// What is in quotes of any kind: a name or a text.
  case quoted(String)
  /// A byte that isn't part of a word. Numbers are marks and words.
  case mark(UInt8)

  /// What a word or something in quotes says, in capital letters.
  var name: String? {
    switch self {
    case .word(let name): name
    case .quoted(let name): name.uppercased()
    case .mark: nil
    }
  }

  /// Returns the tokens of a text, up to a NUL, where SQLite stops reading. Spaces and comments are none.
  static func tokens(of sql: String) -> [SQLToken] {
    var rest = Substring(sql).utf8.prefix { $0 != 0 }
    var tokens: [SQLToken] = []
    while let first = rest.first {
      if isSpace(first) || rest.starts(with: byteOrderMark) {
        rest = rest.dropFirst(isSpace(first) ? 1 : byteOrderMark.count)
      } else if rest.starts(with: "--".utf8) {
        rest = rest.drop { $0 != UInt8(ascii: "\n") }
      } else if rest.starts(with: "/*".utf8) {
        rest = rest.dropFirst(2)
        while !rest.isEmpty, !rest.starts(with: "*/".utf8) { rest = rest.dropFirst() }
        rest = rest.dropFirst(2)
      } else if let end = end(ofQuote: first) {
        tokens.append(.quoted(takeQuoted(from: &rest, to: end)))
      } else if "$@:#".utf8.contains(first) {
        tokens.append(.mark(first))
        dropVariable(from: &rest)
      } else if isPartOfWord(first) {
        let word = rest.prefix(while: isPartOfWord)
        tokens.append(.word(String(decoding: word, as: UTF8.self).uppercased()))
        rest = rest[word.endIndex...]
      } else {
        tokens.append(.mark(first))
        rest = rest.dropFirst()
      }
    }
    return tokens
  }

  private static let byteOrderMark = "\u{FEFF}".utf8

  /// Removes the name of a parameter. It may end with parentheses, in which quotes and semicolons are part of it.
  private static func dropVariable(from rest: inout Substring.UTF8View) {
    rest = rest.dropFirst()
    var isNamed = false
    while let byte = rest.first {
      if isPartOfWord(byte) {
        isNamed = true
        rest = rest.dropFirst()
      } else if rest.starts(with: "::".utf8) {
        rest = rest.dropFirst(2)
      } else {
        guard isNamed, byte == UInt8(ascii: "(") else { return }
        rest = rest.drop { $0 != UInt8(ascii: ")") && !isSpace($0) }
        if rest.first == UInt8(ascii: ")") { rest = rest.dropFirst() }
        return
      }
    }
  }

  private static func takeQuoted(from rest: inout Substring.UTF8View, to end: UInt8) -> String {
    rest = rest.dropFirst()
    var content: [UInt8] = []
    while let byte = rest.first {
      rest = rest.dropFirst()
      guard byte == end else {
        content.append(byte)
        continue
      }
      // A mark that stands twice is part of the content, except in brackets.
      guard end != UInt8(ascii: "]"), rest.first == end else { break }
      content.append(byte)
      rest = rest.dropFirst()
    }
    return String(decoding: content, as: UTF8.self)
  }

  private static func end(ofQuote byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): byte
    case UInt8(ascii: "["): UInt8(ascii: "]")
    default: nil
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte) }

  private static func isPartOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...: true
    default: false
    }
  }
}
