import SwiftDiagnostics
import SwiftSyntax

/// The declarations in a struct's body that matter to a macro.
struct StructBody {
  private(set) var stored: [StoredProperty] = []
  /// Names that aren't stored in columns, by what they name.
  private(set) var types: [TokenSyntax] = []
  private(set) var staticProperties: [TokenSyntax] = []
  private(set) var unstoredProperties: [(name: TokenSyntax, declaration: VariableDeclSyntax)] = []
  private(set) var declaresInitializer = false
  /// Whether a property has an unknown attribute: a property wrapper, or another macro.
  private(set) var hasUnknownAttributes = false

  init(_ members: MemberBlockItemListSyntax, findings: inout Findings) {
    read(members, isConditional: false, findings: &findings)
  }

  private mutating func read(_ members: MemberBlockItemListSyntax, isConditional: Bool, findings: inout Findings) {
    for member in members.map(\.decl) {
      if let variable = member.as(VariableDeclSyntax.self) {
        read(variable, isConditional: isConditional, findings: &findings)
      } else if let conditional = member.as(IfConfigDeclSyntax.self) {
        for case .decls(let members)? in conditional.clauses.map(\.elements) {
          read(members, isConditional: true, findings: &findings)
        }
      } else if member.is(InitializerDeclSyntax.self) {
        declaresInitializer = true
      } else if let name = member.nameOfType {
        types.append(name)
      }
    }
  }

  private mutating func read(_ variable: VariableDeclSyntax, isConditional: Bool, findings: inout Findings) {
    guard !variable.isStatic else {
      staticProperties += variable.bindings.compactMap(\.name)
      return
    }
    guard !variable.bindings.contains(where: \.isComputed) else {
      unstoredProperties += variable.bindings.compactMap(\.name).map { ($0, variable) }
      return
    }
    hasUnknownAttributes = hasUnknownAttributes || variable.attributes.contains { !$0.isKnownOnProperty }

    let reader = StoredPropertyReader(variable)
    if reader.isTransient {
      reader.checkTransient(findings: &findings)
      unstoredProperties += variable.bindings.compactMap(\.name).map { ($0, variable) }
    } else if isConditional {
      findings.report(.conditionalProperty(variable.firstName), at: variable)
    } else {
      stored += reader.read(findings: &findings)
    }
  }
}

extension DeclSyntax {
  fileprivate var nameOfType: TokenSyntax? {
    switch self.as(DeclSyntaxEnum.self) {
    case .structDecl(let declaration): declaration.name
    case .classDecl(let declaration): declaration.name
    case .enumDecl(let declaration): declaration.name
    case .actorDecl(let declaration): declaration.name
    case .protocolDecl(let declaration): declaration.name
    case .typeAliasDecl(let declaration): declaration.name
    default: nil
    }
  }
}

extension AttributeListSyntax.Element {
  /// Whether the attribute leaves a stored property and the memberwise initializer as they are.
  fileprivate var isKnownOnProperty: Bool {
    guard case .attribute(let attribute) = self else { return false }
    return [
      "available", "usableFromInline", "Attribute", "Embedded", "Transient", "Relationship", "Derived",
      "Larder.Attribute", "Larder.Embedded",
      "Larder.Transient", "Larder.Relationship", "Larder.Derived",
    ]
    .contains(attribute.attributeName.trimmedDescription)
  }
}
