public import Foundation

/// A query whose rows are grouped: each result is one group. Fetch it like any other query.
public struct GroupedQuery<M: Model, Key: Sendable, Output>: ValueQuery {
  public typealias Result = Output

  let query: Query<M>
  private let group: Group<M, Key>
  /// The selected values.
  let nodes: [SQLNode]
  private let decoding: RowDecoding<Output>
  private(set) var groups: GroupClause

  init<each Value>(_ query: Query<M>, _ keys: [SQLNode], _ key: Key, _ values: repeat QueryExpression<each Value>)
  where Output == (repeat each Value) {
    self.query = query
    groups = GroupClause(keys: keys)
    group = Group(key: key)
    var nodes: [SQLNode] = []
    for value in repeat each values { nodes.append(value.node) }
    self.nodes = nodes
    decoding = RowDecoding(repeat (each values).coding.reader)
  }

  /// Creates a query for the groups of another one, with other results.
  private init<Other>(_ other: GroupedQuery<M, Key, Other>, _ decoding: RowDecoding<Output>) {
    (query, groups, group, nodes) = (other.query, other.groups, other.group, other.nodes)
    self.decoding = decoding
  }

  public var _statement: ValueStatement<Output> {
    ValueStatement(model: M.self, nodes: nodes, write: { try select(&$0) }, decoding: decoding)
  }

  /// Returns the query for what the closure makes of the values of each group, such as a struct of your own.
  ///
  /// - Parameter transform: Makes a result of the values of a group. What it throws ends the fetch.
  /// - Returns: A new query; this one doesn't change.
  public func map<Mapped>(
    _ transform: @escaping @Sendable (Output) throws -> Mapped
  ) -> GroupedQuery<M, Key, Mapped> {
    GroupedQuery<M, Key, Mapped>(self, decoding.map(transform))
  }

  /// Returns a query for the groups that satisfy the condition.
  ///
  /// - Parameter condition: Returns the condition for a group.
  /// - Returns: A new query; this one doesn't change.
  public func having(_ condition: (Group<M, Key>) -> some QueryExpressible<Bool>) -> GroupedQuery {
    changing { $0.addCondition(condition(group).node) }
  }

  /// Returns the query with sorted groups. Without a sort they are in the order of their keys.
  ///
  /// - Parameters:
  ///   - order: `.forward`, the default, or `.reverse`.
  ///   - value: Returns the value to sort by.
  /// - Returns: A new query; this one doesn't change.
  public func sorted(order: SortOrder = .forward, by value: (Group<M, Key>) -> some QueryExpressible) -> GroupedQuery {
    changing { $0.sorts.append(QuerySort(node: value(group).node.asValue, isDescending: order == .reverse)) }
  }

  /// Returns the query with at most `limit` groups, after skipping the first `offset`.
  ///
  /// - Parameters:
  ///   - limit: The largest number of groups. A negative number is a programming error and traps.
  ///   - offset: The number of groups to skip.
  /// - Returns: A new query; this one doesn't change.
  public func limit(_ limit: Int, offset: Int = 0) -> GroupedQuery {
    changing { $0.limit(to: limit, offset: offset) }
  }

  private func changing(_ change: (inout GroupClause) -> Void) -> GroupedQuery {
    var query = self
    change(&query.groups)
    return query
  }

  private func select(_ writer: inout SQLWriter) throws {
    guard query.limit == nil, query.offset == 0, query.cursor == nil else {
      throw StoreError(
        .unsupported, model: "\(M.self)",
        "a query with a limit cannot be grouped; limit the groups instead: grouped(by:) { … }.limit(n)")
    }
    // The rank of single rows doesn't apply to groups.
    var query = query
    query.search?.isRanked = false
    writer.write("SELECT ")
    try writer.writeList(nodes)
    try query.writeSource(&writer)
    try groups.write(of: M.self, to: &writer)
  }
}

extension Query {
  /// Groups the rows by a property, and selects values of each group.
  ///
  /// ```swift
  /// let totals = try await store.fetch(Cost.all.grouped(by: \.category) { ($0.key, $0.sum(\.amount), $0.count) })
  /// for (category, total, count) in totals { … }
  /// ```
  ///
  /// - Parameters:
  ///   - path: The property to group by.
  ///   - outputs: Returns a tuple of expressions for a group.
  /// - Returns: A query whose results are tuples, one for each group.
  public func grouped<Key: QueryExpressible, each Output>(
    by path: KeyPath<M.Columns, Key>,
    _ outputs: (Group<M, QueryExpression<Key.Output>>) -> (repeat QueryExpression<each Output>)
  ) -> GroupedQuery<M, QueryExpression<Key.Output>, (repeat each Output)> {
    grouped(M.columns[keyPath: path].expression, outputs)
  }

  /// Groups the rows by a computed value, and selects values of each group.
  ///
  /// ```swift
  /// let months = Cost.all.grouped(by: { $0.date.month(in: .gmt) }) { ($0.key, $0.sum(\.amount)) }
  /// ```
  ///
  /// - Parameters:
  ///   - key: Returns the value to group by.
  ///   - outputs: Returns a tuple of expressions for a group.
  /// - Returns: A query whose results are tuples, one for each group.
  // A tuple of several keys with one element is another type to the compiler, on which the key's functions are missing.
  public func grouped<Key: QueryExpressible, each Output>(
    by key: (M.Columns) -> Key,
    _ outputs: (Group<M, QueryExpression<Key.Output>>) -> (repeat QueryExpression<each Output>)
  ) -> GroupedQuery<M, QueryExpression<Key.Output>, (repeat each Output)> {
    grouped(key(M.columns).expression, outputs)
  }

  /// Groups the rows by several computed values, and selects values of each group.
  ///
  /// ```swift
  /// let both = Cost.all.grouped(by: { ($0.date.year(in: .gmt), $0.category) }) { ($0.key.0, $0.key.1, $0.count) }
  /// ```
  ///
  /// - Parameters:
  ///   - keys: Returns a tuple of the values to group by; the group's ``Group/key`` is a tuple as well.
  ///   - outputs: Returns a tuple of expressions for a group.
  /// - Returns: A query whose results are tuples, one for each group.
  public func grouped<each Key: QueryExpressible, each Output>(
    by keys: (M.Columns) -> (repeat each Key),
    _ outputs: (Group<M, (repeat QueryExpression<(each Key).Output>)>) -> (repeat QueryExpression<each Output>)
  ) -> GroupedQuery<M, (repeat QueryExpression<(each Key).Output>), (repeat each Output)> {
    let keys = keys(M.columns)
    return grouped((repeat (each keys).expression), outputs)
  }

  private func grouped<each Key, each Output>(
    _ keys: (repeat QueryExpression<each Key>),
    _ outputs: (Group<M, (repeat QueryExpression<each Key>)>) -> (repeat QueryExpression<each Output>)
  ) -> GroupedQuery<M, (repeat QueryExpression<each Key>), (repeat each Output)> {
    var nodes: [SQLNode] = []
    for key in repeat each keys { nodes.append(key.node) }
    let selected = outputs(Group(key: keys))
    return GroupedQuery(self, nodes, keys, repeat each selected)
  }
}
