public import Foundation

/// Numbers that the database computes with: `$0.price * 2`.
///
/// Integers are computed exactly, with 64 bits: a result that leaves that range throws ``StoreError`` `.invalidValue`, where SQLite would go on with a
/// real number. Dividing by zero gives NULL, which no comparison matches.
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

/// Integers of fewer than 64 bits, whose sums are those of `Int`.
public protocol QuerySmallInteger: QueryNumber, FixedWidthInteger {}

extension Int8: QuerySmallInteger {}
extension Int16: QuerySmallInteger {}
extension Int32: QuerySmallInteger {}
extension UInt8: QuerySmallInteger {}
extension UInt16: QuerySmallInteger {}
extension UInt32: QuerySmallInteger {}

/// The value and a constant added.
public func + <E: QueryExpressible>(left: E, right: E.Output) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .arithmetic(.add, left.node, left.node(for: right), left.expression.coding)
}

/// A constant and the value added.
public func + <E: QueryExpressible>(left: E.Output, right: E) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .arithmetic(.add, right.node(for: left), right.node, right.expression.coding)
}

/// Two values of one type added.
public func + <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Left.Output>
where Left.Output: QueryNumber, Left.Output == Right.Output {
  .arithmetic(.add, left.node, right.node, left.expression.coding)
}

/// Computed across a column that may be nil; nil where it is.
public func + <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Left.Output>
where Left.Output: QueryNumber, Left.Output == Right.Output? {
  .arithmetic(.add, left.node, right.node, left.expression.coding)
}

/// Computed across a column that may be nil; nil where it is.
public func + <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Right.Output>
where Right.Output: QueryNumber, Left.Output? == Right.Output {
  .arithmetic(.add, left.node, right.node, right.expression.coding)
}

/// The value less a constant.
public func - <E: QueryExpressible>(left: E, right: E.Output) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .arithmetic(.subtract, left.node, left.node(for: right), left.expression.coding)
}

/// A constant less the value.
public func - <E: QueryExpressible>(left: E.Output, right: E) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .arithmetic(.subtract, right.node(for: left), right.node, right.expression.coding)
}

/// A value less another of its type.
public func - <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Left.Output>
where Left.Output: QueryNumber, Left.Output == Right.Output {
  .arithmetic(.subtract, left.node, right.node, left.expression.coding)
}

/// Computed across a column that may be nil; nil where it is.
public func - <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Left.Output>
where Left.Output: QueryNumber, Left.Output == Right.Output? {
  .arithmetic(.subtract, left.node, right.node, left.expression.coding)
}

/// Computed across a column that may be nil; nil where it is.
public func - <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Right.Output>
where Right.Output: QueryNumber, Left.Output? == Right.Output {
  .arithmetic(.subtract, left.node, right.node, right.expression.coding)
}

/// The value times a constant.
public func * <E: QueryExpressible>(left: E, right: E.Output) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .arithmetic(.multiply, left.node, left.node(for: right), left.expression.coding)
}

/// A constant times the value.
public func * <E: QueryExpressible>(left: E.Output, right: E) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .arithmetic(.multiply, right.node(for: left), right.node, right.expression.coding)
}

/// Two values of one type multiplied.
public func * <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Left.Output>
where Left.Output: QueryNumber, Left.Output == Right.Output {
  .arithmetic(.multiply, left.node, right.node, left.expression.coding)
}

/// Computed across a column that may be nil; nil where it is.
public func * <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Left.Output>
where Left.Output: QueryNumber, Left.Output == Right.Output? {
  .arithmetic(.multiply, left.node, right.node, left.expression.coding)
}

/// Computed across a column that may be nil; nil where it is.
public func * <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Right.Output>
where Right.Output: QueryNumber, Left.Output? == Right.Output {
  .arithmetic(.multiply, left.node, right.node, right.expression.coding)
}

/// The value divided by a constant; integers are cut towards zero, and dividing by zero gives nil.
public func / <E: QueryExpressible>(left: E, right: E.Output) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .arithmetic(.divide, left.node, left.node(for: right), left.expression.coding)
}

/// A constant divided by the value; integers are cut towards zero, and dividing by zero gives nil.
public func / <E: QueryExpressible>(left: E.Output, right: E) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .arithmetic(.divide, right.node(for: left), right.node, right.expression.coding)
}

/// A value divided by another of its type; integers are cut towards zero, and dividing by zero gives nil.
public func / <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Left.Output>
where Left.Output: QueryNumber, Left.Output == Right.Output {
  .arithmetic(.divide, left.node, right.node, left.expression.coding)
}

