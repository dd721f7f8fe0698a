import SwiftSyntax
import SwiftSyntaxMacros

/// Says how a property is stored. `@Model` and `@Embeddable` read it; by itself it only checks where it stands.
struct AttributeMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    var findings = Findings()
    Placement(of: .attribute, attribute: node, on: DeclSyntax(declaration), within: context.lexicalContext).check(&findings)
    findings.report(to: context)
    return []
  }
}
