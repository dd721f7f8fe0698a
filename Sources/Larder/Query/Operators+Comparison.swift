// A value on one side is of the expression's type, an optional of it, or nil. `==` and `!=` treat nil as a value: it equals nil
// alone, and differs from everything else, as in Swift. The other comparisons are false where a side is nil.

/// Whether the value is the constant; nil equals nil alone.
public func == <E: QueryExpressible>(left: E, right: E.Output?) -> QueryExpression<Bool> {
  .init(.compare(.equal, left.node, left.node(for: right)))
}

/// Whether the constant is the value; nil equals nil alone.
public func == <E: QueryExpressible>(left: E.Output?, right: E) -> QueryExpression<Bool> {
  .init(.compare(.equal, right.node(for: left), right.node))
}

/// Whether two values are equal; nil equals nil alone.
public func == <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output == Right.Output {
  .init(.compare(.equal, left.node, right.node))
}

/// Whether two values are equal; nil equals nil alone.
public func == <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output == Right.Output? {
  .init(.compare(.equal, left.node, right.node))
}

/// Whether two values are equal; nil equals nil alone.
public func == <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output? == Right.Output {
  .init(.compare(.equal, left.node, right.node))
}

/// Whether the value is another than the constant; nil differs from everything but nil.
public func != <E: QueryExpressible>(left: E, right: E.Output?) -> QueryExpression<Bool> {
  .init(.compare(.notEqual, left.node, left.node(for: right)))
}

/// Whether the constant is another than the value; nil differs from everything but nil.
public func != <E: QueryExpressible>(left: E.Output?, right: E) -> QueryExpression<Bool> {
  .init(.compare(.notEqual, right.node(for: left), right.node))
}

/// Whether two values differ; nil differs from everything but nil.
public func != <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output == Right.Output {
  .init(.compare(.notEqual, left.node, right.node))
}

/// Whether two values differ; nil differs from everything but nil.
public func != <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output == Right.Output? {
  .init(.compare(.notEqual, left.node, right.node))
}

/// Whether two values differ; nil differs from everything but nil.
public func != <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output? == Right.Output {
  .init(.compare(.notEqual, left.node, right.node))
}

/// Whether the value comes before the constant; false for nil.
public func < <E: QueryExpressible>(left: E, right: E.Output) -> QueryExpression<Bool> {
  .init(.compare(.less, left.node, left.node(for: right)))
}

/// Whether the constant comes before the value; false for nil.
public func < <E: QueryExpressible>(left: E.Output, right: E) -> QueryExpression<Bool> {
  .init(.compare(.less, right.node(for: left), right.node))
}

/// Whether the left value comes before the right one; false where one is nil.
public func < <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output == Right.Output {
  .init(.compare(.less, left.node, right.node))
}

/// Compares with a column that may be nil; false where it is.
public func < <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output == Right.Output? {
  .init(.compare(.less, left.node, right.node))
}

/// Compares with a column that may be nil; false where it is.
public func < <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output? == Right.Output {
  .init(.compare(.less, left.node, right.node))
}

/// Whether the value comes before or equals the constant; false for nil.
public func <= <E: QueryExpressible>(left: E, right: E.Output) -> QueryExpression<Bool> {
  .init(.compare(.lessOrEqual, left.node, left.node(for: right)))
}

/// Whether the constant comes before or equals the value; false for nil.
public func <= <E: QueryExpressible>(left: E.Output, right: E) -> QueryExpression<Bool> {
  .init(.compare(.lessOrEqual, right.node(for: left), right.node))
}

/// Whether the left value comes before or equals the right one; false where one is nil.
public func <= <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output == Right.Output {
  .init(.compare(.lessOrEqual, left.node, right.node))
}

/// Compares with a column that may be nil; false where it is.
public func <= <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output == Right.Output? {
  .init(.compare(.lessOrEqual, left.node, right.node))
}

/// Compares with a column that may be nil; false where it is.
public func <= <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output? == Right.Output {
  .init(.compare(.lessOrEqual, left.node, right.node))
}

/// Whether the value comes after the constant; false for nil.
public func > <E: QueryExpressible>(left: E, right: E.Output) -> QueryExpression<Bool> {
  .init(.compare(.greater, left.node, left.node(for: right)))
}

/// Whether the constant comes after the value; false for nil.
public func > <E: QueryExpressible>(left: E.Output, right: E) -> QueryExpression<Bool> {
  .init(.compare(.greater, right.node(for: left), right.node))
}

/// Whether the left value comes after the right one; false where one is nil.
public func > <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output == Right.Output {
  .init(.compare(.greater, left.node, right.node))
}

/// Compares with a column that may be nil; false where it is.
public func > <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output == Right.Output? {
  .init(.compare(.greater, left.node, right.node))
}