/// Computed across a column that may be nil; nil where it is.
public func / <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Left.Output>
where Left.Output: QueryNumber, Left.Output == Right.Output? {
  .arithmetic(.divide, left.node, right.node, left.expression.coding)
}

/// Computed across a column that may be nil; nil where it is.
public func / <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Right.Output>
where Right.Output: QueryNumber, Left.Output? == Right.Output {
  .arithmetic(.divide, left.node, right.node, right.expression.coding)
}

/// What is left when the value is divided by a constant. Throws `.unsupported` for decimals when the query runs.
public func % <E: QueryExpressible>(left: E, right: E.Output) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .arithmetic(.remainder, left.node, left.node(for: right), left.expression.coding)
}

/// What is left when a constant is divided by the value. Throws `.unsupported` for decimals when the query runs.
public func % <E: QueryExpressible>(left: E.Output, right: E) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .arithmetic(.remainder, right.node(for: left), right.node, right.expression.coding)
}

/// What is left when a value is divided by another of its type. Throws `.unsupported` for decimals when the query runs.
public func % <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Left.Output>
where Left.Output: QueryNumber, Left.Output == Right.Output {
  .arithmetic(.remainder, left.node, right.node, left.expression.coding)
}

/// Computed across a column that may be nil; nil where it is.
public func % <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Left.Output>
where Left.Output: QueryNumber, Left.Output == Right.Output? {
  .arithmetic(.remainder, left.node, right.node, left.expression.coding)
}

/// Computed across a column that may be nil; nil where it is.
public func % <Left: QueryExpressible, Right: QueryExpressible>(left: Left, right: Right) -> QueryExpression<Right.Output>
where Right.Output: QueryNumber, Left.Output? == Right.Output {
  .arithmetic(.remainder, left.node, right.node, right.expression.coding)
}

/// The value with the opposite sign.
public prefix func - <E: QueryExpressible>(operand: E) -> QueryExpression<E.Output> where E.Output: QueryNumber {
  .init(node: .negation(operand.node, operand.expression.coding.type), coding: operand.expression.coding)
}

extension QueryExpressible where Output: QueryNumber {
  /// The number as a floating-point number, for arithmetic across types: `$0.price.double * $0.quantity.double`.
  public var double: QueryExpression<Double> {
    QueryExpression(node: .cast(node, .real), coding: .stored)
  }
}

extension QueryExpression {
  fileprivate static func arithmetic(_ op: BinaryOperator, _ left: SQLNode, _ right: SQLNode, _ coding: ColumnCoding<Output>) -> QueryExpression {
    QueryExpression(node: .arithmetic(op, left, right, coding.type), coding: coding)
  }
}

extension SQLNode {
  /// Arithmetic; that of decimals and of integers goes through exact functions, because SQLite would compute with doubles, always or on overflow.
  ///
  /// - Parameter type: The type of both sides.
  static func arithmetic(_ op: BinaryOperator, _ left: SQLNode, _ right: SQLNode, _ type: ColumnType) -> SQLNode {
    if type.order == .decimal || left.order == .decimal || right.order == .decimal { return decimal(op, left, right) }
    guard type.storageClass == .integer, let name = integerFunctions[op] else { return .binary(op, left, right) }
    // Sums and products are one call, however long they are: SQLite's parser nests no more than a few dozen.
    if op != .divide, case .function(name, let arguments) = left, arguments.count < argumentLimit { return .function(name, arguments + [right]) }
    return .function(name, [left, right])
  }

  static func negation(_ node: SQLNode, _ type: ColumnType) -> SQLNode {
    if type.order == .decimal || node.order == .decimal { return .function("larder_decimal_negate", [node]) }
    return type.storageClass == .integer ? .function("larder_integer_subtract", [.value(.integer(0)), node]) : .negate(node)
  }

  /// What SQLite computes exactly by itself, `%`, is not among them.
  private static let integerFunctions: [BinaryOperator: String] = [
    .add: "larder_integer_add", .subtract: "larder_integer_subtract", .multiply: "larder_integer_multiply", .divide: "larder_integer_divide",
  ]

  /// As many arguments as every SQLite takes. Source: <https://www.sqlite.org/limits.html#max_function_arg>.
  private static let argumentLimit = 100

  private static func decimal(_ op: BinaryOperator, _ left: SQLNode, _ right: SQLNode) -> SQLNode {
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
