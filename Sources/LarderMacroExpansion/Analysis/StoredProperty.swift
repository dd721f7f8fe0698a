import SwiftSyntax

/// A property that is stored in one column, or in several if it is embedded.
struct StoredProperty {
  enum Storage {
    case column
    case embedded
    /// A `ToOne`: the column of another model's key.
    case reference
    /// A `ToMany`: no column, the rows of another model.
    case rows
  }

  /// The name in the source code.
  let identifier: TokenSyntax
  let declaration: VariableDeclSyntax
  /// The declared type; `var a, b: Int` gives it to both.
  let type: TypeSyntax?
  let initialValue: ExprSyntax?
  let storage: Storage
  let attribute: AttributeArguments?
  /// The arguments of `@Relationship`.
  let relationship: LabeledExprListSyntax?
  /// The derivation of `@Derived`.
  let derivation: ExprSyntax?

  /// The name in Swift code: a keyword keeps its backticks.
  var name: TokenSyntax { identifier.trimmed }

  /// The name without backticks, as in the schema.
  var plainName: String { identifier.plainName }

  var columnName: String { attribute?.name ?? plainName }

  var defaultValue: DefaultValue? { initialValue.map(DefaultValue.init) }

  /// The type as far as the syntax shows it: declared, or that of the initial value.
  var visibleType: TypeSyntax? { type ?? initialValue?.visibleType }

  /// The declared type of an embedded property.
  var embeddedType: TypeSyntax? { storage == .embedded ? type : nil }

  /// Whether the property is stored in one column.
  var isColumn: Bool { storage == .column || storage == .reference }

  /// The access level of the property.
  func access(within access: AccessLevel) -> AccessLevel {
    min(access, AccessLevel(declaration.modifiers) ?? .internal)
  }

  func isMarked(_ option: AttributeOption) -> Bool {
    attribute?.argument(for: option) != nil
  }
}

extension TokenSyntax {
  var plainName: String { identifier?.name ?? text }
}
