import SwiftDiagnostics
import SwiftSyntax

/// The placement of `@Attribute`, `@Embedded` or `@Transient`, which describe the stored properties of a model.
struct Placement {
  private let macro: MacroName
  private let attribute: AttributeSyntax
  private let declaration: DeclSyntax
  private let lexicalContext: [Syntax]

  /// - Parameter lexicalContext: The enclosing declarations, innermost first.
  init(of macro: MacroName, attribute: AttributeSyntax, on declaration: DeclSyntax, within lexicalContext: [Syntax]) {
    self.macro = macro
    self.attribute = attribute
    self.declaration = declaration
    self.lexicalContext = lexicalContext
  }

  func check(_ findings: inout Findings) {
    guard let misuse else { return }
    let application = declaration.asProtocol((any WithAttributesSyntax).self)?.attributes.applications(of: macro).first
    findings.report(
      misuse, at: attribute, fixIts: application.map { [FixIt("remove '\(macro.attribute)'", .remove($0))] } ?? [])
  }

  private var misuse: Misuse? {
    guard let variable = declaration.as(VariableDeclSyntax.self) else { return .notProperty(macro) }
    let name = variable.firstName
    guard let type = lexicalContext.first?.asProtocol((any DeclGroupSyntax).self) else {
      return .localVariable(macro, name)
    }
    if variable.isStatic { return .staticProperty(macro, name) }
    if variable.bindings.contains(where: \.isComputed) { return .computedProperty(macro, name) }
    guard type.attributes.apply(.model) || type.attributes.apply(.embeddable) else { return .outsideModel(macro, name) }
    return nil
  }
}
