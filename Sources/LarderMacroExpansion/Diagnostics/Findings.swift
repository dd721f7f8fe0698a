import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// The misuses that an analysis found, in order.
struct Findings {
  private var diagnostics: [Diagnostic] = []

  var isEmpty: Bool { diagnostics.isEmpty }

  mutating func report(_ misuse: Misuse, at node: some SyntaxProtocol, fixIts: [FixIt] = []) {
    diagnostics.append(Diagnostic(node: node, message: misuse, fixIts: fixIts))
  }

  func report(to context: some MacroExpansionContext) {
    diagnostics.forEach(context.diagnose)
  }
}
