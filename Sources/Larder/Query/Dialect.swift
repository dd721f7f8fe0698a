/// How one database system writes what every one can say. Names and values reach SQL text through here alone.
struct Dialect: Sendable {
  /// An identifier, quoted so that keywords, spaces and quotes are ordinary characters.
  func quote(_ name: String) -> String {
    name.utf8.contains(UInt8(ascii: "\"")) ? "\"\(name.escaping("\"", by: "\""))\"" : "\"\(name)\""
  }

  /// A text constant, for the few places of a schema that take no parameter.
  func literal(_ text: String) -> String {
    "'\(text.escaping("'", by: "'"))'"
  }

  func literal(_ value: Value) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let integer): String(integer)
    case .real(let real): real.isInfinite ? (real < 0 ? "-9e999" : "9e999") : "\(real)"
    // A constant of SQL text ends at a NUL: such text goes in as bytes.
    case .text(let text): text.utf8.contains(0) ? "CAST(\(literal(.blob(.init(text.utf8)))) AS TEXT)" : literal(text)
    case .blob(let data): "x'" + data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
    }
  }

  /// The positional parameter.
  func parameter(_ number: Int) -> String { "?\(number)" }

  static let sqlite = Dialect()
}

extension String {
  /// The text with something before each of the characters that have a meaning.
  ///
  /// SQL is read by scalars: a quotation mark ends a name also where a mark after it makes the two one `Character`.
  func escaping(_ special: Unicode.Scalar..., by escape: Unicode.Scalar) -> String {
    var text = UnicodeScalarView()
    for scalar in unicodeScalars {
      if special.contains(scalar) { text.append(escape) }
      text.append(scalar)
    }
    return String(text)
  }
}
