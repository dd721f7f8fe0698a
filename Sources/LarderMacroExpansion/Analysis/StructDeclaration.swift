import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// The struct to which `@Model` or `@Embeddable` is attached, with what both have in common parsed and checked.
struct StructDeclaration {
  let syntax: StructDeclSyntax
  let body: StructBody
  let access: AccessLevel

  var name: String { syntax.name.plainName }

  /// The `@available` attributes, which an extension has to repeat.
  var availability: [AttributeSyntax] {
    syntax.attributes.compactMap { $0.as(AttributeSyntax.self) }.filter {
      $0.attributeName.trimmedDescription == "available"
    }.map(\.trimmed)
  }

  /// Whether the compiler generates a memberwise initializer with every stored property, and nothing else can replace
  /// it.
  var hasMemberwiseInitializer: Bool {
    !body.declaresInitializer && !body.hasUnknownAttributes && syntax.attributes.allSatisfy(\.isKnownOnStruct)
  }

  init?(
    _ declaration: some DeclGroupSyntax, macro: MacroName, attribute: AttributeSyntax,
    in context: some MacroExpansionContext,
    findings: inout Findings
  ) {
    guard let syntax = declaration.as(StructDeclSyntax.self) else {
      findings.report(
        .notStruct(DeclSyntax(declaration), macro), at: attribute, fixIts: .makeStruct(DeclSyntax(declaration)))
      return nil
    }
    self.syntax = syntax
    guard Self.isSoleApplication(attribute, of: macro, on: syntax, in: context, findings: &findings) else { return nil }

    body = StructBody(syntax.memberBlock.members, findings: &findings)
    access = Self.access(of: syntax, within: context.lexicalContext)

    if let parameters = syntax.genericParameterClause {
      findings.report(.generic(name, macro), at: parameters)
    } else if context.lexicalContext.contains(where: \.isGeneric) {
      findings.report(.withinGeneric(name, macro), at: syntax.name)
    }
    checkReach(within: context.lexicalContext, findings: &findings)
    reportTakenNames(
      ["Columns"], among: body.types + body.staticProperties + body.stored.map(\.identifier), by: macro,
      findings: &findings)
    checkColumns(findings: &findings)
  }

  func reportTakenNames(
    _ generated: Set<String>, among names: [TokenSyntax], by macro: MacroName, findings: inout Findings
  ) {
    for name in names where generated.contains(name.plainName) {
      findings.report(.generatedName(name.plainName, macro), at: name)
    }
  }
}

// MARK: - Access

extension StructDeclaration {
  /// The level that the struct declares or takes from its extension, limited by that of enclosing types.
  private static func access(of declaration: StructDeclSyntax, within lexicalContext: [Syntax]) -> AccessLevel {
    let surrounding = lexicalContext.first?.as(ExtensionDeclSyntax.self).flatMap { AccessLevel($0.modifiers) }
    let types = lexicalContext.compactMap { $0.asProtocol((any DeclGroupSyntax).self) }.filter {
      !$0.is(ExtensionDeclSyntax.self)
    }
    return types.map { AccessLevel($0.modifiers) ?? .internal }.reduce(
      AccessLevel(declaration.modifiers) ?? surrounding ?? .internal, min)
  }
}

// MARK: - Reach

extension StructDeclaration {
  /// Reports a struct that generated code can't name, because it, or an enclosing type, is private within another
  /// declaration.
  private func checkReach(within lexicalContext: [Syntax], findings: inout Findings) {
    for case let type? in lexicalContext.dropLast().map({ $0.asProtocol((any DeclGroupSyntax).self) })
    where type.privateModifier != nil {
      findings.report(.privateWithinType(name), at: syntax.name)
      return
    }
    guard let modifier = syntax.privateModifier, !lexicalContext.isEmpty else { return }
    findings.report(
      .privateWithinType(name), at: modifier,
      fixIts: [FixIt("make it 'fileprivate'", .replace(modifier, with: "fileprivate"))])
  }
}