/// Compares with a column that may be nil; false where it is.
public func > <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output? == Right.Output {
  .init(.compare(.greater, left.node, right.node))
}

/// Whether the value comes after or equals the constant; false for nil.
public func >= <E: QueryExpressible>(left: E, right: E.Output) -> QueryExpression<Bool> {
  .init(.compare(.greaterOrEqual, left.node, left.node(for: right)))
}

/// Whether the constant comes after or equals the value; false for nil.
public func >= <E: QueryExpressible>(left: E.Output, right: E) -> QueryExpression<Bool> {
  .init(.compare(.greaterOrEqual, right.node(for: left), right.node))
}

/// Whether the left value comes after or equals the right one; false where one is nil.
public func >= <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output == Right.Output {
  .init(.compare(.greaterOrEqual, left.node, right.node))
}

/// Compares with a column that may be nil; false where it is.
public func >= <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output == Right.Output? {
  .init(.compare(.greaterOrEqual, left.node, right.node))
}

/// Compares with a column that may be nil; false where it is.
public func >= <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Bool>
where Left.Output? == Right.Output {
  .init(.compare(.greaterOrEqual, left.node, right.node))
}

extension QueryExpressible {
  /// Whether the value is one of the list; nil in the list matches NULL.
  public func isIn(_ values: some Sequence<Output>) -> QueryExpression<Bool> {
    let nodes = values.map { node(for: $0) }
    let list = nodes.filter { $0 != .value(.null) }
    let isIn = SQLNode.lifting(node) { .isIn($0, list, node.order) }
    return .init(list.count == nodes.count ? isIn : .or(isIn, .isNull(node)))
  }

  /// Whether the value lies in the closed range.
  public func isBetween(_ low: Output, _ high: Output) -> QueryExpression<Bool> {
    .init(SQLNode.lifting(node) { .isBetween($0, node(for: low), node(for: high), node.order) })
  }
}

extension QueryExpressible where Output: Comparable {
  /// Whether the value lies in the range, both ends included.
  public func isBetween(_ range: ClosedRange<Output>) -> QueryExpression<Bool> {
    isBetween(range.lowerBound, range.upperBound)
  }

  /// Whether the value lies in the range, its upper end not included.
  public func isBetween(_ range: Range<Output>) -> QueryExpression<Bool> {
    self >= range.lowerBound && self < range.upperBound
  }
}

extension QueryExpressible {
  /// Whether the value lies in the range, both ends included.
  public func isBetween<Wrapped: Comparable>(_ range: ClosedRange<Wrapped>) -> QueryExpression<Bool> where Output == Wrapped? {
    isBetween(range.lowerBound, range.upperBound)
  }

  /// Whether the value lies in the range, its upper end not included.
  public func isBetween<Wrapped: Comparable>(_ range: Range<Wrapped>) -> QueryExpression<Bool> where Output == Wrapped? {
    self >= range.lowerBound && self < range.upperBound
  }

  /// Whether there is a value and it is one of the list.
  @_disfavoredOverload
  public func isIn<Wrapped>(_ values: some Sequence<Wrapped>) -> QueryExpression<Bool> where Output == Wrapped? {
    isIn(values.map { Optional($0) })
  }

  /// The value, or another where it is nil: `$0.discount.or(0) * $0.price`.
  public func or<Wrapped: Sendable>(_ value: Wrapped) -> QueryExpression<Wrapped> where Output == Wrapped? {
    QueryExpression(node: .function("coalesce", SQLNode.alternatives([node, node(for: value)])), coding: expression.coding.unwrapped())
  }

  /// The value, or what the database computes where it is nil: `$0.nickname.or($0.name)`.
  public func or<Other: QueryExpressible>(_ other: Other) -> QueryExpression<Other.Output> where Output == Other.Output? {
    let node = SQLNode.function("coalesce", SQLNode.alternatives([node, other.node]))
    let coding: ColumnCoding<Other.Output> = expression.coding.unwrapped()
    return QueryExpression(node: node, coding: coding.type.order == node.order ? coding : other.expression.coding)
  }

  /// The value, or where it is nil another that may be nil as well: `$0.nickname.or($0.secondName)`.
  public func or<Other: QueryExpressible, Wrapped>(_ other: Other) -> QueryExpression<Output> where Output == Wrapped?, Other.Output == Output {
    let node = SQLNode.function("coalesce", SQLNode.alternatives([node, other.node]))
    return QueryExpression(node: node, coding: expression.coding.type.order == node.order ? expression.coding : other.expression.coding)
  }
}

extension QueryExpression where Output == Bool {
  init(_ node: SQLNode) {
    self.init(node: node, coding: .stored)
  }
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
