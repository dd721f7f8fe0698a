import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion

@testable import LarderMacros

/// The macros as the compiler knows them.
/// - Parameter conformances: what the compiler finds missing; none where a struct states its conformance itself.
func macros(adding conformances: [String] = ["Conformance"]) -> [String: MacroSpec] {
  let conformances = conformances.map { TypeSyntax("\(raw: $0)") }
  return [
    "Model": MacroSpec(type: ModelMacro.self, conformances: conformances),
    "Embeddable": MacroSpec(type: EmbeddableMacro.self, conformances: conformances),
    "Attribute": MacroSpec(type: AttributeMacro.self),
    "Embedded": MacroSpec(type: EmbeddedMacro.self),
    "Transient": MacroSpec(type: TransientMacro.self),
    "Relationship": MacroSpec(type: RelationshipMacro.self),
    "Derived": MacroSpec(type: DerivedMacro.self),
    "_RelatedRows": MacroSpec(type: RelatedRowsMacro.self),
  ]
}
