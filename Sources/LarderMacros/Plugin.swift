import LarderMacroExpansion
import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct LarderPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    ModelMacro.self,
    EmbeddableMacro.self,
    AttributeMacro.self,
    EmbeddedMacro.self,
    TransientMacro.self,
    RelationshipMacro.self,
    RelatedRowsMacro.self,
    DerivedMacro.self,
  ]
}

// The compiler finds the macros by the name of this module. Their implementation is a library, because SwiftPM builds
// tests that depend on a plug-in, and everything else that is tested, a second time.

enum ModelMacro: ModelExpansion {}

enum EmbeddableMacro: EmbeddableExpansion {}

enum RelatedRowsMacro: RelatedRowsExpansion {}

enum AttributeMacro: MarkerExpansion {
  static let name = MacroName.attribute
}

enum EmbeddedMacro: MarkerExpansion {
  static let name = MacroName.embedded
}

enum TransientMacro: MarkerExpansion {
  static let name = MacroName.transient
}

enum RelationshipMacro: MarkerExpansion {
  static let name = MacroName.relationship
}

enum DerivedMacro: MarkerExpansion {
  static let name = MacroName.derived
}
