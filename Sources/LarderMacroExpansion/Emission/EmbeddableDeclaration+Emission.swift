import SwiftSyntax
import SwiftSyntaxBuilder

extension EmbeddableDeclaration {
  /// Returns the extension that makes the struct embeddable.
  /// - Parameter statesConformance: False if the struct declares the conformance itself.
  func conformance(of type: TypeSyntax, statesConformance: Bool) -> ExtensionDeclSyntax {
    declaration.conformance(
      of: type, to: statesConformance ? ["Larder.Embeddable"] : [],
      members: [columns(of: type), properties(of: type), declaration.decoder, declaration.encoder])
  }

  private var access: String { declaration.access.prefix }

  private func columns(of type: TypeSyntax) -> DeclSyntax {
    let columns = fields.map { field -> DeclSyntax in
      "\(raw: field.property.access(within: declaration.access).prefix)let \(field.property.name): \(field.columnType)"
    }
    let assignments = fields.map { field -> CodeBlockItemSyntax in
      "self.\(field.property.name) = \(field.column(in: type))"
    }
    return """
      \(raw: access)struct Columns<Root: Larder.Model>: Larder.EmbeddedColumns {
        \(MemberBlockItemListSyntax(lines: columns))
        \(raw: access)let embedding: Larder.Embedding<Root, \(type)>
        \(raw: access)init(_ path: any KeyPath<Root, \(type)> & Sendable, _ name: String) {
          self.init(Larder.Embedding(path, name))
        }
        \(raw: access)init(_ embedding: Larder.Embedding<Root, \(type)>) {
          self.embedding = embedding
          \(CodeBlockItemListSyntax(lines: assignments))
        }
      }
      """
  }

  private func properties(of type: TypeSyntax) -> DeclSyntax {
    let entries = fields.map { $0.property.schemaEntry(isKey: false) }
    return """
      \(raw: access)static func properties<Root>(_ embedding: Larder.Embedding<Root, \(type)>) -> [Larder.Property<Root>] {
        let columns = Columns(embedding)
        return \(entries.lines(indentation: "  "))
      }
      """
  }
}

extension EmbeddableDeclaration.Field {
  fileprivate var columnType: TypeSyntax {
    switch property.storage {
    case .column, .reference, .rows: "Larder.Column<Root, \(type)>"
    case .embedded: "\(type).Columns<Root>"
    }
  }

  fileprivate func column(in embeddable: TypeSyntax) -> ExprSyntax {
    let arguments = property.columnArguments(in: embeddable)
    return switch property.storage {
    case .column, .reference, .rows: "embedding.column\(arguments)"
    case .embedded: "\(type).Columns(embedding.embedding\(arguments))"
    }
  }
}
