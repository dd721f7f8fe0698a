/// The rows of one group, as passed to the closure of `grouped(by:_:)`: `($0.key, $0.count, $0.sum(\.amount))`.
public struct Group<M: Model, Key: Sendable>: Sendable {
  /// The value that the rows of the group share; a tuple if they are grouped by several: `$0.key.0`.
  public let key: Key
  /// The condition of the rows that count; nil if all do.
  private let condition: SQLNode?

  init(key: Key) {
    self.init(key: key, condition: nil)
  }

  private init(key: Key, condition: SQLNode?) {
    (self.key, self.condition) = (key, condition)
  }

  /// The number of rows.
  public var count: QueryExpression<Int> { condition.map { .count(where: $0) } ?? .rowCount }

  /// The group without the rows that don't satisfy the condition: `$0.where { $0.isPaid }.sum(\.amount)`.
  ///
  /// The group is there even if no row is left.
  ///
  /// - Parameter condition: Returns the condition.
  /// - Returns: A group whose numbers, sums and other values are those of some of its rows.
  public func `where`(_ condition: (M.Columns) -> some QueryExpressible<Bool>) -> Group {
    let node = condition(M.columns).node
    return Group(key: key, condition: self.condition.map { .and($0, node) } ?? node)
  }

  /// The number of rows that satisfy a condition: `$0.count { $0.isPaid }`.
  ///
  /// - Parameter condition: Returns the condition.
  /// - Returns: An expression of the number.
  public func count(_ condition: (M.Columns) -> some QueryExpressible<Bool>) -> QueryExpression<Int> {
    self.where(condition).count
  }

  /// The number of rows in which a property is true: `$0.count(\.isPaid)`.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the number.
  public func count(_ path: KeyPath<M.Columns, some QueryExpressible<Bool>>) -> QueryExpression<Int> {
    self.where { $0[keyPath: path] }.count
  }

  /// Returns a value that is nil in the rows that don't count.
  private func counted<Value: QueryExpressible>(_ value: Value) -> QueryExpression<Value.Output> {
    let expression = value.expression
    guard let condition else { return expression }
    let node = SQLNode.condition(
      [SQLNode.Branch(condition: condition, result: expression.node.asValue)], otherwise: .value(.null))
    return QueryExpression(node: node, coding: expression.coding)
  }

  /// The number of rows in which the property isn't nil.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the number.
  public func count<Output: QueryExpressible>(_ path: KeyPath<M.Columns, Output>) -> QueryExpression<Int> {
    QueryExpression(node: .aggregate(.count, counted(M.columns[keyPath: path]).node.asValue, .stored), coding: .stored)
  }

  /// The number of rows in which a computed value isn't nil.
  ///
  /// - Parameter value: Returns the value.
  /// - Returns: An expression of the number.
  public func count(_ value: (M.Columns) -> some QueryExpressible) -> QueryExpression<Int> {
    QueryExpression(node: .aggregate(.count, counted(value(M.columns)).node.asValue, .stored), coding: .stored)
  }

  /// The number of different values of a property, without nil: `$0.count(distinct: \.customer)`.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the number.
  public func count<Output: QueryExpressible>(distinct path: KeyPath<M.Columns, Output>) -> QueryExpression<Int> {
    count(distinct: { $0[keyPath: path] })
  }

  /// The number of different values of an expression, without nil: `$0.count(distinct: { $0.date.day(in: .gmt) })`.
  ///
  /// - Parameter value: Returns the value.
  /// - Returns: An expression of the number.
  // A closure without its label counts all values.
  @_disfavoredOverload
  public func count(distinct value: (M.Columns) -> some QueryExpressible) -> QueryExpression<Int> {
    let node = counted(value(M.columns)).node
    return QueryExpression(node: .aggregate(.distinctCount, node.asValue, node.order), coding: .stored)
  }

  /// The sum of a property, or zero if there are no rows.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the sum.
  public func sum<Output: QueryNumber & AdditiveArithmetic>(
    _ path: KeyPath<M.Columns, some QueryExpressible<Output>>
  ) -> QueryExpression<Output> {
    .sum(counted(M.columns[keyPath: path]))
  }

  /// The sum of an optional property, ignoring nil.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the sum.
  public func sum<Output: QueryNumber & AdditiveArithmetic>(
    _ path: KeyPath<M.Columns, some QueryExpressible<Output?>>
  ) -> QueryExpression<Output> {
    .sum(counted(M.columns[keyPath: path]))
  }

  /// The sum of a computed value: `$0.sum { $0.price * $0.quantity }`.
  ///
  /// - Parameter value: Returns the value to add up.
  /// - Returns: An expression of the sum.
  public func sum<Output: QueryNumber & AdditiveArithmetic>(
    _ value: (M.Columns) -> some QueryExpressible<Output>
  ) -> QueryExpression<Output> {
    .sum(counted(value(M.columns)))
  }

  /// The sum of a computed value of a small integer type, as an `Int`.
  ///
  /// - Parameter value: Returns the value to add up.
  /// - Returns: An expression of the sum.
  public func sum<Output: QuerySmallInteger>(
    _ value: (M.Columns) -> some QueryExpressible<Output>
  ) -> QueryExpression<Int> {
    .sum(counted(value(M.columns)))
  }

