/// A relationship as a model declares it, without the type of the other model.
protocol RelationshipDefinition<Root>: Sendable {
  associatedtype Root: Model
  associatedtype Target: Model
  var property: String { get }
  var keyPath: any PartialKeyPath<Root> & Sendable { get }
  var rule: DeleteRule? { get }
  /// The property on the other side, if this side names it.
  var inverse: (any AnyKeyPath & Sendable)? { get }
  var isOrdered: Bool { get }
  /// The path to the property through a reference to the model, as in a `#Predicate`.
  var pathThroughReference: AnyKeyPath? { get }
}

extension RelationshipDefinition {
  var target: any Model.Type { Target.self }
}

/// A reference to one row of another model.
struct ToOneDefinition<Root: Model, Target: Model, Output>: RelationshipDefinition {
  let column: ToOneColumn<Root, Target, Output>
  let rule: DeleteRule?
  let inverse: (any AnyKeyPath & Sendable)?

  var property: String { column.property }
  var keyPath: any PartialKeyPath<Root> & Sendable { column.keyPath }
  var isOrdered: Bool { false }
  var pathThroughReference: AnyKeyPath? { column.pathThroughReference }
}

/// The rows of another model that belong to a row.
struct ToManyDefinition<Root: Model, Target: Model>: RelationshipDefinition {
  let column: ToManyColumn<Root, Target>
  let rule: DeleteRule?
  let inverse: (any AnyKeyPath & Sendable)?
  let isOrdered: Bool

  var property: String { column.property }
  var keyPath: any PartialKeyPath<Root> & Sendable { column.keyPath }
  var pathThroughReference: AnyKeyPath? { \ToOne<Root>.[dynamicMember: column.keyPath] }
}

/// A reference of any model to a given one.
protocol AnyToOneDefinition<Root>: RelationshipDefinition {
  var name: String { get }
  var isOptional: Bool { get }
  var reference: ColumnReference { get }
  var anyColumn: any AnyColumn<Root> { get }
  /// The referenced key.
  var targetKey: ColumnReference { get }
}

extension ToOneDefinition: AnyToOneDefinition {
  var name: String { column.name }
  var isOptional: Bool { column.isOptional }
  var reference: ColumnReference { ColumnReference(table: Root.schema.table, name: column.name, type: column.type) }
  var anyColumn: any AnyColumn<Root> { column }
  var targetKey: ColumnReference { Target.schema.keyReference }
}

/// The rows of any model that belong to a row.
protocol AnyToManyDefinition<Root>: RelationshipDefinition {
  /// Returns how to find the rows. Throws `.schemaMismatch` if there is no other side.
  var resolvedLink: RelatedRows.Link { get throws }
  /// The join table, if both sides are ``ToMany``.
  var resolvedPairs: PairsTable? { get throws }
  var anyColumn: any AnyToManyColumn { get }
}

extension ToManyDefinition: AnyToManyDefinition {
  var resolvedLink: RelatedRows.Link { get throws { try RelationshipResolution(column).link } }
  var resolvedPairs: PairsTable? { get throws { try RelationshipResolution(column).pairs } }
  var anyColumn: any AnyToManyColumn { column }
}

extension Property {
  /// Creates a reference. Without its own delete rule it has that of the other side, or the default.
  public init<Target: Model, Output>(
    _ column: ToOneColumn<Root, Target, Output>, _ options: AttributeOption..., originalName: String? = nil,
    deleteRule: DeleteRule? = nil,
    inverse: (any AnyKeyPath & Sendable)? = nil, default: PropertyDefault<Output>? = nil
  ) {
    var value: (@Sendable () throws -> Value)?
    if let `default` {
      value = { try column.storedValue(of: `default`.make()) }
    } else if column.isOptional {
      value = { .null }
    }
    columns = [
      ColumnDefinition(
        column: column, options: Set(options.map(\.kind)), originalName: originalName, defaultValue: value,
        isDefaultComputed: `default`?.isComputed ?? false)
    ]
    relationship = ToOneDefinition(column: column, rule: deleteRule, inverse: inverse)
  }

  /// Creates the rows of another model that belong to a row. They have no column.
  public init<Target: Model>(
    _ column: ToManyColumn<Root, Target>, deleteRule: DeleteRule? = nil, inverse: (any AnyKeyPath & Sendable)? = nil,
    ordered: Bool = false
  ) {
    columns = []
    relationship = ToManyDefinition(column: column, rule: deleteRule, inverse: inverse, isOrdered: ordered)
  }

  /// Creates a property that triggers derive from the rows of a relationship.
  public init<Output>(
    _ column: Column<Root, Output>, _ options: AttributeOption..., originalName: String? = nil,
    derived derivation: Derivation<Output>,
    default: PropertyDefault<Output>? = nil
  ) {
    columns = [
      ColumnDefinition(
        column: column, options: Set(options.map(\.kind)), originalName: originalName,
        defaultValue: { try derivation.source.emptyValue(column.type) },
        isDefaultComputed: false, derivation: derivation.source)
    ]
  }
}
