extension ToManyColumn {
  /// Returns the rows that satisfy the condition: `$0.costs.where { $0.amount < 0 }.count`.
  ///
  /// - Parameter condition: Returns the condition for the columns.
  /// - Returns: The relationship, narrowed to these rows.
  public func `where`(_ condition: (Target.Columns) -> some QueryExpressible<Bool>) -> ToManyColumn {
    var column = self
    let node = node(of: condition)
    column.filter = filter.map { .and($0, node) } ?? node
    column.settledDepth = depth
    return column
  }

  /// Returns whether at least one of the rows satisfies the condition.
  ///
  /// - Parameter condition: Returns the condition for the columns.
  /// - Returns: The condition.
  public func contains(where condition: (Target.Columns) -> some QueryExpressible<Bool>) -> QueryExpression<Bool> {
    .init(ask(.exist, and: node(of: condition)))
  }

  /// Returns whether the value's row is one of the rows.
  ///
  /// - Parameter value: The value.
  /// - Returns: The condition.
  public func contains(_ value: Target) -> QueryExpression<Bool> {
    contains(value.id)
  }

  /// Returns whether the row with the key is one of the rows.
  ///
  /// - Parameter key: The key.
  /// - Returns: The condition.
  public func contains(_ key: Target.ID) -> QueryExpression<Bool> {
    .init(node(containing: key))
  }

  /// Returns whether every row satisfies the condition; true if there are no rows.
  ///
  /// - Parameter condition: Returns the condition for the columns.
  /// - Returns: The condition.
  public func allSatisfy(_ condition: (Target.Columns) -> some QueryExpressible<Bool>) -> QueryExpression<Bool> {
    .init(.not(ask(.exist, and: .not(node(of: condition)))))
  }

  /// Whether there are no rows.
  public var isEmpty: QueryExpression<Bool> {
    .init(.not(ask(.exist)))
  }

  /// The number of rows.
  public var count: QueryExpression<Int> {
    QueryExpression(node: ask(.value(.aggregate(.count, nil, .stored))), coding: .stored)
  }

  /// The sum of a property over the rows, or zero if there are none.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the sum.
  public func sum<Output: QueryNumber & AdditiveArithmetic>(
    _ path: KeyPath<Target.Columns, some QueryExpressible<Output>>
  ) -> QueryExpression<Output> {
    asking(.sum(computed { $0[keyPath: path] }))
  }

  /// The sum of an optional property over the rows, ignoring nil.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the sum.
  public func sum<Output: QueryNumber & AdditiveArithmetic>(
    _ path: KeyPath<Target.Columns, some QueryExpressible<Output?>>
  ) -> QueryExpression<Output> {
    asking(.sum(computed { $0[keyPath: path] }))
  }

  /// The sum of a property of a small integer type, as an `Int`.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the sum.
  public func sum<Output: QuerySmallInteger>(
    _ path: KeyPath<Target.Columns, some QueryExpressible<Output>>
  ) -> QueryExpression<Int> {
    asking(.sum(computed { $0[keyPath: path] }))
  }

  /// The sum of an optional property of a small integer type, as an `Int`, ignoring nil.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the sum.
  public func sum<Output: QuerySmallInteger>(
    _ path: KeyPath<Target.Columns, some QueryExpressible<Output?>>
  ) -> QueryExpression<Int> {
    asking(.sum(computed { $0[keyPath: path] }))
  }

  /// The mean of a property as a real number, or nil if there are no values.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the mean.
  public func average<Output: QueryNumber>(
    _ path: KeyPath<Target.Columns, some QueryExpressible<Output>>
  ) -> QueryExpression<Double?> {
    asking(.average(computed { $0[keyPath: path] }))
  }

  /// The least value of a property, or nil if there are no rows.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the least value.
  public func min<Output>(_ path: KeyPath<Target.Columns, Column<Target, Output>>) -> QueryExpression<Output?> {
    asking(.extreme(.min, column(path).expression))
  }

  /// The least value of an optional property, ignoring nil; nil if there are no values.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the least value.
  public func min<Output>(_ path: KeyPath<Target.Columns, Column<Target, Output?>>) -> QueryExpression<Output?> {
    asking(.optionalExtreme(.min, column(path).expression))
  }

  /// The greatest value of a property, or nil if there are no rows.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the greatest value.
  public func max<Output>(_ path: KeyPath<Target.Columns, Column<Target, Output>>) -> QueryExpression<Output?> {
    asking(.extreme(.max, column(path).expression))
  }

  /// The greatest value of an optional property, ignoring nil; nil if there are no values.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the greatest value.
  public func max<Output>(_ path: KeyPath<Target.Columns, Column<Target, Output?>>) -> QueryExpression<Output?> {
    asking(.optionalExtreme(.max, column(path).expression))
  }

