public import Foundation

/// Numbers that the database computes with: `$0.price * 2`.
///
/// Sums of integers that leave the 64-bit range throw where they are exact in SQLite (`sum`), and become real numbers where SQLite makes them so (`+`).
/// Dividing by zero gives NULL, which no comparison matches.
public protocol QueryNumber: StoredValue {}

extension Int: QueryNumber {}
extension Int8: QueryNumber {}
extension Int16: QueryNumber {}
extension Int32: QueryNumber {}
extension Int64: QueryNumber {}
extension UInt8: QueryNumber {}
extension UInt16: QueryNumber {}
extension UInt32: QueryNumber {}
extension UInt: QueryNumber {}
extension UInt64: QueryNumber {}
extension Double: QueryNumber {}
extension Float: QueryNumber {}
extension Decimal: QueryNumber {}
extension Optional: QueryNumber where Wrapped: QueryNumber {}

/// The value and a constant added.
public func + <E: QueryExpressible>(left: E, right: E.Output) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .init(node: .arithmetic(.add, left.node, left.node(for: right)), coding: left.expression.coding)
}

/// A constant and the value added.
public func + <E: QueryExpressible>(left: E.Output, right: E) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .init(node: .arithmetic(.add, right.node(for: left), right.node), coding: right.expression.coding)
}

/// Two values of one type added.
public func + <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Left.Output>
where Left.Output: QueryNumber, Left.Output == Right.Output {
  .init(node: .arithmetic(.add, left.node, right.node), coding: left.expression.coding)
}

/// Computed across a column that may be nil; nil where it is.
public func + <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Left.Output>
where Left.Output: QueryNumber, Left.Output == Right.Output? {
  .init(node: .arithmetic(.add, left.node, right.node), coding: left.expression.coding)
}

/// Computed across a column that may be nil; nil where it is.
public func + <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Right.Output>
where Right.Output: QueryNumber, Left.Output? == Right.Output {
  .init(node: .arithmetic(.add, left.node, right.node), coding: right.expression.coding)
}

/// The value less a constant.
public func - <E: QueryExpressible>(left: E, right: E.Output) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .init(node: .arithmetic(.subtract, left.node, left.node(for: right)), coding: left.expression.coding)
}

/// A constant less the value.
public func - <E: QueryExpressible>(left: E.Output, right: E) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .init(node: .arithmetic(.subtract, right.node(for: left), right.node), coding: right.expression.coding)
}

/// A value less another of its type.
public func - <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Left.Output>
where Left.Output: QueryNumber, Left.Output == Right.Output {
  .init(node: .arithmetic(.subtract, left.node, right.node), coding: left.expression.coding)
}

/// Computed across a column that may be nil; nil where it is.
public func - <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Left.Output>
where Left.Output: QueryNumber, Left.Output == Right.Output? {
  .init(node: .arithmetic(.subtract, left.node, right.node), coding: left.expression.coding)
}

/// Computed across a column that may be nil; nil where it is.
public func - <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Right.Output>
where Right.Output: QueryNumber, Left.Output? == Right.Output {
  .init(node: .arithmetic(.subtract, left.node, right.node), coding: right.expression.coding)
}

/// The value times a constant.
public func * <E: QueryExpressible>(left: E, right: E.Output) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .init(node: .arithmetic(.multiply, left.node, left.node(for: right)), coding: left.expression.coding)
}

/// A constant times the value.
public func * <E: QueryExpressible>(left: E.Output, right: E) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .init(node: .arithmetic(.multiply, right.node(for: left), right.node), coding: right.expression.coding)
}

/// Two values of one type multiplied.
public func * <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Left.Output>
where Left.Output: QueryNumber, Left.Output == Right.Output {
  .init(node: .arithmetic(.multiply, left.node, right.node), coding: left.expression.coding)
}

/// Computed across a column that may be nil; nil where it is.
public func * <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Left.Output>
where Left.Output: QueryNumber, Left.Output == Right.Output? {
  .init(node: .arithmetic(.multiply, left.node, right.node), coding: left.expression.coding)
}

/// Computed across a column that may be nil; nil where it is.
public func * <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Right.Output>
where Right.Output: QueryNumber, Left.Output? == Right.Output {
  .init(node: .arithmetic(.multiply, left.node, right.node), coding: right.expression.coding)
}

