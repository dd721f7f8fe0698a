import SwiftSyntax
import SwiftSyntaxMacros

/// A struct marked `@Model`, read and checked.
struct ModelDeclaration {
  let declaration: StructDeclaration
  let table: String
  let key: ModelKey

  /// Nil, or findings, where the struct cannot be a model.
  init?(_ syntax: some DeclGroupSyntax, attribute: AttributeSyntax, in context: some MacroExpansionContext, findings: inout Findings) {
    guard let declaration = StructDeclaration(syntax, macro: .model, attribute: attribute, in: context, findings: &findings) else { return nil }
    self.declaration = declaration
    declaration.reportTakenNames(["columns", "schema"], among: declaration.body.staticProperties, by: .model, findings: &findings)
    table = Self.table(of: declaration, findings: &findings)
    guard let key = ModelKey(declaration, findings: &findings) else { return nil }
    self.key = key
  }

  private static func table(of declaration: StructDeclaration, findings: inout Findings) -> String {
    let attribute = declaration.syntax.attributes.applications(of: .model).first
    if case .argumentList(let arguments)? = attribute?.arguments, let argument = arguments.first, !argument.expression.is(NilLiteralExprSyntax.self) {
      return SchemaName.table.read(argument.expression, findings: &findings) ?? declaration.name
    }
    _ = SchemaName.table.check(declaration.name, at: declaration.syntax.name, findings: &findings)
    return declaration.name
  }
}
