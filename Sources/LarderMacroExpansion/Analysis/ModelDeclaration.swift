import SwiftSyntax
import SwiftSyntaxMacros

/// A struct marked `@Model`, parsed and checked.
struct ModelDeclaration {
  let declaration: StructDeclaration
  let table: String
  let key: ModelKey
  /// Whether rows can expire.
  let expires: Bool
  /// Whether rows take part in sync.
  let syncs: Bool

  /// Returns nil, or reports findings, if the struct can't be a model.
  init?(
    _ syntax: some DeclGroupSyntax, attribute: AttributeSyntax, in context: some MacroExpansionContext,
    findings: inout Findings
  ) {
    guard
      let declaration = StructDeclaration(syntax, macro: .model, attribute: attribute, in: context, findings: &findings)
    else { return nil }
    self.declaration = declaration
    declaration.reportTakenNames(
      ["columns", "schema"], among: declaration.body.staticProperties, by: .model, findings: &findings)
    table = Self.table(of: declaration, findings: &findings)
    expires = Self.flag("expires", of: declaration, else: false, .expiresIsNotLiteral, findings: &findings)
    syncs = Self.flag("syncs", of: declaration, else: true, .syncsIsNotLiteral, findings: &findings)
    guard let key = ModelKey(declaration, findings: &findings) else { return nil }
    self.key = key
  }

  private static func argument(_ label: String?, of declaration: StructDeclaration) -> LabeledExprSyntax? {
    let attribute = declaration.syntax.attributes.applications(of: .model).first
    guard case .argumentList(let arguments)? = attribute?.arguments else { return nil }
    return arguments.first { $0.label?.text == label }
  }

  private static func flag(
    _ label: String, of declaration: StructDeclaration, else standard: Bool, _ misuse: Misuse, findings: inout Findings
  ) -> Bool {
    guard let argument = argument(label, of: declaration) else { return standard }
    guard let literal = argument.expression.as(BooleanLiteralExprSyntax.self) else {
      findings.report(misuse, at: argument.expression)
      return standard
    }
    return literal.literal.tokenKind == .keyword(.true)
  }

  private static func table(of declaration: StructDeclaration, findings: inout Findings) -> String {
    if let argument = argument(nil, of: declaration), !argument.expression.is(NilLiteralExprSyntax.self) {
      return SchemaName.table.read(argument.expression, findings: &findings) ?? declaration.name
    }
    _ = SchemaName.table.check(declaration.name, at: declaration.syntax.name, findings: &findings)
    return declaration.name
  }
}
