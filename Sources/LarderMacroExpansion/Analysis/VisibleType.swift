import SwiftSyntax
import SwiftSyntaxBuilder

extension TypeSyntax {
  /// Whether the type is a `ToOne`, or an optional of one.
  var isReference: Bool { (wrapped ?? self).name == "ToOne" }

  /// Whether the type is a `ToMany`.
  var isRows: Bool { name == "ToMany" }

  /// Whether the type is a `ToOne` or a `ToMany`, or an optional of one.
  var isRelationship: Bool { isReference || (wrapped ?? self).isRows }

  /// The wrapped type of an optional: `T?`, `T!` and `Optional<T>`; nil for any other type.
  var wrapped: TypeSyntax? {
    if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType.trimmed }
    if let optional = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return optional.wrappedType.trimmed }
    guard name == "Optional", case .type(let wrapped)? = genericArguments?.first?.argument else { return nil }
    return wrapped.trimmed
  }

  /// Whether a variable of this type is initialized to nil. `Optional<T>`, written out, isn't.
  var defaultsToNil: Bool { self.is(OptionalTypeSyntax.self) || self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) }

  /// The type as it can be written anywhere: an implicitly unwrapped optional as an optional.
  var standalone: TypeSyntax {
    guard let optional = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) else { return trimmed }
    return "\(optional.wrappedType.trimmed)?"
  }

  /// Returns whether the type, or what it wraps, can't be the named one. A name that may be an alias is accepted.
  func isVisiblyNot(_ expected: String) -> Bool {
    let type = wrapped ?? self
    guard let name = type.name else { return true }
    return name != expected && Self.standardNames.contains(name)
  }

  /// Whether the type's syntax shows that it isn't an integer, or that it is optional.
  var isVisiblyNoInteger: Bool {
    guard wrapped == nil, let name else { return true }
    return Self.standardNames.contains(name) && !name.hasPrefix("Int") && !name.hasPrefix("UInt")
  }

  /// Whether the type's syntax shows that it has no members of its own to embed.
  var isVisiblyUnnamed: Bool { name == nil || name.map(Self.standardNames.contains) == true }

  /// The last name of a named type: `Date` for `Foundation.Date`.
  private var name: String? {
    self.as(IdentifierTypeSyntax.self)?.name.text ?? self.as(MemberTypeSyntax.self)?.name.text
  }

  private var genericArguments: GenericArgumentListSyntax? {
    self.as(IdentifierTypeSyntax.self)?.genericArgumentClause?.arguments
      ?? self.as(MemberTypeSyntax.self)?.genericArgumentClause?.arguments
  }

  private static let standardNames: Set<String> = [
    "Bool", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Double", "Float",
    "Decimal",
    "String", "Substring", "Character", "Data", "Date", "UUID", "URL", "Array", "Dictionary", "Set", "Optional",
  ]
}

extension ExprSyntax {
  /// The type of an initial value whose syntax shows it: a literal, or a call of a type's initializer.
  var visibleType: TypeSyntax? {
    if self.is(IntegerLiteralExprSyntax.self) { return "Int" }
    if self.is(FloatLiteralExprSyntax.self) { return "Double" }
    if self.is(BooleanLiteralExprSyntax.self) { return "Bool" }
    if self.is(StringLiteralExprSyntax.self) { return "String" }
    if let negative = self.as(PrefixOperatorExprSyntax.self), negative.operator.text == "-" {
      return negative.expression.visibleType
    }
    guard let callee = self.as(FunctionCallExprSyntax.self)?.calledExpression, callee.namesType else { return nil }
    return "\(callee.trimmed)"
  }

  /// Returns whether a called expression looks like a type: `Font`, `Style.Font`, `Set<String>`, `[Int]`,
  /// `[String: Int]`.
  private var namesType: Bool {
    if let reference = self.as(DeclReferenceExprSyntax.self) {
      return reference.baseName.text.first?.isUppercase == true
    }
    if let member = self.as(MemberAccessExprSyntax.self) {
      return member.base?.namesType == true && member.declName.baseName.text.first?.isUppercase == true
    }
    if let specialized = self.as(GenericSpecializationExprSyntax.self) { return specialized.expression.namesType }
    if let array = self.as(ArrayExprSyntax.self) {
      return array.elements.count == 1 && array.elements.allSatisfy { $0.expression.namesType }
    }
    if let dictionary = self.as(DictionaryExprSyntax.self), case .elements(let elements) = dictionary.content {
      return elements.count == 1 && elements.allSatisfy { $0.key.namesType && $0.value.namesType }
    }
    return false
  }
}