  /// The sum of a property of a small integer type, as an `Int`.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the sum.
  public func sum<Output: QuerySmallInteger>(
    _ path: KeyPath<M.Columns, some QueryExpressible<Output>>
  ) -> QueryExpression<Int> {
    .sum(counted(M.columns[keyPath: path]))
  }

  /// The sum of an optional property of a small integer type, as an `Int`, ignoring nil.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the sum.
  public func sum<Output: QuerySmallInteger>(
    _ path: KeyPath<M.Columns, some QueryExpressible<Output?>>
  ) -> QueryExpression<Int> {
    .sum(counted(M.columns[keyPath: path]))
  }

  /// The mean of a property as a real number, or nil if every value is nil.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the mean.
  public func average<Input: QueryExpressible>(_ path: KeyPath<M.Columns, Input>) -> QueryExpression<Double?>
  where Input.Output: QueryNumber {
    .average(counted(M.columns[keyPath: path]))
  }

  /// The least value of a property.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the least value.
  public func min<Output>(_ path: KeyPath<M.Columns, Column<M, Output>>) -> QueryExpression<Output?> {
    .extreme(.min, counted(M.columns[keyPath: path]))
  }

  /// The least value of an optional property, ignoring nil; nil if every value is nil.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the least value.
  public func min<Output>(_ path: KeyPath<M.Columns, Column<M, Output?>>) -> QueryExpression<Output?> {
    .optionalExtreme(.min, counted(M.columns[keyPath: path]))
  }

  /// The greatest value of a property.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the greatest value.
  public func max<Output>(_ path: KeyPath<M.Columns, Column<M, Output>>) -> QueryExpression<Output?> {
    .extreme(.max, counted(M.columns[keyPath: path]))
  }

  /// The greatest value of an optional property, ignoring nil; nil if every value is nil.
  ///
  /// - Parameter path: The property.
  /// - Returns: An expression of the greatest value.
  public func max<Output>(_ path: KeyPath<M.Columns, Column<M, Output?>>) -> QueryExpression<Output?> {
    .optionalExtreme(.max, counted(M.columns[keyPath: path]))
  }
}

// MARK: - Computed values

extension Group {
  /// The mean of a computed value, or nil if every value is nil: `$0.average { $0.price * $0.quantity }`.
  ///
  /// - Parameter value: Returns the value.
  /// - Returns: An expression of the mean.
  public func average<Input: QueryExpressible>(_ value: (M.Columns) -> Input) -> QueryExpression<Double?>
  where Input.Output: QueryNumber {
    .average(counted(value(M.columns)))
  }

  /// The least of a computed value.
  ///
  /// - Parameter value: Returns the value.
  /// - Returns: An expression of the least value.
  public func min<Output>(_ value: (M.Columns) -> QueryExpression<Output>) -> QueryExpression<Output?> {
    .extreme(.min, counted(value(M.columns)))
  }

  /// The least of a computed value that may be nil, ignoring nil; nil if every value is nil.
  ///
  /// - Parameter value: Returns the value.
  /// - Returns: An expression of the least value.
  public func min<Output>(_ value: (M.Columns) -> QueryExpression<Output?>) -> QueryExpression<Output?> {
    .optionalExtreme(.min, counted(value(M.columns)))
  }

  /// The greatest of a computed value that may be nil, ignoring nil; nil if every value is nil.
  ///
  /// - Parameter value: Returns the value.
  /// - Returns: An expression of the greatest value.
  public func max<Output>(_ value: (M.Columns) -> QueryExpression<Output?>) -> QueryExpression<Output?> {
    .optionalExtreme(.max, counted(value(M.columns)))
  }

  /// The greatest of a computed value.
  ///
  /// - Parameter value: Returns the value.
  /// - Returns: An expression of the greatest value.
  public func max<Output>(_ value: (M.Columns) -> QueryExpression<Output>) -> QueryExpression<Output?> {
    .extreme(.max, counted(value(M.columns)))
  }
}

extension QueryExpression where Output == Int {
  static var rowCount: QueryExpression { QueryExpression(node: .aggregate(.count, nil, .stored), coding: .stored) }

  /// The number of rows that satisfy a condition.
  static func count(where condition: SQLNode) -> QueryExpression {
    let one = SQLNode.condition(
      [SQLNode.Branch(condition: condition, result: .value(.integer(1)))], otherwise: .value(.null))
    return QueryExpression(node: .aggregate(.count, one, .stored), coding: .stored)
  }
}

extension QueryExpression {
  static func sum<Key: QueryNumber>(_ expression: QueryExpression<Key>) -> QueryExpression
  where Output: QueryNumber & AdditiveArithmetic {
    let sum = SQLNode.aggregate(.sum, expression.node, expression.node.order)
    // SQLite's `total` is 0.0 without values, and NULL if infinities cancel each other out, which is an error and not
    // zero.
    if Output.storageClass == .real {
      let total = SQLNode.function(.total, [expression.node])
      let coding = ColumnCoding<Output>.stored
      return QueryExpression(
        node: coding.type.numberForm == .single ? .function(.float, [total]) : total, coding: coding)
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
      node: .aggregate(aggregate, base.node.asValue, base.node.order),
      coding: ColumnCoding(
        type: type,
        encode: { try $0.map(coding.encode) ?? .null },
        decode: { $0.isNull ? nil : try coding.decode($0) }))
  }
}
