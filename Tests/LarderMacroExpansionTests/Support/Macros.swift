import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

@testable import LarderMacroExpansion

private enum ModelMacro: ModelExpansion {}
private enum EmbeddableMacro: EmbeddableExpansion {}
private enum RelatedRowsMacro: RelatedRowsExpansion {}

private enum Marker {
  enum Attribute: MarkerExpansion { static let name = MacroName.attribute }
  enum Embedded: MarkerExpansion { static let name = MacroName.embedded }
  enum Transient: MarkerExpansion { static let name = MacroName.transient }
  enum Relationship: MarkerExpansion { static let name = MacroName.relationship }
  enum Derived: MarkerExpansion { static let name = MacroName.derived }
}

/// The macros as the compiler knows them.
/// - Parameter conformances: what the compiler finds missing; none where a struct states its conformance itself.
func macros(adding conformances: [String] = ["Conformance"]) -> [String: MacroSpec] {
  let conformances = conformances.map { TypeSyntax("\(raw: $0)") }
  return [
    "Model": MacroSpec(type: ModelMacro.self, conformances: conformances),
    "Embeddable": MacroSpec(type: EmbeddableMacro.self, conformances: conformances),
    "Attribute": MacroSpec(type: Marker.Attribute.self),
    "Embedded": MacroSpec(type: Marker.Embedded.self),
    "Transient": MacroSpec(type: Marker.Transient.self),
    "Relationship": MacroSpec(type: Marker.Relationship.self),
    "Derived": MacroSpec(type: Marker.Derived.self),
    "_RelatedRows": MacroSpec(type: RelatedRowsMacro.self),
  ]
}
