public import Foundation

/// Returns the sum of the value and the constant.
public func + <E: QueryExpressible>(left: E, right: E.Output) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .arithmetic(.add, left.node, left.node(for: right), left.expression.coding)
}

/// Returns the sum of the constant and the value.
public func + <E: QueryExpressible>(left: E.Output, right: E) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .arithmetic(.add, right.node(for: left), right.node, right.expression.coding)
}

/// Returns the sum of two values of the same type.
public func + <Left: QueryExpressible, Right: QueryExpressible>(
  left: Left, right: Right
) -> QueryExpression<Left.Output>
where Left.Output: QueryNumber, Left.Output == Right.Output {
  .arithmetic(.add, left.node, right.node, left.expression.coding)
}

/// Returns the sum of the two values; nil if the optional value is nil.
public func + <Left: QueryExpressible, Right: QueryExpressible>(
  left: Left, right: Right
) -> QueryExpression<Left.Output>
where Left.Output: QueryNumber, Left.Output == Right.Output? {
  .arithmetic(.add, left.node, right.node, left.expression.coding)
}

/// Returns the sum of the two values; nil if the optional value is nil.
public func + <Left: QueryExpressible, Right: QueryExpressible>(
  left: Left, right: Right
) -> QueryExpression<Right.Output>
where Right.Output: QueryNumber, Left.Output? == Right.Output {
  .arithmetic(.add, left.node, right.node, right.expression.coding)
}

/// Returns the difference of the value and the constant.
public func - <E: QueryExpressible>(left: E, right: E.Output) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .arithmetic(.subtract, left.node, left.node(for: right), left.expression.coding)
}

/// Returns the difference of the constant and the value.
public func - <E: QueryExpressible>(left: E.Output, right: E) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .arithmetic(.subtract, right.node(for: left), right.node, right.expression.coding)
}

/// Returns the difference of two values of the same type.
public func - <Left: QueryExpressible, Right: QueryExpressible>(
  left: Left, right: Right
) -> QueryExpression<Left.Output>
where Left.Output: QueryNumber, Left.Output == Right.Output {
  .arithmetic(.subtract, left.node, right.node, left.expression.coding)
}

/// Returns the difference of the two values; nil if the optional value is nil.
public func - <Left: QueryExpressible, Right: QueryExpressible>(
  left: Left, right: Right
) -> QueryExpression<Left.Output>
where Left.Output: QueryNumber, Left.Output == Right.Output? {
  .arithmetic(.subtract, left.node, right.node, left.expression.coding)
}

/// Returns the difference of the two values; nil if the optional value is nil.
public func - <Left: QueryExpressible, Right: QueryExpressible>(
  left: Left, right: Right
) -> QueryExpression<Right.Output>
where Right.Output: QueryNumber, Left.Output? == Right.Output {
  .arithmetic(.subtract, left.node, right.node, right.expression.coding)
}

/// Returns the product of the value and the constant.
public func * <E: QueryExpressible>(left: E, right: E.Output) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .arithmetic(.multiply, left.node, left.node(for: right), left.expression.coding)
}

/// Returns the product of the constant and the value.
public func * <E: QueryExpressible>(left: E.Output, right: E) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .arithmetic(.multiply, right.node(for: left), right.node, right.expression.coding)
}

/// Returns the product of two values of the same type.
public func * <Left: QueryExpressible, Right: QueryExpressible>(
  left: Left, right: Right
) -> QueryExpression<Left.Output>
where Left.Output: QueryNumber, Left.Output == Right.Output {
  .arithmetic(.multiply, left.node, right.node, left.expression.coding)
}

/// Returns the product of the two values; nil if the optional value is nil.
public func * <Left: QueryExpressible, Right: QueryExpressible>(
  left: Left, right: Right
) -> QueryExpression<Left.Output>
where Left.Output: QueryNumber, Left.Output == Right.Output? {
  .arithmetic(.multiply, left.node, right.node, left.expression.coding)
}

/// Returns the product of the two values; nil if the optional value is nil.
public func * <Left: QueryExpressible, Right: QueryExpressible>(
  left: Left, right: Right
) -> QueryExpression<Right.Output>
where Right.Output: QueryNumber, Left.Output? == Right.Output {
  .arithmetic(.multiply, left.node, right.node, right.expression.coding)
}

/// Returns the quotient of the value and the constant; integers truncate toward zero, and division by zero is nil.
public func / <E: QueryExpressible>(left: E, right: E.Output) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .arithmetic(.divide, left.node, left.node(for: right), left.expression.coding)
}

