import SwiftSyntax

extension VariableDeclSyntax {
  var isStatic: Bool { modifier(.static) != nil || modifier(.class) != nil }

  var isConstant: Bool { bindingSpecifier.tokenKind == .keyword(.let) }

  /// The first name that the declaration declares, for a message about the whole of it.
  var firstName: String { bindings.compactMap(\.name).first.map(\.plainName) ?? bindings.trimmedDescription }

  func modifier(_ keyword: Keyword) -> DeclModifierSyntax? {
    modifiers.first { $0.name.tokenKind == .keyword(keyword) }
  }
}

extension PatternBindingSyntax {
  var name: TokenSyntax? { pattern.as(IdentifierPatternSyntax.self)?.identifier }

  /// Whether the property has accessors other than observers.
  var isComputed: Bool {
    switch accessorBlock?.accessors {
    case nil: false
    case .getter: true
    case .accessors(let accessors):
      accessors.contains { ![.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind) }
    }
  }
}
