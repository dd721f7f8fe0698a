/// Something that has a value in each row: a ``Column``, or what operators and functions make of columns.
public protocol QueryExpressible<Output>: Sendable {
  /// The type of the value.
  associatedtype Output

  /// The value as the operators and functions of queries take it.
  var expression: QueryExpression<Output> { get }
}

/// A value that the database computes in each row, such as `$0.price * 2` or `$0.title.length`.
public struct QueryExpression<Output>: QueryExpressible {
  let node: SQLNode
  let coding: ColumnCoding<Output>

  /// The expression itself.
  public var expression: QueryExpression<Output> { self }
}

extension QueryExpression: Equatable, Hashable {
  public static func == (left: QueryExpression, right: QueryExpression) -> Bool { left.node == right.node }

  public func hash(into hasher: inout Hasher) { hasher.combine(node) }
}

extension Column: QueryExpressible {
  /// The column's value in each row.
  public var expression: QueryExpression<Output> {
    QueryExpression(node: .column(table: Root.schema.table, name: name, type: coding.type), coding: coding)
  }
}

extension QueryExpressible {
  var node: SQLNode { expression.node }

  /// The value as the expression's columns store it; an error where it cannot be stored.
  func node(for value: Output?) -> SQLNode {
    guard let value else { return .value(.null) }
    do {
      return .value(try expression.coding.encode(value))
    } catch let failure as ValueFailure {
      return .invalid(StoreError(failure, model: nil, property: node.columnName))
    } catch {
      return .invalid(StoreError(.invalidValue, "the value cannot be stored: \(error)"))
    }
  }
}

extension SQLNode {
  var columnName: String? {
    if case .column(_, let name, _) = self { name } else { nil }
  }

  /// A comparison; with NULL on a side, the question whether the other is NULL.
  static func compare(_ op: ComparisonOperator, _ left: SQLNode, _ right: SQLNode) -> SQLNode {
    switch (op, left, right) {
    case (.equal, .value(.null), let other), (.equal, let other, .value(.null)): return .isNull(other)
    case (.notEqual, .value(.null), let other), (.notEqual, let other, .value(.null)): return .not(.isNull(other))
    default: return .comparison(op, left, right, left.order == .stored ? right.order : left.order)
    }
  }
}
