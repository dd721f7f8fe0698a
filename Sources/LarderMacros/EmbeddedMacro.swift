import SwiftSyntax
import SwiftSyntaxMacros

/// Marks a property whose fields are columns of the model. `@Model` and `@Embeddable` read it; by itself it only checks where it stands.
struct EmbeddedMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    var findings = Findings()
    Placement(of: .embedded, attribute: node, on: DeclSyntax(declaration), within: context.lexicalContext).check(&findings)
    findings.report(to: context)
    return []
  }
}
