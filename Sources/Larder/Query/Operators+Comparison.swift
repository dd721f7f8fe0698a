// One side may be a value of the expression's type, an optional of it, or nil. `==` and `!=` treat nil as a value: it
// only equals nil, as in Swift. The other comparisons are false if a side is nil.

/// Returns whether the value equals the constant; nil only equals nil.
public func == <E: QueryExpressible>(left: E, right: E.Output?) -> QueryExpression<Bool> {
  .init(.compare(.equal, left.node, left.node(for: right)))
}

/// Returns whether the constant equals the value; nil only equals nil.
public func == <E: QueryExpressible>(left: E.Output?, right: E) -> QueryExpression<Bool> {
  .init(.compare(.equal, right.node(for: left), right.node))
}

/// Returns whether the left value equals the right one; nil only equals nil.
public func == <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output == Right.Output {
  .init(.compare(.equal, left.node, right.node))
}

/// Returns whether the left value equals the right one; nil only equals nil.
public func == <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output == Right.Output? {
  .init(.compare(.equal, left.node, right.node))
}

/// Returns whether the left value equals the right one; nil only equals nil.
public func == <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output? == Right.Output {
  .init(.compare(.equal, left.node, right.node))
}

/// Returns whether the value doesn't equal the constant; nil only equals nil.
public func != <E: QueryExpressible>(left: E, right: E.Output?) -> QueryExpression<Bool> {
  .init(.compare(.notEqual, left.node, left.node(for: right)))
}

/// Returns whether the constant doesn't equal the value; nil only equals nil.
public func != <E: QueryExpressible>(left: E.Output?, right: E) -> QueryExpression<Bool> {
  .init(.compare(.notEqual, right.node(for: left), right.node))
}

/// Returns whether the left value doesn't equal the right one; nil only equals nil.
public func != <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output == Right.Output {
  .init(.compare(.notEqual, left.node, right.node))
}

/// Returns whether the left value doesn't equal the right one; nil only equals nil.
public func != <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output == Right.Output? {
  .init(.compare(.notEqual, left.node, right.node))
}

/// Returns whether the left value doesn't equal the right one; nil only equals nil.
public func != <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output? == Right.Output {
  .init(.compare(.notEqual, left.node, right.node))
}

/// Returns whether the value is less than the constant; false if a side is nil.
public func < <E: QueryExpressible>(left: E, right: E.Output) -> QueryExpression<Bool> {
  .init(.compare(.less, left.node, left.node(for: right)))
}

/// Returns whether the constant is less than the value; false if a side is nil.
public func < <E: QueryExpressible>(left: E.Output, right: E) -> QueryExpression<Bool> {
  .init(.compare(.less, right.node(for: left), right.node))
}

/// Returns whether the left value is less than the right one; false if a side is nil.
public func < <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output == Right.Output {
  .init(.compare(.less, left.node, right.node))
}

/// Returns whether the left value is less than the right one; false if a side is nil.
public func < <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output == Right.Output? {
  .init(.compare(.less, left.node, right.node))
}

/// Returns whether the left value is less than the right one; false if a side is nil.
public func < <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output? == Right.Output {
  .init(.compare(.less, left.node, right.node))
}

/// Returns whether the value is less than or equal to the constant; false if a side is nil.
public func <= <E: QueryExpressible>(left: E, right: E.Output) -> QueryExpression<Bool> {
  .init(.compare(.lessOrEqual, left.node, left.node(for: right)))
}

/// Returns whether the constant is less than or equal to the value; false if a side is nil.
public func <= <E: QueryExpressible>(left: E.Output, right: E) -> QueryExpression<Bool> {
  .init(.compare(.lessOrEqual, right.node(for: left), right.node))
}

/// Returns whether the left value is less than or equal to the right one; false if a side is nil.
public func <= <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output == Right.Output {
  .init(.compare(.lessOrEqual, left.node, right.node))
}

/// Returns whether the left value is less than or equal to the right one; false if a side is nil.
public func <= <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output == Right.Output? {
  .init(.compare(.lessOrEqual, left.node, right.node))
}

