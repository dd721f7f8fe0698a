import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// A diagnostic that a source has to cause.
struct ExpectedMisuse {
  let line: Int
  let text: String
  let message: String
  let fixIts: [(message: String, source: String)]

  /// - Parameters:
  ///   - line: the line that the diagnostic points at.
  ///   - text: what it points at.
  ///   - fixIts: what the fix-its say, and the source after each.
  static func misuse(line: Int, at text: String, _ message: String, fixIts: [(String, String)] = []) -> ExpectedMisuse {
    ExpectedMisuse(line: line, text: text, message: message, fixIts: fixIts)
  }
}

/// Expects these diagnostics and no others, with these fix-its and no others.
func expectMisuse(
  in source: String, _ expected: ExpectedMisuse..., sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
  let expansion = Expansion(of: source)
  #expect(expansion.diagnostics.map(\.message) == expected.map(\.message), sourceLocation: sourceLocation)
  for (diagnostic, expected) in zip(expansion.diagnostics, expected) {
    #expect(expansion.line(of: diagnostic) == expected.line, sourceLocation: sourceLocation)
    #expect(diagnostic.node.trimmedDescription == expected.text, sourceLocation: sourceLocation)
    #expect(diagnostic.fixIts.map(\.message.message) == expected.fixIts.map(\.message), sourceLocation: sourceLocation)
    for (fixIt, expected) in zip(diagnostic.fixIts, expected.fixIts) {
      #expect(expansion.source(applying: fixIt) == expected.source, sourceLocation: sourceLocation)
    }
  }
}

/// Expects the source to be expanded without complaint, and the lines to stand in the result.
func expectLines(_ lines: String..., in source: String, sourceLocation: Testing.SourceLocation = #_sourceLocation) {
  let expansion = Expansion(of: source)
  #expect(expansion.diagnostics.map(\.message) == [], sourceLocation: sourceLocation)
  for line in lines
  where !expansion.text.split(separator: "\n").contains(where: { $0.drop(while: \.isWhitespace) == line }) {
    Issue.record("no line \(line) in\n\(expansion.text)", sourceLocation: sourceLocation)
  }
}

/// Expects the whole expansion, byte for byte.
func expectExpansion(
  _ source: String, _ expanded: String, sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
  assertMacroExpansion(
    source, expandedSource: expanded, macroSpecs: macros(), indentationWidth: .spaces(2),
    failureHandler: { Issue.record("\($0.message)", sourceLocation: sourceLocation) })
}
