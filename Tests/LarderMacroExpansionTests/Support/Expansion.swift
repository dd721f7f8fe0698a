import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

/// A source after its macros have been expanded.
struct Expansion {
  let text: String
  let diagnostics: [Diagnostic]
  private let source: String
  private let context: BasicMacroExpansionContext

  /// - Parameter conformances: what the compiler finds missing; none where a struct states its conformance itself.
  init(of source: String, conformingTo conformances: [String] = ["Conformance"]) {
    let file = Parser.parse(source: source)
    let context = BasicMacroExpansionContext(sourceFiles: [
      file: .init(moduleName: "Example", fullFilePath: "Example.swift")
    ])
    let expanded = file.expand(
      macroSpecs: macros(adding: conformances),
      contextGenerator: {
        BasicMacroExpansionContext(sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
      },
      indentationWidth: .spaces(2))
    text = expanded.description
    diagnostics = context.diagnostics
    self.source = source
    self.context = context
  }

  func line(of diagnostic: Diagnostic) -> Int {
    context.location(for: diagnostic.position, anchoredAt: diagnostic.node, fileName: "").line
  }

  /// The source with a fix-it applied.
  func source(applying fixIt: FixIt) -> String {
    var bytes = Array(source.utf8)
    let edits = fixIt.changes.compactMap { change -> (range: Range<Int>, text: String)? in
      guard case .replaceText(let range, let text, let node) = change else { return nil }
      return (offset(of: range.lowerBound, in: node)..<offset(of: range.upperBound, in: node), text)
    }
    for edit in edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
      bytes.replaceSubrange(edit.range, with: edit.text.utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func offset(of position: AbsolutePosition, in node: Syntax) -> Int {
    context.location(for: position, anchoredAt: node, fileName: "").offset
  }
}
