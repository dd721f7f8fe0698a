import SwiftSyntax
import SwiftSyntaxBuilder

extension StructDeclaration {
  /// Returns an extension of the type with the given members, with the availability of the struct.
  /// - Parameter protocols: Empty if the struct declares the conformance itself.
  func conformance(of type: TypeSyntax, to protocols: [String], members: [DeclSyntax]) -> ExtensionDeclSyntax {
    let attributes = availability.map { "\($0)\n" }.joined()
    let declaration: DeclSyntax = """
      \(raw: attributes)nonisolated extension \(type)\(raw: protocols.isEmpty ? "" : ": \(protocols.joined(separator: ", "))") {
        \(MemberBlockItemListSyntax(lines: members))
      }
      """
    return declaration.cast(ExtensionDeclSyntax.self)
  }

  /// Reads the stored properties in the order in which ``encoder`` writes them.
  var decoder: DeclSyntax {
    // The rows of a relationship have no column and keep their default.
    let stored = body.stored.filter { $0.storage != .rows }
    let arguments = stored.map { "\($0.label): \($0.reading)" }.joined(separator: ", ")
    let assignments = stored.map { "self.\($0.name) = \(raw: $0.reading)" as CodeBlockItemSyntax }
    let statements = hasMemberwiseInitializer ? ["self.init(\(raw: arguments))"] : assignments
    // What is assigned one by one is copied once more unless the initializer is a part of the loop over the rows.
    let attribute = hasMemberwiseInitializer ? "" : "@inline(__always) "
    return """
      \(raw: attribute)\(raw: access.prefix)init(from row: inout Larder.RowReader) throws {
        \(CodeBlockItemListSyntax(lines: statements))
      }
      """
  }

  var encoder: DeclSyntax {
    """
    \(raw: access.prefix)func encode(to row: inout Larder.RowWriter) throws {
      \(CodeBlockItemListSyntax(lines: body.stored.filter { $0.storage != .rows && $0.derivation == nil }.map { $0.binding("self.\($0.name)") }))
    }
    """
  }
}

extension [ExprSyntax] {
  /// Returns an array literal with one element per line, for a statement with this indentation.
  func lines(indentation: String = "") -> ExprSyntax {
    "[\(raw: map { "\n\(indentation)  \($0)," }.joined())\n\(raw: indentation)]"
  }
}
