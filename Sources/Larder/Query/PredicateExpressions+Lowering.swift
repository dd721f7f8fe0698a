import Foundation

extension PredicateExpressions.Variable: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    switch scope.variables[key] {
    case .row(let row): PredicateOperand(.value(.null), row: row)
    case .value(let operand): operand
    case nil: throw scope.unsupported("variable of an outer predicate")
    }
  }
}

extension PredicateExpressions.KeyPath: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let base = try scope.operand(root)
    if let row = base.row { return try Self.member(at: keyPath, of: row, in: scope) }
    if let embedded = base.embedded, let path = embedded.path.appending(path: keyPath) {
      return try Self.member(at: path, of: embedded.row, in: scope)
    }
    if let reference = base.column as? any AnyToOneColumn {
      if reference.isKey(keyPath) { return base }
      return try Self.member(at: reference.path(of: keyPath) ?? keyPath, of: reference.row(at: base.node), in: scope)
    }
    if let rows = base.rows {
      if rows.leadsToCount(keyPath) { return PredicateOperand(Self.count(of: base)) }
      if rows.leadsToEmptiness(keyPath) { return PredicateOperand(Self.isEmpty(base)) }
    }
    let counted = Root.Output.self as? any CountedCollection.Type
    switch kind {
    case .collectionCount: return PredicateOperand(Self.count(of: base))
    case .collectionIsEmpty: return PredicateOperand(Self.isEmpty(base))
    case _ where keyPath == counted?.countPath: return PredicateOperand(Self.count(of: base))
    case _ where keyPath == counted?.isEmptyPath: return PredicateOperand(Self.isEmpty(base))
    case .collectionFirst where base.isCollection:
      return PredicateOperand(json: .json(base.node, path: [.index(0)]), Output.self)
    case .bidirectionalCollectionLast where base.isCollection:
      return PredicateOperand(json: .json(base.node, path: [.index(-1)]), Output.self)
    default: throw scope.unsupported("key path \(keyPath)")
    }
  }

  private static func isEmpty(_ base: PredicateOperand) -> SQLNode {
    .compare(.equal, count(of: base), .value(.integer(0)))
  }

  private static func count(of base: PredicateOperand) -> SQLNode {
    if let rows = base.rows { return rows.question(.value(.aggregate(.count, nil, .stored)), at: rows.depth) }
    if Root.Output.self is String.Type { return .function(.count, [base.node]) }
    return base.column == nil ? .jsonCount(base.node) : base.node.elementCount(Root.Output.self)
  }

  private static func member(
    at path: AnyKeyPath, of row: PredicateRow, in scope: PredicateScope
  ) throws -> PredicateOperand {
    func find<M: Model>(_ model: M.Type) -> PredicateOperand? {
      if let rows = M.schema.toMany(at: path) as? any AnyToManyDefinition<M> {
        return PredicateOperand(.value(.null), rows: rows.anyColumn.moved(to: row.scope, depth: scope.depth + 1))
      }
      return M.schema.column(at: path).map { column in
        PredicateOperand(
          row.scope.node(for: ColumnReference(table: M.schema.table, name: column.name, type: column.type)),
          column: column)
      }
    }
    if let operand = find(row.model) { return operand }
    // A path to an embedded struct; the next component names the column.
    guard Swift.type(of: path).valueType is any Embeddable.Type else {
      throw scope.unsupported("key path \(path), which is not a stored property,")
    }
    return PredicateOperand(.value(.null), embedded: (row, path))
  }
}

/// A collection with its own `count` and `isEmpty`, which Foundation doesn't treat as those of other collections.
private protocol CountedCollection {
  static var countPath: AnyKeyPath { get }
  static var isEmptyPath: AnyKeyPath { get }
}

extension Dictionary: CountedCollection {
  fileprivate static var countPath: AnyKeyPath { \Self.count }
  fileprivate static var isEmptyPath: AnyKeyPath { \Self.isEmpty }
}

extension Set: CountedCollection {
  fileprivate static var countPath: AnyKeyPath { \Self.count }
  fileprivate static var isEmptyPath: AnyKeyPath { \Self.isEmpty }
}

extension Data: CountedCollection {
  fileprivate static var countPath: AnyKeyPath { \Self.count }
  fileprivate static var isEmptyPath: AnyKeyPath { \Self.isEmpty }
}

