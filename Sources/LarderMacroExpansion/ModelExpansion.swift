package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// Generates the conformance of a struct to `Model`: its columns, its schema, its codecs and, if the key isn't named
/// `id`, its identity.
package protocol ModelExpansion: ExtensionMacro, MemberAttributeMacro {}

extension ModelExpansion {
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
    let model = ModelDeclaration(declaration, attribute: node, in: context, findings: &findings)
    guard let model, findings.isEmpty else {
      findings.report(to: context)
      return []
    }
    return [model.conformance(of: TypeSyntax(type.trimmed), missing: protocols)]
  }

  /// Adds accessors to every `ToMany` that provide its owner.
  package static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    guard let variable = member.as(VariableDeclSyntax.self), !variable.isStatic, variable.bindings.count == 1,
      variable.bindings.first?.typeAnnotation?.type.isRows == true, variable.bindings.first?.isComputed == false
    else { return [] }
    return ["@Larder._RelatedRows"]
  }
}