  /// The sum of a computed value over the rows, or zero if there are none: `$0.lines.sum { $0.price * $0.quantity }`.
  ///
  /// - Parameter value: Returns the value.
  /// - Returns: An expression of the sum.
  public func sum<Output: QueryNumber & AdditiveArithmetic>(
    _ value: (Target.Columns) -> some QueryExpressible<Output>
  ) -> QueryExpression<Output> {
    asking(.sum(computed(value)))
  }

  /// The sum of a computed value of a small integer type over the rows, as an `Int`.
  ///
  /// - Parameter value: Returns the value.
  /// - Returns: An expression of the sum.
  public func sum<Output: QuerySmallInteger>(
    _ value: (Target.Columns) -> some QueryExpressible<Output>
  ) -> QueryExpression<Int> {
    asking(.sum(computed(value)))
  }

  /// The mean of a computed value as a real number, or nil if there are no values.
  ///
  /// - Parameter value: Returns the value.
  /// - Returns: An expression of the mean.
  public func average<Output: QueryNumber>(
    _ value: (Target.Columns) -> some QueryExpressible<Output>
  ) -> QueryExpression<Double?> {
    asking(.average(computed(value)))
  }

  /// The least of a computed value, or nil if there are no rows.
  ///
  /// - Parameter value: Returns the value.
  /// - Returns: An expression of the least value.
  public func min<Output>(_ value: (Target.Columns) -> QueryExpression<Output>) -> QueryExpression<Output?> {
    asking(.extreme(.min, computed(value)))
  }

  /// The least of a computed value that may be nil, ignoring nil; nil if there are no values.
  ///
  /// - Parameter value: Returns the value.
  /// - Returns: An expression of the least value.
  public func min<Output>(_ value: (Target.Columns) -> QueryExpression<Output?>) -> QueryExpression<Output?> {
    asking(.optionalExtreme(.min, computed(value)))
  }

  /// The greatest of a computed value, or nil if there are no rows.
  ///
  /// - Parameter value: Returns the value.
  /// - Returns: An expression of the greatest value.
  public func max<Output>(_ value: (Target.Columns) -> QueryExpression<Output>) -> QueryExpression<Output?> {
    asking(.extreme(.max, computed(value)))
  }

  /// The greatest of a computed value that may be nil, ignoring nil; nil if there are no values.
  ///
  /// - Parameter value: Returns the value.
  /// - Returns: An expression of the greatest value.
  public func max<Output>(_ value: (Target.Columns) -> QueryExpression<Output?>) -> QueryExpression<Output?> {
    asking(.optionalExtreme(.max, computed(value)))
  }

  /// Returns the value in the rows. SQLite computes an aggregate of nothing but columns of the row around them over the
  /// rows around, so such a value is refused.
  private func computed<Output>(_ value: (Target.Columns) -> some QueryExpressible<Output>) -> QueryExpression<Output> {
    let expression = inRows(value).expression
    let sources = expression.node.sources
    guard !sources.isEmpty, !sources.contains(.rows(depth)) else { return expression }
    return QueryExpression(
      node: .invalid(
        StoreError(
          .unsupported, model: "\(Root.self)", property: property,
          "The closure of an aggregate of \(Root.self).\(property) uses no value of the rows. Compute outside of it, such as with \(property).count."
        )), coding: expression.coding)
  }

  private func column<Output>(_ path: KeyPath<Target.Columns, Column<Target, Output>>) -> Column<Target, Output> {
    Target.columns[keyPath: path].scoped(.rows(depth))
  }

  private func asking<Output>(_ aggregate: QueryExpression<Output>) -> QueryExpression<Output> {
    QueryExpression(node: ask(.value(aggregate.node)), coding: aggregate.coding)
  }

  private func node(of condition: (Target.Columns) -> some QueryExpressible<Bool>) -> SQLNode {
    inRows(condition).node
  }

  /// Calls the closure with the columns of the rows.
  private func inRows<Result>(_ body: (Target.Columns) -> Result) -> Result {
    let columns = ColumnScope.$current.withValue(.rows(depth)) { Target.Columns() }
    return RelatedRows.$depth.withValue(depth) { body(columns) }
  }

  private func ask(_ question: RelatedRows.Question, and condition: SQLNode? = nil) -> SQLNode {
    self.question(question, at: depth, condition)
  }

  /// Returns a query for the rows that belong to the row with the key.
  func query(ownedBy key: Root.ID) -> Query<Target> {
    do {
      return try RelationshipResolution(self).query(ownedBy: key)
    } catch {
      return Query().failing(error)
    }
  }
}
