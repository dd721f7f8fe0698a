public import Foundation

/// A query whose joined rows are grouped: each result is one group. Fetch it like any other query.
public struct JoinedGroups<Left: Model, Right: Model, Key: Sendable, Output>: ValueQuery {
  public typealias Result = Output

  private let source: JoinSource<Left, Right>
  private let group: JoinedGroup<Left, Right, Key>
  /// The selected values.
  private let nodes: [SQLNode]
  private let decoding: RowDecoding<Output>
  private var groups: GroupClause

  fileprivate init<each Value>(
    _ source: JoinSource<Left, Right>, _ keys: [SQLNode], _ group: JoinedGroup<Left, Right, Key>,
    _ values: repeat QueryExpression<each Value>
  ) where Output == (repeat each Value) {
    self.source = source
    self.group = group
    groups = GroupClause(keys: keys)
    var nodes: [SQLNode] = []
    for value in repeat each values { nodes.append(value.node) }
    self.nodes = nodes
    decoding = RowDecoding(repeat (each values).coding.reader)
  }

  /// Creates a query for the groups of another one, with other results.
  private init<Other>(_ other: JoinedGroups<Left, Right, Key, Other>, _ decoding: RowDecoding<Output>) {
    (source, group, nodes, groups) = (other.source, other.group, other.nodes, other.groups)
    self.decoding = decoding
  }

  public var _statement: ValueStatement<Output> {
    ValueStatement(
      model: Left.self, nodes: nodes, write: { [source, nodes, groups] in try source.write(nodes, groups, &$0) },
      decoding: decoding)
  }

  /// Returns a query for the groups that satisfy the condition.
  ///
  /// - Parameter condition: Returns the condition for a group.
  /// - Returns: A new query; this one doesn't change.
  public func having(_ condition: (JoinedGroup<Left, Right, Key>) -> some QueryExpressible<Bool>) -> JoinedGroups {
    changing { groups in groups.addCondition(JoinSource<Left, Right>.columns { _, _ in condition(group).node }) }
  }

  /// Returns the query with sorted groups. Without a sort they are in the order of their keys.
  ///
  /// - Parameters:
  ///   - order: `.forward`, the default, or `.reverse`.
  ///   - value: Returns the value to sort by.
  /// - Returns: A new query; this one doesn't change.
  public func sorted(
    order: SortOrder = .forward, by value: (JoinedGroup<Left, Right, Key>) -> some QueryExpressible
  ) -> JoinedGroups {
    let node = JoinSource<Left, Right>.columns { _, _ in value(group).node.asValue }
    return changing { $0.sorts.append(QuerySort(node: node, isDescending: order == .reverse)) }
  }

  /// Returns the query with at most `limit` groups, after skipping the first `offset`.
  ///
  /// - Parameters:
  ///   - limit: The largest number of groups. A negative number is a programming error and traps.
  ///   - offset: The number of groups to skip.
  /// - Returns: A new query; this one doesn't change.
  public func limit(_ limit: Int, offset: Int = 0) -> JoinedGroups {
    changing { $0.limit(to: limit, offset: offset) }
  }

  /// Returns the query for what the closure makes of the values of each group, such as a struct of your own.
  ///
  /// - Parameter transform: Makes a result of the values of a group. What it throws ends the fetch.
  /// - Returns: A new query; this one doesn't change.
  public func map<Mapped>(
    _ transform: @escaping @Sendable (Output) throws -> Mapped
  ) -> JoinedGroups<Left, Right, Key, Mapped> {
    JoinedGroups<Left, Right, Key, Mapped>(self, decoding.map(transform))
  }

  private func changing(_ change: (inout GroupClause) -> Void) -> JoinedGroups {
    var query = self
    change(&query.groups)
    return query
  }
}

extension JoinedGroups: CustomStringConvertible {
  /// The query as Swift that makes it. What `map` adds isn't shown.
  ///
  /// What has no short form in Swift appears as SQL. Don't parse the text; it may change.
  public var description: String {
    let writer = source.swift.grouping(by: groups.keys)
    let keys = SwiftWriter.tuple(groups.keys.map(source.swift.text))
    let values = SwiftWriter.tuple(nodes.map(writer.text))
    return "\(source.description(nil)).grouped(by: { \(keys) }) { \(values) }\(groups.description(writer))"
  }
}

