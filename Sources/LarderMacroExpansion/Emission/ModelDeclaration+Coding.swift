import SwiftSyntax
import SwiftSyntaxBuilder

// The accessors of a ToMany make the compiler store it as `_stops`. These members keep that name out of what others see.
extension ModelDeclaration {
  /// The coding keys of a struct that the compiler makes Codable: the rows of `stops` are `stops` there.
  var codingKeys: [DeclSyntax] {
    guard !rows.isEmpty, declaration.syntax.isCodable,
      !declaration.body.types.contains(where: { $0.plainName == "CodingKeys" })
    else { return [] }
    let cases = storedNames.map { name -> DeclSyntax in
      rows.contains(name.plainName) ? "case _\(raw: name.plainName) = \(literal: name.plainName)" : "case \(name)"
    }
    return [
      """
      private enum CodingKeys: Swift.String, Swift.CodingKey {
        \(MemberBlockItemListSyntax(lines: cases))
      }
      """
    ]
  }

  /// What `print` and `dump` show. Declared only if the struct has no mirror of its own.
  var mirror: [DeclSyntax] {
    guard !rows.isEmpty else { return [] }
    let children = storedNames.map { "\($0.plainName.debugDescription): self.\($0.trimmedDescription) as Any" }
      .joined(separator: ", ")
    return [
      """
      \(raw: declaration.access.prefix)var customMirror: Swift.Mirror {
        Swift.Mirror(self, children: [\(raw: children)], displayStyle: .struct)
      }
      """
    ]
  }

  /// Whether the struct has rows of other models.
  var hasRows: Bool { !rows.isEmpty }

  private var rows: Set<String> {
    Set(declaration.body.stored.filter { $0.storage == .rows }.map(\.name.plainName))
  }

  /// The names of all stored properties, in their order.
  private var storedNames: [TokenSyntax] {
    declaration.syntax.memberBlock.members.compactMap { $0.decl.as(VariableDeclSyntax.self) }
      .filter { !$0.isStatic }.flatMap(\.bindings).filter { !$0.isComputed }.compactMap(\.name)
  }
}

extension StructDeclSyntax {
  /// Whether the struct declares that it is Codable, or one half of it.
  fileprivate var isCodable: Bool {
    inheritanceClause?.inheritedTypes.contains { inherited in
      let name = inherited.type.trimmedDescription
      return ["Codable", "Encodable", "Decodable"].contains { name == $0 || name.hasSuffix(".\($0)") }
    } ?? false
  }
}