/// Returns the quotient of the constant and the value; integers truncate toward zero, and division by zero is nil.
public func / <E: QueryExpressible>(left: E.Output, right: E) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .arithmetic(.divide, right.node(for: left), right.node, right.expression.coding)
}

/// Returns the quotient of two values of the same type; integers truncate toward zero, and division by zero is nil.
public func / <Left: QueryExpressible, Right: QueryExpressible>(
  left: Left, right: Right
) -> QueryExpression<Left.Output>
where Left.Output: QueryNumber, Left.Output == Right.Output {
  .arithmetic(.divide, left.node, right.node, left.expression.coding)
}

/// Returns the quotient of the two values; nil if the optional value is nil.
public func / <Left: QueryExpressible, Right: QueryExpressible>(
  left: Left, right: Right
) -> QueryExpression<Left.Output>
where Left.Output: QueryNumber, Left.Output == Right.Output? {
  .arithmetic(.divide, left.node, right.node, left.expression.coding)
}

/// Returns the quotient of the two values; nil if the optional value is nil.
public func / <Left: QueryExpressible, Right: QueryExpressible>(
  left: Left, right: Right
) -> QueryExpression<Right.Output>
where Right.Output: QueryNumber, Left.Output? == Right.Output {
  .arithmetic(.divide, left.node, right.node, right.expression.coding)
}

/// Returns the remainder of dividing the value by the constant; throws `.unsupported` for decimals when the query runs.
public func % <E: QueryExpressible>(left: E, right: E.Output) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .arithmetic(.remainder, left.node, left.node(for: right), left.expression.coding)
}

/// Returns the remainder of dividing the constant by the value; throws `.unsupported` for decimals when the query runs.
public func % <E: QueryExpressible>(left: E.Output, right: E) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .arithmetic(.remainder, right.node(for: left), right.node, right.expression.coding)
}

/// Returns the remainder of dividing one value by another of the same type; throws `.unsupported` for decimals when the
/// query runs.
public func % <Left: QueryExpressible, Right: QueryExpressible>(
  left: Left, right: Right
) -> QueryExpression<Left.Output>
where Left.Output: QueryNumber, Left.Output == Right.Output {
  .arithmetic(.remainder, left.node, right.node, left.expression.coding)
}

/// Returns the remainder of dividing the left value by the right one; nil if the optional value is nil.
public func % <Left: QueryExpressible, Right: QueryExpressible>(
  left: Left, right: Right
) -> QueryExpression<Left.Output>
where Left.Output: QueryNumber, Left.Output == Right.Output? {
  .arithmetic(.remainder, left.node, right.node, left.expression.coding)
}

/// Returns the remainder of dividing the left value by the right one; nil if the optional value is nil.
public func % <Left: QueryExpressible, Right: QueryExpressible>(
  left: Left, right: Right
) -> QueryExpression<Right.Output>
where Right.Output: QueryNumber, Left.Output? == Right.Output {
  .arithmetic(.remainder, left.node, right.node, right.expression.coding)
}

/// Returns the negated value.
public prefix func - <E: QueryExpressible>(operand: E) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .init(node: .negation(operand.node, operand.expression.coding.type), coding: operand.expression.coding)
}

extension QueryExpressible where Output: QueryNumber & FixedWidthInteger {
  /// The integer as a decimal, for exact arithmetic with prices: `$0.quantity.decimal * $0.price`.
  public var decimal: QueryExpression<Decimal> {
    QueryExpression(node: .function(.decimalText, [node]), coding: .stored)
  }
}

extension QueryExpressible where Output: QueryOptionalInteger {
  /// The integer as a decimal, for exact arithmetic with prices; nil for nil.
  public var decimal: QueryExpression<Decimal?> {
    QueryExpression(node: .function(.decimalText, [node]), coding: .stored)
  }
}

/// An optional integer.
public protocol QueryOptionalInteger: QueryNumber {}

extension Optional: QueryOptionalInteger where Wrapped: QueryNumber & FixedWidthInteger {}

extension QueryExpressible where Output: QueryNumber & AdditiveArithmetic {
  /// Returns the value, or a default where it is nil because of a division by zero: `($0.sum / $0.count).or(0)`.
  ///
  /// - Parameter value: The default.
  /// - Returns: An expression of the value.
  public func or(_ value: Output) -> QueryExpression<Output> {
    QueryExpression(
      node: .function(.coalesce, SQLNode.alternatives([node, node(for: value)])), coding: expression.coding)
  }
}

