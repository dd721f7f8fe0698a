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
