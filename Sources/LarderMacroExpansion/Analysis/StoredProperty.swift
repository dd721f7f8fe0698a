import SwiftSyntax

/// A property that a struct keeps in one column, or in several when it is embedded.
struct StoredProperty {
  enum Storage {
    case column
    case embedded
    /// A `ToOne`: the column of another model's key.
    case reference
    /// A `ToMany`: no column, the rows of another model.
    case rows
  }

  /// The name where the source declares it.
  let identifier: TokenSyntax
  let declaration: VariableDeclSyntax
  /// The written type; `var a, b: Int` gives it to both.
  let type: TypeSyntax?
  let initialValue: ExprSyntax?
  let storage: Storage
  let attribute: AttributeArguments?
  /// The arguments of `@Relationship`.
  let relationship: LabeledExprListSyntax?
  /// What `@Derived` says.
  let derivation: ExprSyntax?

  /// The name as Swift code refers to it: a keyword keeps its backticks.
  var name: TokenSyntax { identifier.trimmed }

  /// The name without backticks, as the schema has it.
  var plainName: String { identifier.plainName }

  var columnName: String { attribute?.name ?? plainName }

  var defaultValue: DefaultValue? { initialValue.map(DefaultValue.init) }

  /// The type as far as syntax shows it: written, or said by the initial value.
  var visibleType: TypeSyntax? { type ?? initialValue?.visibleType }

  /// The written type of an embedded property.
  var embeddedType: TypeSyntax? { storage == .embedded ? type : nil }

  /// Whether the property is kept in one column of its own.
  var isColumn: Bool { storage == .column || storage == .reference }

  /// From where the property can be seen.
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
