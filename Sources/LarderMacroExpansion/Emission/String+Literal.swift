import SwiftSyntax
import SwiftSyntaxBuilder

extension String {
  /// A string literal of this text.
  ///
  /// It is escaped scalar by scalar: a quote that a combining mark follows is one character with it, and still ends a
  /// literal.
  var literal: ExprSyntax {
    let escaped = unicodeScalars.map { scalar in
      switch scalar {
      case "\"", "\\": "\\\(scalar)"
      case _ where scalar.properties.generalCategory == .control || scalar.properties.isWhitespace && scalar != " ":
        "\\u{\(String(scalar.value, radix: 16))}"
      default: String(scalar)
      }
    }
    return "\"\(raw: escaped.joined())\""
  }
}