extension PredicateExpressions.Value: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    PredicateOperand(scope.constant(value), constant: value)
  }
}

extension PredicateScope {
  /// A constant without another side that determines its stored form.
  func constant(_ value: Any) -> SQLNode {
    if let optional = value as? any OptionalValue, optional.isNil { return .value(.null) }
    if let stored = value as? any StoredValue { return .bound(stored) }
    if let raw = value as? any RawRepresentable, let stored = raw.rawValue as? any StoredValue { return .bound(stored) }
    return .invalid(unsupported("constant of type \(type(of: value))"))
  }
}

extension PredicateExpressions.NilLiteral: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand { PredicateOperand(.value(.null)) }
}

extension PredicateExpressions.Equal: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let (left, right) = try scope.pair(lhs, rhs)
    return PredicateOperand(.compare(.equal, left, right))
  }
}

extension PredicateExpressions.NotEqual: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let (left, right) = try scope.pair(lhs, rhs)
    return PredicateOperand(.compare(.notEqual, left, right))
  }
}

extension PredicateExpressions.Comparison: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let (left, right) = try scope.pair(lhs, rhs)
    let comparison: ComparisonOperator =
      switch op {
      case .lessThan: .less
      case .lessThanOrEqual: .lessOrEqual
      case .greaterThan: .greater
      case .greaterThanOrEqual: .greaterOrEqual
      @unknown default: throw scope.unsupported("comparison")
      }
    return PredicateOperand(.compare(comparison, left, right))
  }
}

extension PredicateExpressions.Conjunction: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    PredicateOperand(.and(try scope.node(lhs), try scope.node(rhs)))
  }
}

extension PredicateExpressions.Disjunction: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    PredicateOperand(.or(try scope.node(lhs), try scope.node(rhs)))
  }
}

extension PredicateExpressions.Negation: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand { PredicateOperand(.not(try scope.node(wrapped))) }
}

extension PredicateExpressions.UnaryMinus: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let node = try scope.node(wrapped)
    return PredicateOperand(.negation(node, .arithmetic(Wrapped.Output.self)))
  }
}

extension PredicateExpressions.Arithmetic: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let (left, right) = try scope.pair(lhs, rhs)
    let operation: BinaryOperator =
      switch op {
      case .add: .add
      case .subtract: .subtract
      case .multiply: .multiply
      @unknown default: throw scope.unsupported("arithmetic")
      }
    return PredicateOperand(.arithmetic(operation, left, right, .arithmetic(LHS.Output.self)))
  }
}

extension PredicateExpressions.IntDivision: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let (left, right) = try scope.pair(lhs, rhs)
    return PredicateOperand(.arithmetic(.divide, left, right, .arithmetic(LHS.Output.self)))
  }
}

extension PredicateExpressions.IntRemainder: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let (left, right) = try scope.pair(lhs, rhs)
    return PredicateOperand(.binary(.remainder, left, right))
  }
}

extension PredicateExpressions.FloatDivision: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let (left, right) = try scope.pair(lhs, rhs)
    return PredicateOperand(.arithmetic(.divide, left, right, .arithmetic(LHS.Output.self)))
  }
}

extension ColumnType {
  /// The facts that arithmetic needs about a number in a predicate.
  fileprivate static func arithmetic(_ type: Any.Type) -> ColumnType {
    // Both sides may be constants, which don't determine the type.
    if type == Decimal.self { return ColumnType(storageClass: .text, order: .decimal) }
    return ColumnType(
      storageClass: type is any BinaryInteger.Type ? .integer : .real, numberForm: type == Float.self ? .single : nil)
  }
}

extension PredicateExpressions.Conditional: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let (whenTrue, whenFalse) = (try scope.operand(trueBranch), try scope.operand(falseBranch))
    let results = SQLNode.alternatives([try whenTrue.node(beside: whenFalse), try whenFalse.node(beside: whenTrue)])
      .map(\.asValue)
    let known = whenTrue.constant == nil ? whenTrue : whenFalse
    return known.with(.condition([.init(condition: try scope.node(test), result: results[0])], otherwise: results[1]))
  }
}

