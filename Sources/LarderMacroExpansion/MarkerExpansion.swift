package import SwiftSyntax
package import SwiftSyntaxMacros

/// A macro that marks a property for `@Model` and `@Embeddable`; by itself it only checks its placement.
package protocol MarkerExpansion: PeerMacro {
  static var name: MacroName { get }
}

extension MarkerExpansion {
  package static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    var findings = Findings()
    Placement(of: name, attribute: node, on: DeclSyntax(declaration), within: context.lexicalContext).check(&findings)
    findings.report(to: context)
    return []
  }
}
