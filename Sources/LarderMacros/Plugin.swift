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