extension JoinedQuery where Output == (Left, Right) {
  /// Groups the pairs by computed values, and selects values of each group.
  ///
  /// ```swift
  /// let perTag = Invoice.join(Tag.self) { invoice, tag in invoice.tags.contains { $0.id == tag.id } }
  ///   .grouped(by: { invoice, tag in (invoice.date.month(in: .gmt), tag.name) }) {
  ///     ($0.key.0, $0.key.1, $0.sum { invoice, _ in invoice.total })
  ///   }
  /// ```
  ///
  /// - Parameters:
  ///   - keys: Returns the value to group by, or a tuple of them; the group's ``JoinedGroup/key`` is the same.
  ///   - outputs: Returns a tuple of expressions for a group.
  /// - Returns: A query whose results are tuples, one for each group.
  public func grouped<each Key: QueryExpressible, each Value>(
    by keys: (Left.Columns, Right.Columns) -> (repeat each Key),
    _ outputs: (JoinedGroup<Left, Right, (repeat QueryExpression<(each Key).Output>)>) -> (
      repeat QueryExpression<each Value>
    )
  ) -> JoinedGroups<Left, Right, (repeat QueryExpression<(each Key).Output>), (repeat each Value)> {
    let keys = JoinSource<Left, Right>.columns { keys($0, $1) }
    let expressions = (repeat (each keys).expression)
    var nodes: [SQLNode] = []
    for expression in repeat each expressions { nodes.append(expression.node) }
    let group = JoinedGroup<Left, Right, (repeat QueryExpression<(each Key).Output>)>(key: expressions)
    let selected = JoinSource<Left, Right>.columns { _, _ in outputs(group) }
    return JoinedGroups(unmapped("grouped"), nodes, group, repeat each selected)
  }

  /// Groups the pairs by a computed value, and selects values of each group.
  ///
  /// - Parameters:
  ///   - key: Returns the value to group by.
  ///   - outputs: Returns a tuple of expressions for a group.
  /// - Returns: A query whose results are tuples, one for each group.
  // A tuple of several keys with one element is another type to the compiler, on which the key's functions are missing.
  public func grouped<Key: QueryExpressible, each Value>(
    by key: (Left.Columns, Right.Columns) -> Key,
    _ outputs: (JoinedGroup<Left, Right, QueryExpression<Key.Output>>) -> (repeat QueryExpression<each Value>)
  ) -> JoinedGroups<Left, Right, QueryExpression<Key.Output>, (repeat each Value)> {
    let key = JoinSource<Left, Right>.columns { key($0, $1).expression }
    let group = JoinedGroup<Left, Right, QueryExpression<Key.Output>>(key: key)
    let selected = JoinSource<Left, Right>.columns { _, _ in outputs(group) }
    return JoinedGroups(unmapped("grouped"), [key.node], group, repeat each selected)
  }
}

/// The joined rows of one group, as passed to the closure of `grouped` of a ``JoinedQuery``.
public struct JoinedGroup<Left: Model, Right: Model, Key: Sendable>: Sendable {
  /// The value that the pairs of the group share; a tuple if they are grouped by several: `$0.key.0`.
  public let key: Key
  /// The condition of the pairs that count; nil if all do.
  private let condition: SQLNode?

  init(key: Key) {
    self.init(key: key, condition: nil)
  }

  private init(key: Key, condition: SQLNode?) {
    (self.key, self.condition) = (key, condition)
  }

  /// The number of pairs.
  public var count: QueryExpression<Int> { condition.map { .count(where: $0) } ?? .rowCount }

  /// The group without the pairs that don't satisfy the condition: `$0.where { cost, _ in cost.isPaid }.sum { cost, _ in cost.amount }`.
  ///
  /// The group is there even if no pair is left.
  ///
  /// - Parameter condition: Returns the condition, for the columns of both models.
  /// - Returns: A group whose numbers, sums and other values are those of some of its pairs.
  public func `where`(
    _ condition: (Left.Columns, Right.Columns) -> some QueryExpressible<Bool>
  ) -> JoinedGroup {
    let node = JoinSource<Left, Right>.columns { condition($0, $1).node }
    return JoinedGroup(key: key, condition: self.condition.map { .and($0, node) } ?? node)
  }

