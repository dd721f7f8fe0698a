import SwiftSyntax

/// The initial value of a property, which fills the column in rows that were stored before the property was there.
enum DefaultValue {
  /// A literal: the same value whenever it is asked for.
  case constant(ExprSyntax)
  /// Anything else: evaluated anew for each row.
  case computed(ExprSyntax)

  init(_ expression: ExprSyntax) {
    self = expression.isPlainLiteral ? .constant(expression.trimmed) : .computed(expression.trimmed)
  }
}

extension ExprSyntax {
  /// Whether the expression is made of literals alone, without interpolation.
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
