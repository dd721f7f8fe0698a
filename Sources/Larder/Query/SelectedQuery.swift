public import Foundation

/// A query for some values of each row, instead of the whole row: ``Query/select(_:)``.
///
/// ```swift
/// let names = try await store.fetch(Trip.where { $0.isBooked }.select(\.name, \.startsAt))  // [(String, Date)]
/// let sizes = try await store.fetch(Trip.select { ($0.name, $0.stops.count) })  // [(String, Int)]
/// ```
///
/// Only the columns that are named are read. Fetch, observe and stream it like any other query.
public struct SelectedQuery<M: Model, Output>: ValueQuery {
  public typealias Result = Output

  @usableFromInline var rows: SelectedRows<M>
  @usableFromInline let decoding: RowDecoding<Output>

  @inlinable
  init<each Value>(_ query: Query<M>, _ values: repeat QueryExpression<each Value>)
  where Output == (repeat each Value) {
    self.init(SelectedRows(query, repeat each values), RowDecoding(repeat (each values).coding.reader))
  }

  @inlinable
  init(_ rows: SelectedRows<M>, _ decoding: RowDecoding<Output>) {
    self.rows = rows
    self.decoding = decoding
  }

  public var _statement: ValueStatement<Output> {
    ValueStatement(
      model: M.self, nodes: rows.nodes, write: { [rows] in try rows.write(&$0) }, decoding: decoding,
      areColumns: rows.nodes.allSatisfy { if case .column = $0 { true } else { false } })
  }
}

extension Model {
  /// Returns a query for some properties of every row: `Trip.select(\.name, \.startsAt)`.
  ///
  /// - Parameter paths: The properties, also those that are reached through a reference.
  /// - Returns: A query whose results are tuples of their values.
  @inlinable
  public static func select<each Value: QueryExpressible>(
    _ paths: repeat KeyPath<Columns, each Value>
  ) -> SelectedQuery<Self, (repeat (each Value).Output)> {
    all.select(repeat each paths)
  }

  /// Returns a query for values of every row: `Trip.select { ($0.name, $0.stops.count) }`.
  ///
  /// - Parameter values: Returns the values for the model's columns.
  /// - Returns: A query whose results are tuples of the values.
  @inlinable
  public static func select<each Value: QueryExpressible>(
    _ values: (Columns) -> (repeat each Value)
  ) -> SelectedQuery<Self, (repeat (each Value).Output)> {
    all.select(values)
  }
}

extension Query {
  /// Returns a query for some properties of the rows of this one.
  ///
  /// The rows that ``including(_:)`` names aren't loaded.
  ///
  /// - Parameter paths: The properties, also those that are reached through a reference.
  /// - Returns: A query whose results are tuples of their values.
  @inlinable
  public func select<each Value: QueryExpressible>(
    _ paths: repeat KeyPath<M.Columns, each Value>
  ) -> SelectedQuery<M, (repeat (each Value).Output)> {
    SelectedQuery(self, repeat M.columns[keyPath: each paths].expression)
  }

  /// Returns a query for values that are computed from the rows of this one.
  ///
  /// - Parameter values: Returns the values for the model's columns.
  /// - Returns: A query whose results are tuples of the values.
  @inlinable
  public func select<each Value: QueryExpressible>(
    _ values: (M.Columns) -> (repeat each Value)
  ) -> SelectedQuery<M, (repeat (each Value).Output)> {
    let values = values(M.columns)
    return SelectedQuery(self, repeat (each values).expression)
  }
}

// MARK: - Which rows

extension SelectedQuery {
  /// Returns the query for what the closure makes of the values, such as a struct of your own.
  ///
  /// ```swift
  /// Trip.select { ($0.name, $0.stops.count) }.map { Line(name: $0, stops: $1) }
  /// ```
  ///
  /// The closure runs in Swift, so ``distinct()`` looks at the values before it, and a union, `isIn` and SQL that get the
  /// mapped query throw ``StoreError`` `.unsupported`: map what they return.
  ///
  /// - Parameter transform: Makes a result of the values of a row. What it throws ends the fetch.
  /// - Returns: A new query; this one doesn't change.
  @inlinable
  @inline(__always)
  public func map<Mapped>(_ transform: @escaping @Sendable (Output) throws -> Mapped) -> SelectedQuery<M, Mapped> {
    SelectedQuery<M, Mapped>(rows.mapped, decoding.map(transform))
  }

  /// Returns the query without results that were there before: equal values are returned once.
  ///
  /// Values are equal as they are in a group. Without a sort the results are in the order of their values. Only
  /// selected values can be sorted by, because the others differ among equal results.
  ///
  /// - Returns: A new query; this one doesn't change.
  public func distinct() -> SelectedQuery {
    var query = self
    query.rows.isDistinct = true
    if rows.query.limit != nil || rows.query.offset > 0 {
      query.rows.query = rows.query.failing(
        StoreError(
          .unsupported, model: "\(M.self)",
          "distinct() doesn't apply to a query with a limit; limit its results instead: select(…).distinct().limit(n)"))
    }
    return query
  }