  /// The number of pairs that satisfy a condition.
  ///
  /// - Parameter condition: Returns the condition, for the columns of both models.
  /// - Returns: An expression of the number.
  public func count(
    _ condition: (Left.Columns, Right.Columns) -> some QueryExpressible<Bool>
  ) -> QueryExpression<Int> {
    self.where(condition).count
  }

  /// The number of pairs in which a value isn't nil.
  ///
  /// - Parameter value: Returns the value, for the columns of both models.
  /// - Returns: An expression of the number.
  public func count(_ value: (Left.Columns, Right.Columns) -> some QueryExpressible) -> QueryExpression<Int> {
    QueryExpression(node: .aggregate(.count, expression(value).node.asValue, .stored), coding: .stored)
  }

  /// The number of different values, without nil.
  ///
  /// - Parameter value: Returns the value, for the columns of both models.
  /// - Returns: An expression of the number.
  // A closure without its label counts all values.
  @_disfavoredOverload
  public func count(
    distinct value: (Left.Columns, Right.Columns) -> some QueryExpressible
  ) -> QueryExpression<Int> {
    let node = expression(value).node
    return QueryExpression(node: .aggregate(.distinctCount, node.asValue, node.order), coding: .stored)
  }

  /// The sum of a value, or zero if there are no pairs.
  ///
  /// - Parameter value: Returns the value, for the columns of both models.
  /// - Returns: An expression.
  public func sum<Output: QueryNumber & AdditiveArithmetic>(
    _ value: (Left.Columns, Right.Columns) -> some QueryExpressible<Output>
  ) -> QueryExpression<Output> {
    .sum(expression(value))
  }

  /// The sum of a value of a small integer type, as an `Int`.
  ///
  /// - Parameter value: Returns the value, for the columns of both models.
  /// - Returns: An expression.
  public func sum<Output: QuerySmallInteger>(
    _ value: (Left.Columns, Right.Columns) -> some QueryExpressible<Output>
  ) -> QueryExpression<Int> {
    .sum(expression(value))
  }

  /// The mean of a value as a real number, or nil if every value is nil.
  ///
  /// - Parameter value: Returns the value, for the columns of both models.
  /// - Returns: An expression.
  public func average<Input: QueryExpressible>(
    _ value: (Left.Columns, Right.Columns) -> Input
  ) -> QueryExpression<Double?> where Input.Output: QueryNumber {
    .average(expression(value))
  }

  /// The least value.
  ///
  /// - Parameter value: Returns the value, for the columns of both models.
  /// - Returns: An expression.
  public func min<Input: QueryExpressible>(
    _ value: (Left.Columns, Right.Columns) -> Input
  ) -> QueryExpression<Input.Output?> {
    .extreme(.min, expression(value))
  }

  /// The least of a value that may be nil, ignoring nil; nil if every value is nil.
  ///
  /// - Parameter value: Returns the value, for the columns of both models.
  /// - Returns: An expression.
  public func min<Input: QueryExpressible, Output>(
    _ value: (Left.Columns, Right.Columns) -> Input
  ) -> QueryExpression<Output?> where Input.Output == Output? {
    .optionalExtreme(.min, expression(value))
  }

  /// The greatest value.
  ///
  /// - Parameter value: Returns the value, for the columns of both models.
  /// - Returns: An expression.
  public func max<Input: QueryExpressible>(
    _ value: (Left.Columns, Right.Columns) -> Input
  ) -> QueryExpression<Input.Output?> {
    .extreme(.max, expression(value))
  }

  /// The greatest of a value that may be nil, ignoring nil; nil if every value is nil.
  ///
  /// - Parameter value: Returns the value, for the columns of both models.
  /// - Returns: An expression.
  public func max<Input: QueryExpressible, Output>(
    _ value: (Left.Columns, Right.Columns) -> Input
  ) -> QueryExpression<Output?> where Input.Output == Output? {
    .optionalExtreme(.max, expression(value))
  }

  /// Returns a value that is nil in the pairs that don't count.
  private func expression<Input: QueryExpressible>(
    _ value: (Left.Columns, Right.Columns) -> Input
  ) -> QueryExpression<Input.Output> {
    let expression = JoinSource<Left, Right>.columns { value($0, $1).expression }
    guard let condition else { return expression }
    let node = SQLNode.condition(
      [SQLNode.Branch(condition: condition, result: expression.node.asValue)], otherwise: .value(.null))
    return QueryExpression(node: node, coding: expression.coding)
  }
}
