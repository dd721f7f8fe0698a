import SwiftCompilerPlugin
import SwiftSyntaxMacros
@main struct LarderPlugin: CompilerPlugin { let providingMacros: [any Macro.Type] = [] }
