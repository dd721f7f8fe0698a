public import Foundation

/// The rows of one group, as passed to the closure of ``Query/grouped(by:_:)``: `($0.key, $0.count, $0.sum(\.amount))`.
public struct Group<M: Model, Key>: Sendable {
  /// The value that the rows of the group share.
  public let key: QueryExpression<Key>

  /// The number of rows.
  public var count: QueryExpression<Int> {
    QueryExpression(node: .aggregate(.count, nil, .stored), coding: .stored)
  }

  /// The number of rows in which the property isn't nil.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the number.
  public func count<Output: QueryExpressible>(_ path: KeyPath<M.Columns, Output>) -> QueryExpression<Int> {
    QueryExpression(node: .aggregate(.count, M.columns[keyPath: path].node, .stored), coding: .stored)
  }

  /// The sum of a property, or zero if there are no rows.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the sum.
  public func sum<Output: QueryNumber & AdditiveArithmetic>(
    _ path: KeyPath<M.Columns, Column<M, Output>>
  ) -> QueryExpression<Output> {
    .sum(M.columns[keyPath: path].expression)
  }

  /// The sum of an optional property, ignoring nil.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the sum.
  public func sum<Output: QueryNumber & AdditiveArithmetic>(
    _ path: KeyPath<M.Columns, Column<M, Output?>>
  ) -> QueryExpression<Output> {
    .sum(M.columns[keyPath: path].expression)
  }

  /// The sum of a computed value: `$0.sum { $0.price * $0.quantity }`.
  ///
  /// - Parameter value: Returns the value to add up.
  /// - Returns: An expression of the sum.
  public func sum<Output: QueryNumber & AdditiveArithmetic>(
    _ value: (M.Columns) -> some QueryExpressible<Output>
  ) -> QueryExpression<Output> {
    .sum(value(M.columns).expression)
  }

  /// The sum of a property of a small integer type, as an `Int`.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the sum.
  public func sum<Output: QuerySmallInteger>(_ path: KeyPath<M.Columns, Column<M, Output>>) -> QueryExpression<Int> {
    .sum(M.columns[keyPath: path].expression)
  }

  /// The sum of an optional property of a small integer type, as an `Int`, ignoring nil.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the sum.
  public func sum<Output: QuerySmallInteger>(_ path: KeyPath<M.Columns, Column<M, Output?>>) -> QueryExpression<Int> {
    .sum(M.columns[keyPath: path].expression)
  }

  /// The mean of a property as a real number, or nil if every value is nil.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the mean.
  public func average<Input: QueryExpressible>(_ path: KeyPath<M.Columns, Input>) -> QueryExpression<Double?>
  where Input.Output: QueryNumber {
    .average(M.columns[keyPath: path].expression)
  }

  /// The least value of a property.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the least value.
  public func min<Output>(_ path: KeyPath<M.Columns, Column<M, Output>>) -> QueryExpression<Output?> {
    .extreme(.min, M.columns[keyPath: path].expression)
  }

  /// The least value of an optional property, ignoring nil; nil if every value is nil.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the least value.
  public func min<Output>(_ path: KeyPath<M.Columns, Column<M, Output?>>) -> QueryExpression<Output?> {
    .optionalExtreme(.min, M.columns[keyPath: path].expression)
  }

  /// The greatest value of a property.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the greatest value.
  public func max<Output>(_ path: KeyPath<M.Columns, Column<M, Output>>) -> QueryExpression<Output?> {
    .extreme(.max, M.columns[keyPath: path].expression)
  }

  /// The greatest value of an optional property, ignoring nil; nil if every value is nil.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the greatest value.
  public func max<Output>(_ path: KeyPath<M.Columns, Column<M, Output?>>) -> QueryExpression<Output?> {
    .optionalExtreme(.max, M.columns[keyPath: path].expression)
  }
}

extension QueryExpression {
  static func sum<Key: QueryNumber>(_ expression: QueryExpression<Key>) -> QueryExpression
  where Output: QueryNumber & AdditiveArithmetic {
    let sum = SQLNode.aggregate(.sum, expression.node, expression.node.order)
    // SQLite's `total` is 0.0 without values, and NULL if infinities cancel each other out, which is an error and not
    // zero.
    if Output.storageClass == .real {
      return QueryExpression(node: .function(.total, [expression.node]), coding: .stored)
    }
    let zero: SQLNode = expression.node.order == .decimal ? .value(.text("0")) : .value(.integer(0))
    return QueryExpression(node: .function(.coalesce, [sum, zero]), coding: .stored)
  }

  static func average<Key: QueryNumber>(_ expression: QueryExpression<Key>) -> QueryExpression where Output == Double? {
    QueryExpression(node: .aggregate(.average, expression.node, expression.node.order), coding: .stored)
  }

