import SwiftSyntax
import SwiftSyntaxBuilder

extension ModelDeclaration {
  /// Returns the extension that makes the struct a model.
  /// - Parameter protocols: Those that the struct doesn't declare itself. `Identifiable` is listed beside `Model`,
  ///   which implies it, because the compiler otherwise misses `ID` when it compiles another file alone.
  func conformance(of type: TypeSyntax, missing protocols: [TypeSyntax]) -> ExtensionDeclSyntax {
    let members = [columns(of: type), "\(raw: access)static let columns = Columns()", schema(of: type)]
    return declaration.conformance(
      of: type, to: protocols.compactMap { name(of: $0.trimmedDescription) },
      members: members + identity + [declaration.decoder, declaration.encoder, keyBinder, keyReader] + codingKeys
        + (protocols.contains { $0.isMirror } ? mirror : []))
  }

  private func name(of conformance: String) -> String? {
    if conformance.hasSuffix("Identifiable") { return "Swift.Identifiable" }
    if conformance.hasSuffix("ExpiringModel") { return expires ? "Larder.ExpiringModel" : nil }
    if conformance.hasSuffix("CustomReflectable") { return hasRows ? "Swift.CustomReflectable" : nil }
    return "Larder.Model"
  }

  private var access: String { declaration.access.prefix }

  private func columns(of type: TypeSyntax) -> DeclSyntax {
    let columns = declaration.body.stored.map { property -> DeclSyntax in
      let access = property.access(within: declaration.access).prefix
      let columnType =
        switch property.storage {
        case .column: "Larder.Column"
        case .embedded: property.embeddedType.map { "\($0).Columns" } ?? "Larder.Column"
        case .reference: "Larder.ToOneColumn"
        case .rows: "Larder.ToManyColumn"
        }
      return "\(raw: access)let \(property.name) = \(raw: columnType)\(property.columnArguments(in: type))"
    }
    return """
      \(raw: access)final class Columns: Larder.ModelColumns {
        \(raw: access)typealias Root = \(type)
        \(MemberBlockItemListSyntax(lines: columns))
        \(raw: access)init() {}
      }
      """
  }

  private func schema(of type: TypeSyntax) -> DeclSyntax {
    let entries = declaration.body.stored.map { $0.schemaEntry(isKey: key.contains($0)) }
    let syncs = syncs ? "" : "syncs: false, "
    return
      "\(raw: access)static let schema = Larder.ModelSchema<\(type)>(\(table.literal), \(raw: syncs)\(entries.lines()))"
  }
}

// MARK: - The key

extension ModelDeclaration {
  /// Returns the members that make the struct identifiable if it has no property named `id`.
  private var identity: [DeclSyntax] {
    switch key {
    case .id:
      return []
    case .renamed(let key):
      return ["\(raw: access)var id: \(key.type) { \(key.property.name) }"]
    case .composite(let keys):
      let arguments = keys.map { "\($0.property.label): \($0.property.name)" }.joined(separator: ", ")
      return [identifier(of: keys), "\(raw: access)var id: ID { ID(\(raw: arguments)) }"]
    }
  }

  private func identifier(of keys: [ModelKey.KeyProperty]) -> DeclSyntax {
    let properties = keys.map { "\(raw: access)var \($0.property.name): \($0.type)" as DeclSyntax }
    let parameters = keys.map { "\($0.property.name): \($0.type)" }.joined(separator: ", ")
    let assignments = keys.map { "self.\($0.property.name) = \($0.property.name)" as CodeBlockItemSyntax }
    return """
      \(raw: access)struct ID: Hashable, Sendable, Codable {
        \(MemberBlockItemListSyntax(lines: properties))
        \(raw: access)init(\(raw: parameters)) {
          \(CodeBlockItemListSyntax(lines: assignments))
        }
      }
      """
  }

  private var keyBinder: DeclSyntax {
    let statements =
      switch key {
      case .id(let property): [property.binding("key")]
      case .renamed(let key): [key.property.binding("key")]
      case .composite(let keys): keys.map { $0.property.binding("key.\($0.property.name)") }
      }
    return """
      \(raw: access)static func bind(key: ID, to row: inout Larder.RowWriter) throws {
        \(CodeBlockItemListSyntax(lines: statements))
      }
      """
  }

  private var keyReader: DeclSyntax {
    let key: ExprSyntax =
      switch self.key {
      case .id(let property): "\(raw: property.reading)"
      case .renamed(let key): "\(raw: key.property.reading)"
      case .composite(let keys):
        "ID(\(raw: keys.map { "\($0.property.label): \($0.property.reading)" }.joined(separator: ", ")))"
      }
    return """
      \(raw: access)static func key(from row: inout Larder.RowReader) throws -> ID {
        \(key)
      }
      """
  }
}

extension TypeSyntax {
  fileprivate var isMirror: Bool { trimmedDescription.hasSuffix("CustomReflectable") }
}
