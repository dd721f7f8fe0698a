extension ToOneColumn: QueryExpressible {
  /// The reference in each row.
  public var expression: QueryExpression<Output> {
    QueryExpression(
      node: node,
      coding: ColumnCoding(type: type, encode: { [target] in try Self.stored(target($0)) }, decode: { try decode($0) }))
  }
}

/// A reference in a `#Predicate`, without its types.
protocol AnyToOneColumn {
  /// Returns the referenced row.
  func row(at node: SQLNode) -> PredicateRow
  /// Returns whether the path leads from a reference to its key.
  func isKey(_ path: AnyKeyPath) -> Bool
  /// Returns the path of the other model's property, for a path that leads to it from a reference.
  func path(of path: AnyKeyPath) -> AnyKeyPath?
}

extension ToOneColumn: AnyToOneColumn {
  func row(at node: SQLNode) -> PredicateRow {
    PredicateRow(model: Target.self, scope: .related(node, key: Target.schema.keyReference))
  }

  func isKey(_ path: AnyKeyPath) -> Bool { path == \ToOne<Target>.id }

  func path(of path: AnyKeyPath) -> AnyKeyPath? {
    Target.schema.columns.first { $0.column.pathThroughReference == path }?.column.keyPath
      ?? Target.schema.relationships.first { $0.pathThroughReference == path }?.keyPath
  }
}

// MARK: - Comparisons with the other model's values and keys

extension ToOneColumn {
  private func equals(_ key: Target.ID?) -> QueryExpression<Bool> {
    .init(.compare(.equal, node, key.map { Target.schema.node(forKey: $0) } ?? .value(.null)))
  }

  /// Returns whether the reference is to the value's row; nil equals a nil reference.
  public static func == (left: ToOneColumn, right: Target?) -> QueryExpression<Bool> { left.equals(right?.id) }

  /// Returns whether the reference is to the row with the key; nil equals a nil reference.
  public static func == (left: ToOneColumn, right: Target.ID?) -> QueryExpression<Bool> { left.equals(right) }

  /// Returns whether the reference is nil.
  public static func == (left: ToOneColumn, right: _OptionalNilComparisonType) -> QueryExpression<Bool> {
    left.equals(nil)
  }

  /// Returns whether the reference isn't to the value's row; nil only equals nil.
  public static func != (left: ToOneColumn, right: Target?) -> QueryExpression<Bool> { !left.equals(right?.id) }

  /// Returns whether the reference isn't to the row with the key; nil only equals nil.
  public static func != (left: ToOneColumn, right: Target.ID?) -> QueryExpression<Bool> { !left.equals(right) }

  /// Returns whether the reference isn't nil.
  public static func != (left: ToOneColumn, right: _OptionalNilComparisonType) -> QueryExpression<Bool> {
    !left.equals(nil)
  }

  /// Returns whether the reference is to the row with the key, such as that of a joined row: `invoice.customer == customer.id`.
  public static func == (left: ToOneColumn, right: Column<Target, Target.ID>) -> QueryExpression<Bool> {
    .init(.compare(.equal, left.node, right.node))
  }

  /// Returns whether the reference is to the row with the key, such as that of a joined row: `customer.id == invoice.customer`.
  public static func == (left: Column<Target, Target.ID>, right: ToOneColumn) -> QueryExpression<Bool> {
    right == left
  }

  /// Returns whether the reference isn't to the row with the key. A nil reference is to no row.
  public static func != (left: ToOneColumn, right: Column<Target, Target.ID>) -> QueryExpression<Bool> {
    .init(.compare(.notEqual, left.node, right.node))
  }

  /// Returns whether the reference isn't to the row with the key. A nil reference is to no row.
  public static func != (left: Column<Target, Target.ID>, right: ToOneColumn) -> QueryExpression<Bool> {
    right != left
  }

  /// Returns whether the reference is to the row of one of the values.
  ///
  /// - Parameter values: The values.
  /// - Returns: The condition.
  public func isIn(_ values: some Sequence<Target>) -> QueryExpression<Bool> {
    isIn(values.lazy.compactMap { output(ToOne($0)) })
  }

  /// Returns whether the reference is to a row with one of the keys.
  ///
  /// - Parameter keys: The keys.
  /// - Returns: The condition.
  public func isIn(_ keys: some Sequence<Target.ID>) -> QueryExpression<Bool> {
    isIn(keys.lazy.compactMap { output(ToOne($0)) })
  }
}

// MARK: - Named values of the referenced row

extension ToOneColumn {
  /// A value that an extension of the other model's columns computes of the referenced row.
  public subscript<Value>(dynamicMember path: KeyPath<Target.Columns, QueryExpression<Value>>) -> QueryExpression<Value>
  where Output == ToOne<Target> {
    targetColumns[keyPath: path]
  }

  /// A value that an extension of the other model's columns computes of the referenced row; nil if there is no row.
  public subscript<Value>(
    dynamicMember path: KeyPath<Target.Columns, QueryExpression<Value>>
  ) -> QueryExpression<Value?> where Output == ToOne<Target>? {
    let value = targetColumns[keyPath: path]
    var type = value.coding.type
    type.isOptional = true
    return QueryExpression(
      node: whereReferenced(value.node.asValue),
      coding: ColumnCoding(
        type: type, encode: { [coding = value.coding] in try $0.map(coding.encode) ?? .null },
        decode: { [coding = value.coding] in $0.isNull ? nil : try coding.decode($0) }))
  }

  /// A value that may be nil, which an extension of the other model's columns computes of the referenced row; also nil
  /// if there is no row.
  public subscript<Value>(
    dynamicMember path: KeyPath<Target.Columns, QueryExpression<Value?>>
  ) -> QueryExpression<Value?> where Output == ToOne<Target>? {
    let value = targetColumns[keyPath: path]
    return QueryExpression(node: whereReferenced(value.node), coding: value.coding)
  }

  private var targetColumns: Target.Columns {
    ColumnScope.$current.withValue(targetScope) { Target.Columns() }
  }

  /// Returns the value where the reference leads to a row, which it doesn't if that has expired.
  private func whereReferenced(_ value: SQLNode) -> SQLNode {
    let key = Target.schema.keyReference
    let isThere = SQLNode.not(.isNull(.related(node, key.as(.related), key: key)))
    return .condition([SQLNode.Branch(condition: isThere, result: value)], otherwise: .value(.null))
  }
}
