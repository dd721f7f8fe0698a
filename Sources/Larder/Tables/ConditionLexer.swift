/// A word of a condition or sort, with its position for messages.
struct ConditionToken: Equatable {
  enum Kind: Equatable {
    /// A name or a word such as `and`. Names in backquotes are never words.
    case name(String, isQuoted: Bool)
    /// A number, as it is written.
    case number(String)
    case text(String)
    /// A date, as it is written.
    case date(String)
    case symbol(String)
    case end
  }

  let kind: Kind
  /// The number of characters before it.
  let position: Int
}

/// Splits the text of a condition, scalar by scalar: a quotation mark ends a text even if it forms one `Character` with
/// a following combining mark.
struct ConditionLexer {
  private let scalars: [Unicode.Scalar]
  /// The number of characters before each scalar, and before the end.
  private let columns: [Int]
  private var position = 0
  private let source: String

  private static let symbols = [
    "==", "!=", "<>", "<=", ">=", "&&", "||", "??", "=", "<", ">", "!", "(", ")", "[", "]", ",", ".", "+", "-", "*",
    "/", "%",
  ]

  /// - Parameters:
  ///   - text: The text.
  ///   - source: What the text is, for messages: `condition` or `sort`.
  init(_ text: String, _ source: String) {
    scalars = Array(text.unicodeScalars)
    columns =
      text.enumerated().flatMap { column, character in character.unicodeScalars.map { _ in column } } + [text.count]
    self.source = source
  }

  static func tokens(of text: String, _ source: String) throws -> [ConditionToken] {
    var lexer = ConditionLexer(text, source)
    var tokens: [ConditionToken] = []
    repeat { tokens.append(try lexer.next()) } while tokens.last?.kind != .end
    return tokens
  }

  private mutating func next() throws -> ConditionToken {
    while position < scalars.count, scalars[position].properties.isWhitespace { position += 1 }
    let column = columns[position]
    guard position < scalars.count else { return ConditionToken(kind: .end, position: column) }
    return ConditionToken(kind: try kind(), position: column)
  }

  private mutating func kind() throws -> ConditionToken.Kind {
    let first = scalars[position]
    if first == "\"" || first == "'" || first == "“" || first == "`" { return try quoted(by: first) }
    if first.isDigit { return try number() }
    if first.beginsName { return .name(take { $0.beginsName || $0.continuesName }, isQuoted: false) }
    for symbol in Self.symbols where scalars[position...].starts(with: symbol.unicodeScalars) {
      position += symbol.unicodeScalars.count
      return .symbol(symbol)
    }
    throw StoreError(
      at: columns[position], of: source,
      "\"\(first)\" has no meaning here. Leave it out, or put texts into quotation marks and names into backquotes.")
  }

  private mutating func take(while condition: (Unicode.Scalar) -> Bool) -> String {
    let start = position
    while position < scalars.count, condition(scalars[position]) { position += 1 }
    return text(start..<position)
  }

  private func text(_ range: Range<Int>) -> String { String(String.UnicodeScalarView(scalars[range])) }

  /// Reads a text or a name in quotation marks. A mark within is doubled, or follows a backslash.
  private mutating func quoted(by mark: Unicode.Scalar) throws -> ConditionToken.Kind {
    let start = columns[position]
    let end: Unicode.Scalar = mark == "“" ? "”" : mark
    position += 1
    var text = String.UnicodeScalarView()
    while position < scalars.count {
      let scalar = scalars[position]
      position += 1
      if scalar == end {
        guard position < scalars.count, scalars[position] == end, end != "”" else {
          return mark == "`" ? .name(String(text), isQuoted: true) : .text(String(text))
        }
        position += 1
      } else if scalar == "\\", position < scalars.count, let escaped = Self.escapes[scalars[position]] {
        text.append(escaped)
        position += 1
        continue
      }
      text.append(scalar)
    }
    throw StoreError(at: start, of: source, "The quotation mark \(mark) is never closed.")
  }

  private static let escapes: [Unicode.Scalar: Unicode.Scalar] = [
    "\\": "\\", "\"": "\"", "'": "'", "`": "`", "n": "\n", "t": "\t", "r": "\r", "0": "\0",
  ]

  /// Reads a number, or a date such as `2026-11-30` or `2026-11-30T18:00:00Z`.
  private mutating func number() throws -> ConditionToken.Kind {
    let start = columns[position]
    var text = take(while: \.isDigit)
    if text.utf8.count == 4, matches("-dd-dd") {
      text += take(6)
      if position < scalars.count, scalars[position] == "T" || scalars[position] == "t" {
        text += take { $0.isDigit || "Tt:.Zz+-".unicodeScalars.contains($0) }
      }
      guard ISO8601.date(from: text) != nil else { throw StoreError(at: start, of: source, "\(text) is no date.") }
      return .date(text)
    }
    if matches(".d") { text += take(1) + take(while: \.isDigit) }
    if matches("ed") || matches("Ed") {
      text += take(1) + take(while: \.isDigit)
    } else if ["e-d", "E-d", "e+d", "E+d"].contains(where: matches) {
      text += take(2) + take(while: \.isDigit)
    }
    return .number(text)
  }

  private mutating func take(_ count: Int) -> String {
    defer { position += count }
    return text(position..<position + count)
  }

  /// Returns whether the next characters are those of the pattern, in which `d` is a digit.
  private func matches(_ pattern: String) -> Bool {
    guard scalars.count - position >= pattern.utf8.count else { return false }
    return zip(scalars[position...], pattern.unicodeScalars).allSatisfy { $1 == "d" ? $0.isDigit : $0 == $1 }
  }
}

extension Unicode.Scalar {
  fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
  fileprivate var beginsName: Bool { properties.isAlphabetic || self == "_" || self == "$" }
  fileprivate var continuesName: Bool {
    switch properties.generalCategory {
    case .decimalNumber, .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }
}

extension StoreError {
  /// Creates the error of a place in a text that a person wrote.
  init(at position: Int, of source: String, _ message: String) {
    self.init(.invalidValue, "Column \(position + 1) of the \(source): \(message)", position: position)
  }
}