  /// Returns the least or greatest of values that may be nil.
  static func optionalExtreme(_ aggregate: Aggregate, _ base: QueryExpression) -> QueryExpression {
    QueryExpression(node: .aggregate(aggregate, base.node, base.node.order), coding: base.coding)
  }

  static func extreme<Base>(_ aggregate: Aggregate, _ base: QueryExpression<Base>) -> QueryExpression
  where Output == Base? {
    let coding = base.coding
    var type = coding.type
    type.isOptional = true
    return QueryExpression(
      node: .aggregate(aggregate, base.node, base.node.order),
      coding: ColumnCoding(
        type: type,
        encode: { try $0.map(coding.encode) ?? .null },
        decode: { $0.isNull ? nil : try coding.decode($0) }))
  }
}

/// A query whose rows are grouped: each result is one group. Fetch it like any other query.
public struct GroupedQuery<M: Model, Key, each Output>: Sendable {
  let query: Query<M>
  let key: QueryExpression<Key>
  let outputs: (repeat QueryExpression<each Output>)
  var condition: SQLNode?
  var sorts: [(node: SQLNode, isDescending: Bool)] = []
  var limit: Int?

  init(_ query: Query<M>, _ key: QueryExpression<Key>, _ outputs: repeat QueryExpression<each Output>) {
    self.query = query
    self.key = key
    self.outputs = (repeat each outputs)
  }

  private var group: Group<M, Key> { Group(key: key) }

  /// Returns a query for the groups that satisfy the condition.
  ///
  /// - Parameter condition: Returns the condition for a group.
  /// - Returns: A new query; this one doesn't change.
  public func having(_ condition: (Group<M, Key>) -> some QueryExpressible<Bool>) -> GroupedQuery {
    var query = self
    let node = condition(group).node
    query.condition = self.condition.map { .and($0, node) } ?? node
    return query
  }

  /// Returns the query with sorted groups. Without a sort they are in the order of their keys.
  ///
  /// - Parameters:
  ///   - order: `.forward`, the default, or `.reverse`.
  ///   - value: Returns the value to sort by.
  /// - Returns: A new query; this one doesn't change.
  public func sorted(order: SortOrder = .forward, by value: (Group<M, Key>) -> some QueryExpressible) -> GroupedQuery {
    var query = self
    query.sorts.append((value(group).node.asValue, order == .reverse))
    return query
  }

  /// Returns the query with at most `limit` groups.
  ///
  /// - Parameter limit: The largest number of groups.
  /// - Returns: A new query; this one doesn't change.
  public func limit(_ limit: Int) -> GroupedQuery {
    precondition(limit >= 0, "a limit is not negative")
    var query = self
    query.limit = limit
    return query
  }

  func select(_ writer: inout SQLWriter) throws {
    guard query.limit == nil, query.offset == 0, query.cursor == nil else {
      throw StoreError(
        .unsupported, model: "\(M.self)",
        "a query with a limit cannot be grouped; limit the groups instead: grouped(by:) { … }.limit(n)")
    }
    // The rank of single rows doesn't apply to groups.
    var query = query
    query.search?.isRanked = false
    writer.write("SELECT ")
    var isFirst = true
    for output in repeat each outputs {
      if !isFirst { writer.write(", ") }
      isFirst = false
      try writer.write(output.node.asValue)
    }
    try query.writeSource(&writer)
    writer.write(" GROUP BY ")
    try writer.writeOrdered(key.node, key.node.order)
    if let condition {
      writer.write(" HAVING ")
      try writer.write(condition)
    }
    writer.write(" ORDER BY ")
    for sort in sorts {
      try writer.writeOrdered(sort.node, sort.node.order)
      writer.write(sort.isDescending ? " DESC, " : ", ")
    }
    try writer.writeOrdered(key.node, key.node.order)
    if let limit {
      writer.write(" LIMIT ")
      writer.bind(.integer(Int64(limit)))
    }
  }
}

extension Query {
  /// Groups the rows by a property, and selects values of each group.
  ///
  /// ```swift
  /// let totals = try await store.fetch(Cost.all.grouped(by: \.category) { ($0.key, $0.sum(\.amount), $0.count) })
  /// for (category, total, count) in totals { … }
  /// ```
  ///
  /// - Parameters:
  ///   - path: The property to group by.
  ///   - outputs: Returns a tuple of expressions for a group.
  /// - Returns: A query whose results are tuples, one for each group.
  public func grouped<Key: QueryExpressible, each Output>(
    by path: KeyPath<M.Columns, Key>,
    _ outputs: (Group<M, Key.Output>) -> (repeat QueryExpression<each Output>)
  ) -> GroupedQuery<M, Key.Output, repeat each Output> {
    let key = M.columns[keyPath: path].expression
    let selected = outputs(Group(key: key))
    return GroupedQuery(self, key, repeat each selected)
  }
}
