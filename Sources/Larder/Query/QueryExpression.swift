/// A type that has a value in each row: a ``Column``, or an expression of columns.
public protocol QueryExpressible<Output>: Sendable {
  /// The type of the value.
  associatedtype Output

  /// The value as an expression, as operators and functions use it.
  var expression: QueryExpression<Output> { get }
}

/// A value that the database computes in each row, such as `$0.price * 2` or `$0.title.length`.
public struct QueryExpression<Output>: QueryExpressible {
  let node: SQLNode
  @usableFromInline let coding: ColumnCoding<Output>

  init(node: SQLNode, coding: ColumnCoding<Output>) {
    self.node = node.limited
    self.coding = coding
  }

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
    QueryExpression(
      node: scope.node(for: ColumnReference(table: Root.schema.table, name: name, type: coding.type)), coding: coding)
  }
}

extension QueryExpressible {
  var node: SQLNode { expression.node }

  /// Returns the constant in the form in which the expression's columns store it; an error if it can't be stored.
  func node(for value: Output?) -> SQLNode {
    guard let value else { return .value(.null) }
    let expression = expression
    do {
      if let json = try expression.coding.unordered?(value) { return .unorderedJSON(json) }
      return .value(try expression.coding.encode(value))
    } catch let failure as ValueFailure {
      return .invalid(StoreError(failure, model: nil, property: node.columnName))
    } catch {
      return .invalid(StoreError(.invalidValue, "the value cannot be stored: \(error)"))
    }
  }
}
