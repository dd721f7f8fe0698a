import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// A struct marked `@Embeddable`, parsed and checked.
struct EmbeddableDeclaration {
  /// A stored property and its type, which the generic `Columns` has to write.
  struct Field {
    let property: StoredProperty
    let type: TypeSyntax
  }

  let declaration: StructDeclaration
  let fields: [Field]

  /// Returns nil, or reports findings, if the struct can't be embedded.
  init?(
    _ syntax: some DeclGroupSyntax, attribute: AttributeSyntax, in context: some MacroExpansionContext,
    findings: inout Findings
  ) {
    guard
      let declaration = StructDeclaration(
        syntax, macro: .embeddable, attribute: attribute, in: context, findings: &findings)
    else { return nil }
    self.declaration = declaration
    declaration.reportTakenNames(
      ["embedding"], among: declaration.body.stored.map(\.identifier), by: .embeddable, findings: &findings)

    var fields: [Field] = []
    for property in declaration.body.stored {
      if let attribute = property.attribute, let argument = attribute.argument(for: .primaryKey) {
        findings.report(
          .keyWithinEmbeddable(property.plainName, of: declaration.name), at: argument.expression,
          fixIts: [FixIt("remove '.primaryKey'", .remove(argument, from: attribute.attribute))])
      }
      if property.visibleType?.isRelationship == true || property.derivation != nil {
        findings.report(
          .relationshipWithinEmbeddable(property.plainName, of: declaration.name), at: property.identifier)
      }
      if let type = property.visibleType {
        fields.append(Field(property: property, type: type.standalone))
      } else if property.isColumn {
        findings.report(
          .fieldWithoutType(property.plainName), at: property.identifier,
          fixIts: [FixIt("write the type", .insert(": <#Type#>", after: property.identifier))])
      }
    }
    self.fields = fields
  }
}