extension DeclGroupSyntax {
  fileprivate var privateModifier: DeclModifierSyntax? {
    modifiers.first { $0.name.tokenKind == .keyword(.private) && $0.detail == nil }
  }
}

// MARK: - Columns

extension StructDeclaration {
  private func checkColumns(findings: inout Findings) {
    var owners: [String: StoredProperty] = [:]
    var formerOwners: [String: StoredProperty] = [:]
    for property in body.stored where property.isColumn {
      let column = property.columnName
      if let owner = owners.updateValue(property, forKey: column.foldedAsInSQLite) {
        let node = property.attribute?.nameArgument.map { Syntax($0) } ?? Syntax(property.identifier)
        findings.report(.duplicateColumn(column, of: property.plainName, takenBy: owner.plainName), at: node)
      }
      guard let argument = property.attribute?.originalNameArgument, let original = property.attribute?.originalName
      else { continue }
      // The name of the column itself is the first one of a property that was renamed and has got it back.
      if let owner = formerOwners.updateValue(property, forKey: original.foldedAsInSQLite) {
        findings.report(
          .duplicateOriginalColumn(original, of: property.plainName, takenBy: owner.plainName), at: argument)
      }
    }
  }
}

// MARK: - Where the macro is attached

extension StructDeclaration {
  /// Reports a macro that is applied twice, or together with its sibling. Each attribute is expanded, but only the
  /// first one reports.
  private static func isSoleApplication(
    _ attribute: AttributeSyntax, of macro: MacroName, on declaration: StructDeclSyntax,
    in context: some MacroExpansionContext,
    findings: inout Findings
  ) -> Bool {
    let applications = declaration.attributes.applications(of: .model, .embeddable)
    guard applications.count > 1, let first = applications.first else { return true }
    if context.location(of: attribute)?.description == context.location(of: first)?.description {
      let second = applications[1]
      let name = declaration.name.plainName
      let isRepeated = declaration.attributes.applications(of: macro).count > 1
      findings.report(
        isRepeated ? .appliedTwice(macro, to: name) : .modelAndEmbeddable(name), at: second,
        fixIts: [FixIt("remove '@\(second.attributeName.trimmedDescription)'", .remove(second))])
    }
    return false
  }
}

extension AbstractSourceLocation {
  fileprivate var description: String {
    "\(file.trimmedDescription):\(line.trimmedDescription):\(column.trimmedDescription)"
  }
}

extension Syntax {
  fileprivate var isGeneric: Bool {
    asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil
  }
}

extension AttributeListSyntax.Element {
  /// Whether the attribute leaves the memberwise initializer as it is.
  fileprivate var isKnownOnStruct: Bool {
    guard case .attribute(let attribute) = self else { return false }
    return ["available", "frozen", "usableFromInline", "Model", "Embeddable", "Larder.Model", "Larder.Embeddable"]
      .contains(attribute.attributeName.trimmedDescription)
  }
}

extension [FixIt] {
  /// Converts a class or an actor to a struct, if it has no superclass or incompatible protocol.
  fileprivate static func makeStruct(_ declaration: DeclSyntax) -> [FixIt] {
    if let declaration = declaration.as(ClassDeclSyntax.self), declaration.inheritanceClause == nil {
      let keyword = FixIt.Change.replace(declaration.classKeyword, with: "struct")
      let final = declaration.modifiers.first { $0.name.tokenKind == .keyword(.final) }
      return [
        FixIt(message: Remedy(message: "make it a struct"), changes: (final.map { [.remove($0)] } ?? []) + [keyword])
      ]
    }
    if let declaration = declaration.as(ActorDeclSyntax.self), declaration.inheritanceClause == nil {
      return [FixIt("make it a struct", .replace(declaration.actorKeyword, with: "struct"))]
    }
    return []
  }
}