extension PredicateExpressions.NilCoalesce: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let (left, right) = (try scope.operand(lhs), try scope.operand(rhs))
    let known = left.column == nil && !left.isJSON ? right : left
    return known.with(.function(.coalesce, SQLNode.alternatives([left.node, try right.node(beside: left).asValue])))
  }
}

extension PredicateExpressions.OptionalFlatMap: LowerablePredicateExpression {
  /// Without a value the result is NULL, whatever the transformation returns for NULL.
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let base = try scope.operand(wrapped)
    var inner = scope
    inner.variables[variable.key] = .value(base)
    let result = try inner.operand(transform)
    let value = SQLNode.alternatives([result.node])[0].asValue
    return result.with(
      .condition([.init(condition: .not(.isNull(base.node)), result: value)], otherwise: .value(.null)))
  }
}

extension PredicateExpressions.ForcedUnwrap: LowerablePredicateExpression {
  /// A row whose value is nil doesn't match. In Swift it would trap.
  func lower(in scope: PredicateScope) throws -> PredicateOperand { try scope.operand(inner) }
}

extension PredicateExpressions.ClosedRange: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand { throw scope.unsupported("range outside contains") }
}

extension PredicateExpressions.RangeExpressionContains: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let value = try scope.operand(element)
    guard let bounds = try (range as? any LowerableRange)?.bounds(in: scope, beside: value) else {
      throw scope.unsupported("range")
    }
    let low = bounds.low.map { SQLNode.compare(.greaterOrEqual, value.node, $0) }
    let high = bounds.high.map { SQLNode.compare(bounds.isClosed ? .lessOrEqual : .less, value.node, $0) }
    switch (low, high) {
    case (let low?, let high?): return PredicateOperand(.and(low, high))
    case (let end?, nil), (nil, let end?): return PredicateOperand(end)
    case (nil, nil): throw scope.unsupported("range without an end")
    }
  }
}

/// The bounds of a range; nil if it has none.
private struct RangeBounds<End> {
  var low: End?
  var high: End?
  /// Whether the range includes its upper bound.
  var isClosed = false
}

/// A range whose bounds are expressions or constants.
private protocol LowerableRange {
  func bounds(in scope: PredicateScope, beside value: PredicateOperand) throws -> RangeBounds<SQLNode>?
}

extension PredicateExpressions.Range: LowerableRange {
  fileprivate func bounds(in scope: PredicateScope, beside value: PredicateOperand) throws -> RangeBounds<SQLNode>? {
    RangeBounds(low: try scope.operand(lower).node(beside: value), high: try scope.operand(upper).node(beside: value))
  }
}

extension PredicateExpressions.ClosedRange: LowerableRange {
  fileprivate func bounds(in scope: PredicateScope, beside value: PredicateOperand) throws -> RangeBounds<SQLNode>? {
    RangeBounds(
      low: try scope.operand(lower).node(beside: value), high: try scope.operand(upper).node(beside: value),
      isClosed: true)
  }
}

extension PredicateExpressions.Value: LowerableRange {
  fileprivate func bounds(in scope: PredicateScope, beside value: PredicateOperand) throws -> RangeBounds<SQLNode>? {
    guard let bounds = (self.value as? any ConstantRange)?.bounds else { return nil }
    func node(_ end: Any) throws -> SQLNode {
      try PredicateOperand(scope.constant(end), constant: end).node(beside: value)
    }
    return RangeBounds(low: try bounds.low.map(node), high: try bounds.high.map(node), isClosed: bounds.isClosed)
  }
}

private protocol ConstantRange {
  var bounds: RangeBounds<Any> { get }
}

extension Range: ConstantRange {
  fileprivate var bounds: RangeBounds<Any> { RangeBounds(low: lowerBound, high: upperBound) }
}

extension ClosedRange: ConstantRange {
  fileprivate var bounds: RangeBounds<Any> { RangeBounds(low: lowerBound, high: upperBound, isClosed: true) }
}

extension PartialRangeFrom: ConstantRange {
  fileprivate var bounds: RangeBounds<Any> { RangeBounds(low: lowerBound) }
}

extension PartialRangeUpTo: ConstantRange {
  fileprivate var bounds: RangeBounds<Any> { RangeBounds(high: upperBound) }
}

extension PartialRangeThrough: ConstantRange {
  fileprivate var bounds: RangeBounds<Any> { RangeBounds(high: upperBound, isClosed: true) }
}
