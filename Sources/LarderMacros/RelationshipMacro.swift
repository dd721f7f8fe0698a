import SwiftSyntax
import SwiftSyntaxMacros

/// Describes a relationship. `@Model` reads it; by itself it only checks where it stands.
struct RelationshipMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    var findings = Findings()
    Placement(of: .relationship, attribute: node, on: DeclSyntax(declaration), within: context.lexicalContext).check(&findings)
    findings.report(to: context)
    return []
  }
}
