import SwiftSyntax
import SwiftSyntaxMacros

/// Marks a property that triggers keep. `@Model` reads it; by itself it only checks where it stands.
struct DerivedMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    var findings = Findings()
    Placement(of: .derived, attribute: node, on: DeclSyntax(declaration), within: context.lexicalContext).check(&findings)
    findings.report(to: context)
    return []
  }
}
