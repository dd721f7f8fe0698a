extension String {
  /// A string literal of the text. It stays within its line and its quotes whatever the text is, so it may also stand
  /// in a comment.
  ///
  /// It is escaped scalar by scalar: a quote that a combining mark follows is one character with it, and still ends a
  /// literal.
  var swiftLiteral: String {
    let escaped = unicodeScalars.map { scalar in
      switch scalar {
      case "\"", "\\": "\\\(scalar)"
      case _ where scalar.isPlain: String(scalar)
      // Of all scalars, Swift refuses to escape these noncharacters.
      case _ where (0xFDD0...0xFDEF).contains(scalar.value): String(scalar)
      default: "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    return "\"\(escaped.joined())\""
  }
}

extension Unicode.Scalar {
  /// Whether the scalar shows itself in source code: it ends no line, turns no direction of reading, and isn't
  /// invisible.
  fileprivate var isPlain: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
    case .spaceSeparator: self == " "
    default: true
    }
  }
}