/// The value divided by a constant; integers are cut towards zero, and dividing by zero gives nil.
public func / <E: QueryExpressible>(left: E, right: E.Output) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .init(node: .arithmetic(.divide, left.node, left.node(for: right)), coding: left.expression.coding)
}

/// A constant divided by the value; integers are cut towards zero, and dividing by zero gives nil.
public func / <E: QueryExpressible>(left: E.Output, right: E) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .init(node: .arithmetic(.divide, right.node(for: left), right.node), coding: right.expression.coding)
}

/// A value divided by another of its type; integers are cut towards zero, and dividing by zero gives nil.
public func / <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Left.Output>
where Left.Output: QueryNumber, Left.Output == Right.Output {
  .init(node: .arithmetic(.divide, left.node, right.node), coding: left.expression.coding)
}

/// Computed across a column that may be nil; nil where it is.
public func / <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Left.Output>
where Left.Output: QueryNumber, Left.Output == Right.Output? {
  .init(node: .arithmetic(.divide, left.node, right.node), coding: left.expression.coding)
}

/// Computed across a column that may be nil; nil where it is.
public func / <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Right.Output>
where Right.Output: QueryNumber, Left.Output? == Right.Output {
  .init(node: .arithmetic(.divide, left.node, right.node), coding: right.expression.coding)
}

/// What is left when the value is divided by a constant. Throws `.unsupported` for decimals when the query runs.
public func % <E: QueryExpressible>(left: E, right: E.Output) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .init(node: .arithmetic(.remainder, left.node, left.node(for: right)), coding: left.expression.coding)
}

/// What is left when a constant is divided by the value. Throws `.unsupported` for decimals when the query runs.
public func % <E: QueryExpressible>(left: E.Output, right: E) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .init(node: .arithmetic(.remainder, right.node(for: left), right.node), coding: right.expression.coding)
}

/// What is left when a value is divided by another of its type. Throws `.unsupported` for decimals when the query runs.
public func % <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Left.Output>
where Left.Output: QueryNumber, Left.Output == Right.Output {
  .init(node: .arithmetic(.remainder, left.node, right.node), coding: left.expression.coding)
}

/// Computed across a column that may be nil; nil where it is.
public func % <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Left.Output>
where Left.Output: QueryNumber, Left.Output == Right.Output? {
  .init(node: .arithmetic(.remainder, left.node, right.node), coding: left.expression.coding)
}

/// Computed across a column that may be nil; nil where it is.
public func % <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Right.Output>
where Right.Output: QueryNumber, Left.Output? == Right.Output {
  .init(node: .arithmetic(.remainder, left.node, right.node), coding: right.expression.coding)
}

/// The value with the opposite sign.
public prefix func - <E: QueryExpressible>(operand: E) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .init(
    node: operand.node.order == .decimal ? .function("larder_decimal_negate", [operand.node]) : .negate(operand.node),
    coding: operand.expression.coding)
}

extension QueryExpressible where Output: QueryNumber {
  /// The number as a floating-point number, for arithmetic across types: `$0.price.double * $0.quantity.double`.
  public var double: QueryExpression<Double> {
    QueryExpression(node: .cast(node, .real), coding: .stored)
  }
}

extension SQLNode {
  /// Arithmetic; that of decimals goes through exact functions, because SQLite would compute with doubles.
  ///
  /// - Parameter order: The order of both sides, where neither tells it by itself.
  static func arithmetic(_ op: BinaryOperator, _ left: SQLNode, _ right: SQLNode, order: ValueOrder = .stored) -> SQLNode {
    guard order == .decimal || left.order == .decimal || right.order == .decimal else { return .binary(op, left, right) }
    let name =
      switch op {
      case .add: "larder_decimal_add"
      case .subtract: "larder_decimal_subtract"
      case .multiply: "larder_decimal_multiply"
      case .divide: "larder_decimal_divide"
      default: ""
      }
    guard !name.isEmpty else { return .invalid(StoreError(.unsupported, "% has no meaning for decimal numbers; use it on integers")) }
    return .function(name, [left, right])
  }
}
