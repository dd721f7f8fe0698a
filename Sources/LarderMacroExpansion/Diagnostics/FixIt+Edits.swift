import SwiftDiagnostics
import SwiftSyntax

/// The message of a fix-it.
struct Remedy: FixItMessage {
  let message: String
  var fixItID: MessageID { MessageID(domain: "LarderMacros", id: message) }
}

extension FixIt {
  init(_ message: String, _ changes: Change...) {
    self.init(message: Remedy(message: message), changes: changes)
  }
}

extension FixIt.Change {
  static func insert(_ text: String, before node: some SyntaxProtocol) -> Self {
    edit(node.positionAfterSkippingLeadingTrivia..<node.positionAfterSkippingLeadingTrivia, text, in: node)
  }

  static func insert(_ text: String, after node: some SyntaxProtocol) -> Self {
    edit(node.endPositionBeforeTrailingTrivia..<node.endPositionBeforeTrailingTrivia, text, in: node)
  }

  static func replace(_ node: some SyntaxProtocol, with text: String) -> Self {
    edit(node.positionAfterSkippingLeadingTrivia..<node.endPositionBeforeTrailingTrivia, text, in: node)
  }

  /// Removes the node and the whitespace between it and the next token.
  static func remove(_ node: some SyntaxProtocol) -> Self {
    let end = node.lastToken(viewMode: .sourceAccurate)?.nextToken(viewMode: .sourceAccurate)?
      .positionAfterSkippingLeadingTrivia
    return edit(node.positionAfterSkippingLeadingTrivia..<(end ?? node.endPosition), "", in: node)
  }

  /// Removes one argument with its comma, or the whole attribute if it is the only one.
  static func remove(_ argument: LabeledExprSyntax, from attribute: AttributeSyntax) -> Self {
    guard case .argumentList(let arguments) = attribute.arguments, arguments.count > 1,
      let index = arguments.index(of: argument)
    else {
      return remove(attribute)
    }
    guard argument.trailingComma == nil else { return remove(argument) }
    let previous = arguments[arguments.index(before: index)]
    return edit(
      previous.expression.endPositionBeforeTrailingTrivia..<argument.endPositionBeforeTrailingTrivia, "", in: argument)
  }

  private static func edit(_ range: Range<AbsolutePosition>, _ text: String, in node: some SyntaxProtocol) -> Self {
    .replaceText(range: range, with: text, in: Syntax(node))
  }
}
