import SwiftSyntax

/// The initial value of a property, which fills the column in rows that were stored before the property was added.
enum DefaultValue {
  /// A literal, which always has the same value.
  case constant(ExprSyntax)
  /// Any other expression, which is evaluated for each row.
  case computed(ExprSyntax)

  init(_ expression: ExprSyntax) {
    let movable = BlankLineIndenter().rewrite(expression.trimmed).cast(ExprSyntax.self)
    self = expression.isPlainLiteral ? .constant(movable) : .computed(movable)
  }
}

extension ExprSyntax {
  /// Whether the expression consists only of literals, without interpolation.
  fileprivate var isPlainLiteral: Bool {
    switch self.as(ExprSyntaxEnum.self) {
    case .integerLiteralExpr, .floatLiteralExpr, .booleanLiteralExpr, .nilLiteralExpr:
      return true
    case .stringLiteralExpr(let string):
      return string.segments.allSatisfy { $0.is(StringSegmentSyntax.self) }
    case .prefixOperatorExpr(let negative):
      return negative.operator.text == "-" && negative.expression.isPlainLiteral
    case .arrayExpr(let array):
      return array.elements.allSatisfy(\.expression.isPlainLiteral)
    case .dictionaryExpr(let dictionary):
      guard case .elements(let elements) = dictionary.content else { return true }
      return elements.allSatisfy { $0.key.isPlainLiteral && $0.value.isPlainLiteral }
    default:
      return false
    }
  }
}

/// Indents the blank lines of multiline string literals, so that the literal can be indented further.
///
/// A blank line may be empty, but whitespace on it has to reach as far as the closing quotes.
private final class BlankLineIndenter: SyntaxRewriter {
  override func visit(_ literal: StringLiteralExprSyntax) -> ExprSyntax {
    guard literal.openingQuote.tokenKind == .multilineStringQuote else { return super.visit(literal) }
    var startsLine = true
    let segments = literal.segments.map { segment -> StringLiteralSegmentListSyntax.Element in
      guard case .stringSegment(let string) = segment else {
        startsLine = false
        return segment
      }
      let isBlankLine = startsLine && string.content.text.allSatisfy(\.isNewline) && string.leadingTrivia.isEmpty
      startsLine = string.content.text.last?.isNewline == true
      return isBlankLine ? .stringSegment(string.with(\.leadingTrivia, literal.closingQuote.leadingTrivia)) : segment
    }
    return super.visit(literal.with(\.segments, StringLiteralSegmentListSyntax(segments)))
  }
}