/// Returns whether the left value is less than or equal to the right one; false if a side is nil.
public func <= <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output? == Right.Output {
  .init(.compare(.lessOrEqual, left.node, right.node))
}

/// Returns whether the value is greater than the constant; false if a side is nil.
public func > <E: QueryExpressible>(left: E, right: E.Output) -> QueryExpression<Bool> {
  .init(.compare(.greater, left.node, left.node(for: right)))
}

/// Returns whether the constant is greater than the value; false if a side is nil.
public func > <E: QueryExpressible>(left: E.Output, right: E) -> QueryExpression<Bool> {
  .init(.compare(.greater, right.node(for: left), right.node))
}

/// Returns whether the left value is greater than the right one; false if a side is nil.
public func > <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output == Right.Output {
  .init(.compare(.greater, left.node, right.node))
}

/// Returns whether the left value is greater than the right one; false if a side is nil.
public func > <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output == Right.Output? {
  .init(.compare(.greater, left.node, right.node))
}

/// Returns whether the left value is greater than the right one; false if a side is nil.
public func > <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output? == Right.Output {
  .init(.compare(.greater, left.node, right.node))
}

/// Returns whether the value is greater than or equal to the constant; false if a side is nil.
public func >= <E: QueryExpressible>(left: E, right: E.Output) -> QueryExpression<Bool> {
  .init(.compare(.greaterOrEqual, left.node, left.node(for: right)))
}

/// Returns whether the constant is greater than or equal to the value; false if a side is nil.
public func >= <E: QueryExpressible>(left: E.Output, right: E) -> QueryExpression<Bool> {
  .init(.compare(.greaterOrEqual, right.node(for: left), right.node))
}

/// Returns whether the left value is greater than or equal to the right one; false if a side is nil.
public func >= <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output == Right.Output {
  .init(.compare(.greaterOrEqual, left.node, right.node))
}

/// Returns whether the left value is greater than or equal to the right one; false if a side is nil.
public func >= <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output == Right.Output? {
  .init(.compare(.greaterOrEqual, left.node, right.node))
}

/// Returns whether the left value is greater than or equal to the right one; false if a side is nil.
public func >= <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output? == Right.Output {
  .init(.compare(.greaterOrEqual, left.node, right.node))
}

extension QueryExpressible {
  /// Returns whether the value is in the list. A nil in the list matches NULL.
  ///
  /// - Parameter values: The list. Its length isn't limited by SQLite's number of parameters.
  /// - Returns: The condition.
  public func isIn(_ values: some Sequence<Output>) -> QueryExpression<Bool> {
    let nodes = values.map { node(for: $0) }
    let list = nodes.filter { $0 != .value(.null) }
    let isIn = SQLNode.lifting(node) { .isIn($0, list, node.order) }
    return .init(list.count == nodes.count ? isIn : .or(isIn, .isNull(node)))
  }

  /// Returns whether the value is in the closed range.
  ///
  /// - Parameters:
  ///   - low: The lower bound.
  ///   - high: The upper bound, which is included.
  /// - Returns: The condition.
  public func isBetween(_ low: Output, _ high: Output) -> QueryExpression<Bool> {
    .init(SQLNode.lifting(node) { .isBetween($0, node(for: low), node(for: high), node.order) })
  }
}

extension QueryExpressible where Output: Comparable {
  /// Returns whether the value is in the range, including both bounds.
  ///
  /// - Parameter range: The range.
  /// - Returns: The condition.
  public func isBetween(_ range: ClosedRange<Output>) -> QueryExpression<Bool> {
    isBetween(range.lowerBound, range.upperBound)
  }

  /// Returns whether the value is in the range, excluding its upper bound.
  ///
  /// - Parameter range: The range.
  /// - Returns: The condition.
  public func isBetween(_ range: Range<Output>) -> QueryExpression<Bool> {
    self >= range.lowerBound && self < range.upperBound
  }
}

extension QueryExpressible {
  /// Returns whether the value is in the range, including both bounds; false for nil.
  ///
  /// - Parameter range: The range.
  /// - Returns: The condition.
  public func isBetween<Wrapped: Comparable>(_ range: ClosedRange<Wrapped>) -> QueryExpression<Bool>
  where Output == Wrapped? {
    isBetween(range.lowerBound, range.upperBound)
  }

