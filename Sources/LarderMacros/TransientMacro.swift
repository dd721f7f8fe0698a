import SwiftSyntax
import SwiftSyntaxMacros

/// Marks a property that is never stored. `@Model` and `@Embeddable` read it; by itself it only checks where it stands.
struct TransientMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    var findings = Findings()
    Placement(of: .transient, attribute: node, on: DeclSyntax(declaration), within: context.lexicalContext).check(&findings)
    findings.report(to: context)
    return []
  }
}