extension QueryExpressible<Decimal> {
  /// The number, rounded to some decimal places: `($0.price * $0.taxRate).rounded(scale: 2)`.
  ///
  /// - Parameters:
  ///   - scale: The number of places behind the point; negative for tens and hundreds.
  ///   - mode: How halves are rounded; by default away from zero, as in commerce.
  /// - Returns: An expression of the rounded number.
  public func rounded(scale: Int, _ mode: NSDecimalNumber.RoundingMode = .plain) -> QueryExpression<Decimal> {
    .rounded(node, scale, mode)
  }
}

extension QueryExpressible<Decimal?> {
  /// The number, rounded to some decimal places; nil for nil.
  ///
  /// - Parameters:
  ///   - scale: The number of places behind the point; negative for tens and hundreds.
  ///   - mode: How halves are rounded; by default away from zero, as in commerce.
  /// - Returns: An expression of the rounded number.
  public func rounded(scale: Int, _ mode: NSDecimalNumber.RoundingMode = .plain) -> QueryExpression<Decimal?> {
    .rounded(node, scale, mode)
  }
}

extension QueryExpression where Output: StoredValue {
  fileprivate static func rounded(
    _ node: SQLNode, _ scale: Int, _ mode: NSDecimalNumber.RoundingMode
  ) -> QueryExpression {
    let mode = Int64(mode.rawValue)
    return QueryExpression(
      node: .function(.decimalRound, [node, .value(.integer(Int64(scale))), .value(.integer(mode))]), coding: .stored)
  }
}

extension QueryExpressible where Output: QueryNumber {
  /// The number converted to `Double`, for arithmetic across types: `$0.price.double * $0.quantity.double`.
  public var double: QueryExpression<Double> {
    QueryExpression(node: .cast(node, .real), coding: .stored)
  }
}

extension QueryExpression {
  fileprivate static func arithmetic(
    _ op: BinaryOperator, _ left: SQLNode, _ right: SQLNode, _ coding: ColumnCoding<Output>
  ) -> QueryExpression {
    QueryExpression(node: .arithmetic(op, left, right, coding.type), coding: coding)
  }
}

extension SQLNode {
  /// Returns an arithmetic expression. Decimals and integers use exact functions, because SQLite would compute with
  /// doubles, always or on overflow. Functions for `Float` round each result, as Swift does.
  ///
  /// - Parameter type: The type of both sides.
  static func arithmetic(_ op: BinaryOperator, _ left: SQLNode, _ right: SQLNode, _ type: ColumnType) -> SQLNode {
    if type.order == .decimal || left.order == .decimal || right.order == .decimal { return decimal(op, left, right) }
    let functions =
      type.storageClass == .integer ? integerFunctions : type.numberForm == .single ? floatFunctions : [:]
    guard let function = functions[op] else { return .binary(op, left, right) }
    // Sums and products are one function call, however long they are: SQLite's parser only nests a few dozen.
    if op != .divide, case .function(function, let arguments) = left, arguments.count < argumentLimit {
      return .function(function, arguments + [right])
    }
    return .function(function, [left, right])
  }

  static func negation(_ node: SQLNode, _ type: ColumnType) -> SQLNode {
    if type.order == .decimal || node.order == .decimal { return .function(.decimalNegate, [node]) }
    return type.storageClass == .integer ? .function(.integerSubtract, [.value(.integer(0)), node]) : .negate(node)
  }

  /// Without `%`, which SQLite itself computes exactly.
  private static let integerFunctions: [BinaryOperator: SQLFunction] = [
    .add: .integerAdd, .subtract: .integerSubtract, .multiply: .integerMultiply, .divide: .integerDivide,
  ]

  private static let floatFunctions: [BinaryOperator: SQLFunction] = [
    .add: .floatAdd, .subtract: .floatSubtract, .multiply: .floatMultiply, .divide: .floatDivide,
  ]

  /// The number of arguments that every SQLite accepts. Source: <https://www.sqlite.org/limits.html#max_function_arg>.
  private static let argumentLimit = 100

  private static func decimal(_ op: BinaryOperator, _ left: SQLNode, _ right: SQLNode) -> SQLNode {
    let function: SQLFunction
    switch op {
    case .add: function = .decimalAdd
    case .subtract: function = .decimalSubtract
    case .multiply: function = .decimalMultiply
    case .divide: function = .decimalDivide
    default: return .invalid(StoreError(.unsupported, "% has no meaning for decimal numbers; use it on integers"))
    }
    return .function(function, [left, right])
  }
}