  /// Returns whether the value is in the range, excluding its upper bound; false for nil.
  ///
  /// - Parameter range: The range.
  /// - Returns: The condition.
  public func isBetween<Wrapped: Comparable>(_ range: Range<Wrapped>) -> QueryExpression<Bool>
  where Output == Wrapped? {
    self >= range.lowerBound && self < range.upperBound
  }

  /// Returns whether the value isn't nil and is in the list.
  ///
  /// - Parameter values: The list.
  /// - Returns: The condition.
  @_disfavoredOverload
  public func isIn<Wrapped>(_ values: some Sequence<Wrapped>) -> QueryExpression<Bool> where Output == Wrapped? {
    isIn(values.map { Optional($0) })
  }

  /// Returns the value, or a default if it is nil: `$0.discount.or(0) * $0.price`.
  ///
  /// - Parameter value: The default.
  /// - Returns: An expression of the value.
  public func or<Wrapped: Sendable>(_ value: Wrapped) -> QueryExpression<Wrapped> where Output == Wrapped? {
    QueryExpression(
      node: .function(.coalesce, SQLNode.alternatives([node, node(for: value)])), coding: expression.coding.unwrapped())
  }

  /// Returns the value, or another expression's value if it is nil: `$0.nickname.or($0.name)`.
  ///
  /// - Parameter other: The expression.
  /// - Returns: An expression of the value.
  public func or<Other: QueryExpressible>(_ other: Other) -> QueryExpression<Other.Output>
  where Output == Other.Output? {
    let node = SQLNode.function(.coalesce, SQLNode.alternatives([node, other.node.asValue]))
    let coding: ColumnCoding<Other.Output> = expression.coding.unwrapped()
    return QueryExpression(node: node, coding: coding.type.order == node.order ? coding : other.expression.coding)
  }

  /// Returns the value, or another expression's value if it is nil, which may be nil as well:
  /// `$0.nickname.or($0.secondName)`.
  ///
  /// - Parameter other: The expression.
  /// - Returns: An expression of the value.
  public func or<Other: QueryExpressible, Wrapped>(_ other: Other) -> QueryExpression<Output>
  where Output == Wrapped?, Other.Output == Output {
    let node = SQLNode.function(.coalesce, SQLNode.alternatives([node, other.node.asValue]))
    return QueryExpression(
      node: node, coding: expression.coding.type.order == node.order ? expression.coding : other.expression.coding)
  }
}

extension QueryExpression where Output == Bool {
  init(_ node: SQLNode) {
    self.init(node: node, coding: ConditionCoding.stored)
  }
}

/// The coding of all conditions, made once.
private enum ConditionCoding {
  static let stored = ColumnCoding<Bool>.stored
}

extension ColumnCoding {
  /// The coding of the values that are not nil.
  fileprivate func unwrapped<Wrapped>() -> ColumnCoding<Wrapped> where Output == Wrapped? {
    var type = type
    type.isOptional = false
    return ColumnCoding<Wrapped>(
      type: type, encode: { [encode] in try encode($0) },
      decode: { [decode] in
        guard let value = try decode($0) else { throw ValueFailure.unexpected($0, expected: "\(Wrapped.self)") }
        return value
      })
  }
}

extension Sequence {
  /// Returns whether an expression's value is one of the elements: `["CH", "AT"].contains($0.country)`, which is
  /// `$0.country.isIn(["CH", "AT"])`.
  ///
  /// - Parameter expression: The column or expression.
  /// - Returns: The condition.
  public func contains<E: QueryExpressible>(_ expression: E) -> QueryExpression<Bool> where E.Output == Element {
    expression.isIn(self)
  }

  /// Returns whether an optional expression's value is one of the elements; false for nil.
  ///
  /// - Parameter expression: The column or expression.
  /// - Returns: The condition.
  public func contains<E: QueryExpressible>(_ expression: E) -> QueryExpression<Bool> where E.Output == Element? {
    expression.isIn(self)
  }
}
