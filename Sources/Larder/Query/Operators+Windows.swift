public import Foundation

// Values that depend on the other rows of the query. SQLite computes them after the conditions, so they can be selected
// and sorted by, but not compared in `where`.

// Not for references: a method of theirs would hide a property of that name of the other model.
extension QueryExpressible where Output: StoredValue {
  /// The row's rank by this value among the rows of the query: one more than the number of rows before it.
  ///
  /// ```swift
  /// Product.select { ($0.name, $0.price.rank(.reverse)) }
  /// ```
  ///
  /// Equal values have the same rank, and the next one skips theirs: 1, 2, 2, 4.
  ///
  /// - Parameter order: `.forward`, the default, in which the least value has rank 1, or `.reverse`.
  /// - Returns: An expression for selections and sorts.
  public func rank(_ order: SortOrder = .forward) -> QueryExpression<Int> {
    window(.rank, order, within: nil)
  }

  /// The row's rank by this value among the rows of the query that share another value.
  ///
  /// ```swift
  /// Product.select { ($0.name, $0.price.rank(.reverse, within: $0.category)) }
  /// ```
  ///
  /// - Parameters:
  ///   - order: `.forward`, in which the least value has rank 1, or `.reverse`.
  ///   - partition: The value that the ranked rows share.
  /// - Returns: An expression for selections and sorts.
  public func rank(_ order: SortOrder = .forward, within partition: some QueryExpressible) -> QueryExpression<Int> {
    window(.rank, order, within: partition.node)
  }

  private func window(
    _ kind: WindowFunction.Kind, _ order: SortOrder, within partition: SQLNode?
  ) -> QueryExpression<Int> {
    QueryExpression(
      node: .window(
        WindowFunction(kind: kind, order: node.asValue, isDescending: order == .reverse, partition: partition?.asValue)),
      coding: .stored)
  }
}

extension QueryExpressible where Output: QueryNumber & AdditiveArithmetic {
  /// The sum of this value over the rows of the query up to this one, in the order of another value.
  ///
  /// ```swift
  /// Booking.select { ($0.date, $0.minutes.runningSum(by: $0.date)) }
  /// ```
  ///
  /// Rows that are equal in that order have the same sum, which includes all of them; sort by something unique, such as
  /// the key, to tell them apart. Sums of `Decimal` are exact.
  ///
  /// - Parameters:
  ///   - key: The value that orders the rows.
  ///   - order: `.forward`, the default, or `.reverse`.
  /// - Returns: An expression for selections and sorts.
  public func runningSum(by key: some QueryExpressible, order: SortOrder = .forward) -> QueryExpression<Output> {
    runningSum(by: key.node, order, within: nil)
  }

  /// The sum of this value over the rows of the query up to this one that share another value.
  ///
  /// - Parameters:
  ///   - key: The value that orders the rows.
  ///   - order: `.forward`, the default, or `.reverse`.
  ///   - partition: The value that the summed rows share.
  /// - Returns: An expression for selections and sorts.
  public func runningSum(
    by key: some QueryExpressible, order: SortOrder = .forward, within partition: some QueryExpressible
  ) -> QueryExpression<Output> {
    runningSum(by: key.node, order, within: partition.node)
  }

  private func runningSum(by key: SQLNode, _ order: SortOrder, within partition: SQLNode?) -> QueryExpression<Output> {
    QueryExpression(
      node: .window(
        WindowFunction(
          kind: .sum, argument: node, order: key.asValue, isDescending: order == .reverse, partition: partition?.asValue
        )),
      coding: expression.coding)
  }
}

extension SQLWriter {
  mutating func write(_ window: WindowFunction) throws {
    write(window.resultOrder == .decimal ? "larder_decimal_sum(" : "\(window.kind.rawValue)(")
    if let argument = window.argument { try write(argument) }
    write(") OVER (")
    if let partition = window.partition {
      write("PARTITION BY ")
      try writeOrdered(partition, partition.order)
      write(" ")
    }
    write("ORDER BY ")
    try writeOrdered(window.order, window.order.order)
    write(window.isDescending ? " DESC)" : ")")
  }
}
