/// Writes names, constants and parameters in SQLite's syntax. All SQL text uses it.
enum Quoting {
  /// Returns an identifier in quotes, so that keywords, spaces and quotes are ordinary characters.
  static func name(_ name: String) -> String {
    name.utf8.contains(UInt8(ascii: "\"")) ? "\"\(name.escaping("\"", by: "\""))\"" : "\"\(name)\""
  }

  /// Returns a text constant, for the few places of a schema that take no parameters.
  static func literal(_ text: String) -> String {
    "'\(text.escaping("'", by: "'"))'"
  }

  static func literal(_ value: Value) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let integer): String(integer)
    case .real(let real): real.isInfinite ? (real < 0 ? "-9e999" : "9e999") : "\(real)"
    // A text constant in SQL ends at a NUL, so such text is written as bytes.
    case .text(let text): text.utf8.contains(0) ? "CAST(\(literal(.blob(.init(text.utf8)))) AS TEXT)" : literal(text)
    case .blob(let data): "x'" + data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
    }
  }

  /// Returns the positional parameter.
  static func parameter(_ number: Int) -> String { "?\(number)" }
}

extension String {
  /// Returns the text with an escape before each special scalar.
  ///
  /// SQL is parsed by scalars: a quotation mark ends a name even if it forms one `Character` with a following combining
  /// mark.
  func escaping(_ special: Unicode.Scalar..., by escape: Unicode.Scalar) -> String {
    var text = UnicodeScalarView()
    for scalar in unicodeScalars {
      if special.contains(scalar) { text.append(escape) }
      text.append(scalar)
    }
    return String(text)
  }
}
