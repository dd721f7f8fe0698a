package import SwiftSyntax
package import SwiftSyntaxMacros

/// Generates the conformance of a struct to `Embeddable`: its columns in any model, its properties and its codecs.
package protocol EmbeddableExpansion: ExtensionMacro {}

extension EmbeddableExpansion {
  /// The generated code is already formatted.
  package static var formatMode: FormatMode { .disabled }

  package static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    var findings = Findings()
    let embeddable = EmbeddableDeclaration(declaration, attribute: node, in: context, findings: &findings)
    guard let embeddable, findings.isEmpty else {
      findings.report(to: context)
      return []
    }
    return [embeddable.conformance(of: TypeSyntax(type.trimmed), statesConformance: !protocols.isEmpty)]
  }
}