  /// Returns the query for the rows that also satisfy the condition.
  ///
  /// - Parameter condition: Returns the condition for the model's columns.
  /// - Returns: A new query; this one doesn't change.
  public func `where`(_ condition: (M.Columns) -> some QueryExpressible<Bool>) -> SelectedQuery {
    changing { $0.where(condition) }
  }

  /// Returns the query, sorted by a property or expression. See ``Query/sorted(by:order:)``.
  ///
  /// - Parameters:
  ///   - path: What to sort by, which need not be selected unless the results are ``distinct()``.
  ///   - order: `.forward`, the default, or `.reverse`.
  /// - Returns: A new query; this one doesn't change.
  public func sorted<Key: QueryExpressible>(
    by path: KeyPath<M.Columns, Key>, order: SortOrder = .forward
  ) -> SelectedQuery {
    changing { $0.sorted(by: path, order: order) }
  }

  /// Returns the query, sorted by a computed value. See ``Query/sorted(order:by:)``.
  ///
  /// - Parameters:
  ///   - order: `.forward`, the default, or `.reverse`.
  ///   - key: Returns the value to sort by.
  /// - Returns: A new query; this one doesn't change.
  public func sorted(order: SortOrder = .forward, by key: (M.Columns) -> some QueryExpressible) -> SelectedQuery {
    changing { $0.sorted(order: order, by: key) }
  }

  /// Returns the query with at most `limit` results, after skipping the first `offset`.
  ///
  /// - Parameters:
  ///   - limit: The largest number of results. A negative number is a programming error and traps.
  ///   - offset: The number of results to skip. Each of them is read.
  /// - Returns: A new query; this one doesn't change.
  public func limit(_ limit: Int, offset: Int = 0) -> SelectedQuery {
    changing { $0.limit(limit, offset: offset) }
  }

  private func changing(_ change: (Query<M>) -> Query<M>) -> SelectedQuery {
    var query = self
    query.rows.query = change(rows.query)
    return query
  }
}

// MARK: - The statement

/// The rows and values of a selection, without the types of the values.
@usableFromInline
struct SelectedRows<M: Model>: Sendable, Hashable {
  var query: Query<M>
  let nodes: [SQLNode]
  var isDistinct = false
  /// Whether a closure makes the results, which SQL can't call.
  private(set) var isMapped = false

  @usableFromInline
  var mapped: SelectedRows {
    var rows = self
    rows.isMapped = true
    return rows
  }

  /// The error of a use of the values themselves; nil if no closure changes them.
  func failure(of use: String) -> StoreError? {
    guard isMapped else { return nil }
    return StoreError(
      .unsupported, model: "\(M.self)",
      "\(use) uses the selected values as they are stored, and the closure of map(_:) would be left out. Select what is compared, such as $0.name.uppercased(), or map the results afterwards: a.union(b).map { … }"
    )
  }

  @usableFromInline
  init<each Value>(_ query: Query<M>, _ values: repeat QueryExpression<each Value>) {
    self.query = query
    var nodes: [SQLNode] = []
    for value in repeat each values { nodes.append(value.node) }
    self.nodes = nodes
  }

  /// Writes the whole statement.
  func write(_ writer: inout SQLWriter) throws {
    if query.cursor != nil, (nodes + query.sorts.map(\.node)).contains(where: \.hasWindow) {
      throw StoreError(
        .unsupported, model: "\(M.self)",
        "rank and runningSum would begin again after the row that after(_:) names. Take a page by limit(_:offset:), which counts among all rows."
      )
    }
    guard isDistinct else { return try query.writeSelect(&writer) { try $0.writeList(nodes) } }
    var query = query
    // The rank of single rows doesn't apply to results that stand for several.
    query.search?.isRanked = false
    for sort in query.sorts where !nodes.contains(sort.node) && !nodes.contains(where: { $0.asValue == sort.node }) {
      throw StoreError(
        .unsupported, model: "\(M.self)",
        "distinct() results are sorted by selected values. Select the value as well, or group the rows: grouped(by:)."
      )
    }
    writer.write("SELECT ")
    try writer.writeList(nodes)
    try query.writeSource(&writer)
    writer.write(" GROUP BY ")
    try writer.writeOrderedList(nodes)
    writer.write(" ORDER BY ")
    for sort in query.sorts {
      try writer.writeOrdered(sort.node, sort.node.order)
      writer.write(sort.isDescending ? " DESC, " : ", ")
    }
    try writer.writeOrderedList(nodes)
    query.writeLimit(&writer)
  }
}
