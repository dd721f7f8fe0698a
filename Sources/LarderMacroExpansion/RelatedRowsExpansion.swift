package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// Tells a `ToMany` its owner. Attached by `@Model`.
package protocol RelatedRowsExpansion: AccessorMacro, PeerMacro {}

extension RelatedRowsExpansion {
  package static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let name = rowsName(of: declaration) else { return [] }
    return [
      """
      @storageRestrictions(initializes: _\(raw: name))
      init(initialValue) { _\(raw: name) = initialValue }
      """,
      "get { _\(raw: name).owned(by: self, Self.columns.\(raw: name)) }",
      "set { _\(raw: name) = newValue }",
    ]
  }

  package static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let name = rowsName(of: declaration), let binding = declaration.as(VariableDeclSyntax.self)?.bindings.first,
      let type = binding.typeAnnotation?.type.trimmed
    else { return [] }
    return ["private var _\(raw: name): \(type) = \(binding.initializer?.value.trimmed ?? "[]")"]
  }

  private static func rowsName(of declaration: some DeclSyntaxProtocol) -> String? {
    guard let variable = declaration.as(VariableDeclSyntax.self), variable.bindings.count == 1,
      let binding = variable.bindings.first,
      binding.typeAnnotation?.type.isRows == true
    else { return nil }
    return binding.name?.plainName
  }
}
