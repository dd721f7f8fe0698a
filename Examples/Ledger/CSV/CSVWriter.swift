/// Writes CSV as RFC 4180 defines it: commas, CRLF, quotes where a field needs them.
struct CSVWriter {
  private(set) var text = ""

  /// A field: a text that a person wrote, or a value that the app made.
  enum Field {
    case text(String)
    case value(String)
  }

  mutating func write(_ fields: [Field]) {
    text += fields.map(Self.written).joined(separator: ",") + "\r\n"
  }

  private static func written(_ field: Field) -> String {
    switch field {
    case .value(let value): quoted(value)
    case .text(let text): quoted(FormulaGuard.guarded(text))
    }
  }

  private static func quoted(_ field: String) -> String {
    guard field.unicodeScalars.contains(where: { ",;\t\"\r\n".unicodeScalars.contains($0) }) else { return field }
    return "\"\(field.replacing("\"", with: "\"\""))\""
  }
}

/// Keeps spreadsheets from taking a text for a formula.
///
/// A text that begins with `=`, `+`, `-`, `@`, a tab or a line break gets an apostrophe before it, which spreadsheets
/// understand as "this is text". `unguarded` takes it away again, so that what was exported is imported as it was.
///
/// Source: <https://owasp.org/www-community/attacks/CSV_Injection>.
enum FormulaGuard {
  private static let dangerous: Set<Unicode.Scalar> = [
    "=", "+", "-", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
  ]

  static func guarded(_ text: String) -> String {
    isDangerous(text.unicodeScalars.drop { $0 == "'" }) ? "'" + text : text
  }

  static func unguarded(_ text: String) -> String {
    text.unicodeScalars.first == "'" && isDangerous(text.unicodeScalars.drop { $0 == "'" })
      ? String(text.unicodeScalars.dropFirst()) : text
  }

  private static func isDangerous(_ scalars: Substring.UnicodeScalarView) -> Bool {
    scalars.first.map(dangerous.contains) ?? false
  }
}
