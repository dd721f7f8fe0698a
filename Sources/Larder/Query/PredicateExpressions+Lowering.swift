import Foundation

extension PredicateExpressions.Variable: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    switch scope.variables[key] {
    case .row(let model): PredicateOperand(.value(.null), row: model)
    case .element(let node): PredicateOperand(node)
    case nil: throw scope.unsupported("variable of an outer predicate")
    }
  }
}

extension PredicateExpressions.KeyPath: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let base = try scope.operand(root)
    if let model = base.row { return try Self.column(at: keyPath, of: model, in: scope) }
    if let embedded = base.embedded, let path = embedded.path.appending(path: keyPath) {
      return try Self.column(at: path, of: embedded.model, in: scope)
    }
    switch kind {
    case .collectionCount where base.column?.type.isJSON == true: return PredicateOperand(.jsonCount(base.node))
    case .collectionCount: return PredicateOperand(.function("larder_count", [base.node]))
    case .collectionIsEmpty where base.column?.type.isJSON == true:
      return PredicateOperand(.compare(.equal, .jsonCount(base.node), .value(.integer(0))))
    case .collectionIsEmpty: return PredicateOperand(.compare(.equal, base.node, .value(.text(""))))
    case .collectionFirst where base.column?.type.isJSON == true: return PredicateOperand(.json(base.node, path: [.index(0)]))
    default: throw scope.unsupported("key path \(keyPath)")
    }
  }

  private static func column(at path: AnyKeyPath, of model: any Model.Type, in scope: PredicateScope) throws -> PredicateOperand {
    func find<M: Model>(_ model: M.Type) -> PredicateOperand? {
      M.schema.column(at: path).map { PredicateOperand(.column(table: M.schema.table, name: $0.name, type: $0.type), column: $0) }
    }
    if let operand = find(model) { return operand }
    // A path to an embedded struct: what follows it names the column.
    guard Swift.type(of: path).valueType is any Embeddable.Type else { throw scope.unsupported("key path \(path), which is not a stored property,") }
    return PredicateOperand(.value(.null), embedded: (model, path))
  }
}

extension PredicateExpressions.Value: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let node: SQLNode =
      if let stored = value as? any StoredValue {
        .bound(stored)
      } else if let raw = value as? any RawRepresentable, let stored = raw.rawValue as? any StoredValue {
        .bound(stored)
      } else {
        .value(.null)
      }
    return PredicateOperand(node, constant: value)
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
    PredicateOperand(.binary(.and, try scope.node(lhs), try scope.node(rhs)))
  }
}

extension PredicateExpressions.Disjunction: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    PredicateOperand(.binary(.or, try scope.node(lhs), try scope.node(rhs)))
  }
}

extension PredicateExpressions.Negation: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand { PredicateOperand(.not(try scope.node(wrapped))) }
}

extension PredicateExpressions.UnaryMinus: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let node = try scope.node(wrapped)
    return PredicateOperand(node.order == .decimal ? .function("larder_decimal_negate", [node]) : .negate(node))
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
    return PredicateOperand(.arithmetic(operation, left, right))
  }
}

extension PredicateExpressions.IntDivision: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let (left, right) = try scope.pair(lhs, rhs)
    return PredicateOperand(.binary(.divide, left, right))
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
    return PredicateOperand(.arithmetic(.divide, left, right))
  }
}

extension PredicateExpressions.Conditional: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let (whenTrue, whenFalse) = try scope.pair(trueBranch, falseBranch)
    return PredicateOperand(.condition([.init(condition: try scope.node(test), result: whenTrue)], otherwise: whenFalse))
  }
}

extension PredicateExpressions.NilCoalesce: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let (left, right) = try scope.pair(lhs, rhs)
    return PredicateOperand(.function("coalesce", [left, right]), column: try scope.operand(lhs).column)
  }
}

extension PredicateExpressions.OptionalFlatMap: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let base = try scope.operand(wrapped)
    var inner = scope
    inner.variables[variable.key] = .element(base.node)
    return try inner.operand(transform)
  }
}

extension PredicateExpressions.ForcedUnwrap: LowerablePredicateExpression {
  /// A row whose value is nil does not match, where Swift would trap.
  func lower(in scope: PredicateScope) throws -> PredicateOperand { try scope.operand(inner) }
}

extension PredicateExpressions.ClosedRange: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand { throw scope.unsupported("range outside contains") }
}

extension PredicateExpressions.RangeExpressionContains: LowerablePredicateExpression {
  func lower(in scope: PredicateScope) throws -> PredicateOperand {
    let value = try scope.operand(element)
    guard let bounds = try (range as? any LowerableRange)?.bounds(in: scope, beside: value) else { throw scope.unsupported("range") }
    return PredicateOperand(
      .binary(.and, .compare(.greaterOrEqual, value.node, bounds.low), .compare(bounds.isClosed ? .lessOrEqual : .less, value.node, bounds.high)))
  }
}

/// A range whose ends are expressions or constants.
private protocol LowerableRange {
  func bounds(in scope: PredicateScope, beside value: PredicateOperand) throws -> (low: SQLNode, high: SQLNode, isClosed: Bool)?
}

extension PredicateExpressions.Range: LowerableRange {
  fileprivate func bounds(in scope: PredicateScope, beside value: PredicateOperand) throws -> (low: SQLNode, high: SQLNode, isClosed: Bool)? {
    (try scope.operand(lower).node(beside: value), try scope.operand(upper).node(beside: value), false)
  }
}

extension PredicateExpressions.ClosedRange: LowerableRange {
  fileprivate func bounds(in scope: PredicateScope, beside value: PredicateOperand) throws -> (low: SQLNode, high: SQLNode, isClosed: Bool)? {
    (try scope.operand(lower).node(beside: value), try scope.operand(upper).node(beside: value), true)
  }
}

extension PredicateExpressions.Value: LowerableRange {
  fileprivate func bounds(in scope: PredicateScope, beside value: PredicateOperand) throws -> (low: SQLNode, high: SQLNode, isClosed: Bool)? {
    guard let range = self.value as? any ConstantRange else { return nil }
    let (low, high, isClosed) = range.ends
    let column = PredicateOperand(value.node, column: value.column)
    func node(_ end: Any) throws -> SQLNode {
      let stored = (end as? any StoredValue).map { SQLNode.bound($0) } ?? .value(.null)
      return try PredicateOperand(stored, constant: end).node(beside: column)
    }
    return (try node(low), try node(high), isClosed)
  }
}

private protocol ConstantRange {
  var ends: (Any, Any, Bool) { get }
}

extension Range: ConstantRange {
  fileprivate var ends: (Any, Any, Bool) { (lowerBound, upperBound, false) }
}

extension ClosedRange: ConstantRange {
  fileprivate var ends: (Any, Any, Bool) { (lowerBound, upperBound, true) }
}
