public import Foundation

/// A query for rows of two models that a condition joins: ``Query/join(_:on:)``.
///
/// ```swift
/// let pairs = try await store.fetch(
///   Visit.join(Shop.self) { visit, shop in visit.place == shop.name }.where { visit, shop in shop.isOpen })
/// for (visit, shop) in pairs { … }
/// ```
///
/// A relationship needs no join: `$0.account.name` follows it, and `including` loads its rows.
public struct JoinedQuery<Left: Model, Right: Model, Output>: ValueQuery {
  public typealias Result = Output

  let source: JoinSource<Left, Right>
  /// The selected values; nil for the rows of both models.
  private let nodes: [SQLNode]?
  private let decoding: RowDecoding<Output>

  fileprivate init(
    _ source: JoinSource<Left, Right>, _ nodes: [SQLNode]?,
    _ decoding: RowDecoding<Output>
  ) {
    self.source = source
    self.nodes = nodes
    self.decoding = decoding
  }

  public var _statement: ValueStatement<Output> {
    ValueStatement(
      model: Left.self, nodes: nodes ?? [], write: { [source, nodes] in try source.write(nodes, &$0) },
      decoding: decoding)
  }
}

extension Model {
  /// Returns a query for every row of this model with each row of the other one that the condition joins to it.
  ///
  /// - Parameters:
  ///   - other: The other model, which may be the same one.
  ///   - condition: Returns the condition for the columns of both.
  /// - Returns: A query whose results are pairs of rows.
  public static func join<Other: Model>(
    _ other: Other.Type, on condition: (Columns, Other.Columns) -> some QueryExpressible<Bool>
  ) -> JoinedQuery<Self, Other, (Self, Other)> {
    all.join(other, on: condition)
  }

  /// Returns a query for every row of this model with each row of the other one that the condition joins to it, or nil
  /// if there is none.
  ///
  /// - Parameters:
  ///   - other: The other model, which may be the same one.
  ///   - condition: Returns the condition for the columns of both.
  /// - Returns: A query whose results are pairs of rows.
  public static func leftJoin<Other: Model>(
    _ other: Other.Type, on condition: (Columns, Other.Columns) -> some QueryExpressible<Bool>
  ) -> JoinedQuery<Self, Other, (Self, Other?)> {
    all.leftJoin(other, on: condition)
  }
}

extension Query {
  /// Returns a query for the rows of this one with each row of the other model that the condition joins to it.
  ///
  /// The condition should compare a column of the other model that has an index; otherwise the other table is read for
  /// each row. Rows that ``including(_:)`` names aren't loaded, and a query with a limit can't be joined.
  ///
  /// - Parameters:
  ///   - other: The other model, which may be the same one.
  ///   - condition: Returns the condition for the columns of both.
  /// - Returns: A query whose results are pairs of rows.
  public func join<Other: Model>(
    _ other: Other.Type, on condition: (M.Columns, Other.Columns) -> some QueryExpressible<Bool>
  ) -> JoinedQuery<M, Other, (M, Other)> {
    JoinedQuery(
      JoinSource(self, isLeft: false, condition), nil,
      RowDecoding { row in (try row.next(M.self), try row.next(Other.self)) })
  }

  /// Returns a query for the rows of this one with each row of the other model that the condition joins to it, or nil
  /// if there is none.
  ///
  /// - Parameters:
  ///   - other: The other model, which may be the same one.
  ///   - condition: Returns the condition for the columns of both.
  /// - Returns: A query whose results are pairs of rows.
  public func leftJoin<Other: Model>(
    _ other: Other.Type, on condition: (M.Columns, Other.Columns) -> some QueryExpressible<Bool>
  ) -> JoinedQuery<M, Other, (M, Other?)> {
    JoinedQuery(
      JoinSource(self, isLeft: true, condition), nil,
      RowDecoding { row in (try row.next(M.self), try row.nextOptional(Other.self)) })
  }
}

extension JoinedQuery {
  /// Returns the query for the pairs that also satisfy the condition.
  ///
  /// - Parameter condition: Returns the condition for the columns of both models. Where a left join found no row, the
  ///   other model's columns are nil.
  /// - Returns: A new query; this one doesn't change.
  public func `where`(
    _ condition: (Left.Columns, Right.Columns) -> some QueryExpressible<Bool>
  ) -> JoinedQuery {
    changing { source in
      let node = JoinSource<Left, Right>.columns { condition($0, $1).node }
      source.filter = source.filter.map { .and($0, node) } ?? node
    }
  }

  /// Returns the query, sorted by a value. Pairs that all sorts leave equal are in the order of both keys.
  ///
  /// - Parameters:
  ///   - order: `.forward`, the default, or `.reverse`.
  ///   - key: Returns the value to sort by, for the columns of both models.
  /// - Returns: A new query; this one doesn't change.
  public func sorted(
    order: SortOrder = .forward, by key: (Left.Columns, Right.Columns) -> some QueryExpressible
  ) -> JoinedQuery {
    changing { source in
      let node = JoinSource<Left, Right>.columns { key($0, $1).node.asValue }
      source.sorts.append(QuerySort(node: node, isDescending: order == .reverse))
    }
  }

  /// Returns the query with at most `limit` pairs, after skipping the first `offset`.
  ///
  /// - Parameters:
  ///   - limit: The largest number of pairs. A negative number is a programming error and traps.
  ///   - offset: The number of pairs to skip. Each of them is read.
  /// - Returns: A new query; this one doesn't change.
  public func limit(_ limit: Int, offset: Int = 0) -> JoinedQuery {
    precondition(limit >= 0 && offset >= 0, "a limit and an offset are not negative")
    return changing { ($0.limit, $0.offset) = (limit, offset) }
  }

  /// Returns the query for what the closure makes of each result.
  ///
  /// Call it last: a query that is selected from or grouped after it throws `.unsupported` when it is executed.
  ///
  /// - Parameter transform: Makes a result. What it throws ends the fetch.
  /// - Returns: A new query; this one doesn't change.
  public func map<Mapped>(
    _ transform: @escaping @Sendable (Output) throws -> Mapped
  ) -> JoinedQuery<Left, Right, Mapped> {
    var source = source
    source.isMapped = true
    return JoinedQuery<Left, Right, Mapped>(source, nodes, decoding.map(transform))
  }

  /// Returns the joined rows for a call that takes them, and not what `map` made of them.
  func unmapped(_ call: String) -> JoinSource<Left, Right> {
    var source = source
    if source.isMapped {
      source.failure = StoreError(
        .unsupported, model: "\(Left.self)", "\(call) takes the rows that are joined; call map after it")
    }
    return source
  }

  private func changing(_ change: (inout JoinSource<Left, Right>) -> Void) -> JoinedQuery {
    var source = source
    change(&source)
    return JoinedQuery(source, nodes, decoding)
  }
}

extension JoinedQuery where Output == (Left, Right) {
  /// Returns the query for some values of each pair, instead of both rows.
  ///
  /// - Parameter values: Returns the values for the columns of both models.
  /// - Returns: A query whose results are tuples of the values.
  public func select<each Value: QueryExpressible>(
    _ values: (Left.Columns, Right.Columns) -> (repeat each Value)
  ) -> JoinedQuery<Left, Right, (repeat (each Value).Output)> {
    let values = JoinSource<Left, Right>.columns { values($0, $1) }
    let expressions = (repeat (each values).expression)
    var nodes: [SQLNode] = []
    for expression in repeat each expressions { nodes.append(expression.node) }
    return JoinedQuery<Left, Right, (repeat (each Value).Output)>(
      unmapped("select"), nodes, RowDecoding(repeat (each expressions).coding.reader))
  }
}

extension JoinedQuery: CustomStringConvertible {
  /// The query as Swift that makes it: `Visit.all.join(Shop.self) { $0.place == $1.name }`. What `map` adds isn't shown.
  ///
  /// What has no short form in Swift appears as SQL. Don't parse the text; it may change.
  public var description: String { source.description(nodes) }
}

/// The joined tables, their condition and their order.
struct JoinSource<Left: Model, Right: Model>: Sendable {
  private let query: Query<Left>
  private let isLeft: Bool
  private let condition: SQLNode
  var filter: SQLNode?
  var sorts: [QuerySort] = []
  var limit: Int?
  var offset = 0
  /// Whether results are no longer the rows.
  var isMapped = false
  /// Why the query can't be executed.
  var failure: StoreError?

  /// The right table is named as the rows of a relationship are, one level deep.
  private static var depth: Int { 1 }

  init(
    _ query: Query<Left>, isLeft: Bool, _ condition: (Left.Columns, Right.Columns) -> some QueryExpressible<Bool>
  ) {
    self.query = query
    self.isLeft = isLeft
    self.condition = Self.columns { condition($0, $1).node }
  }

  /// Calls the closure with the columns of both tables.
  static func columns<Result>(_ body: (Left.Columns, Right.Columns) -> Result) -> Result {
    let right = ColumnScope.$current.withValue(.rows(depth)) { Right.Columns() }
    return RelatedRows.$depth.withValue(depth) { body(Left.columns, right) }
  }

  /// Writes values of the pairs as Swift.
  var swift: SwiftWriter {
    SwiftWriter { column in
      func property<M: Model>(_ model: M.Type) -> String? {
        M.schema.table == column.table ? M.schema.columns.first { $0.name == column.name }?.property : nil
      }
      return (column.source == .root ? property(Left.self) : property(Right.self)) ?? column.name
    }.joining()
  }

  func description(_ nodes: [SQLNode]?) -> String {
    let writer = swift
    var text = "\(query).\(isLeft ? "leftJoin" : "join")(\(Right.self).self) { \(writer.text(condition)) }"
    if let filter { text += ".where { \(writer.text(filter)) }" }
    for sort in sorts {
      text += ".sorted\(sort.isDescending ? "(order: .reverse)" : "") { \(writer.text(sort.node)) }"
    }
    text += SwiftWriter.limit(limit, offset)
    return text + (nodes.map { ".select { \(SwiftWriter.tuple($0.map(writer.text))) }" } ?? "")
  }

  /// - Parameter nodes: The values to select; nil for all columns of both tables.
  func write(_ nodes: [SQLNode]?, _ writer: inout SQLWriter) throws {
    try writer.qualifying { writer in
      try writePairs(nodes, &writer)
      try writeOrder(&writer)
    }
    guard limit != nil || offset > 0 else { return }
    writer.write(" LIMIT ")
    writer.bind(.integer(Int64(limit ?? -1)))
    writer.write(" OFFSET ")
    writer.bind(.integer(Int64(offset)))
  }

  /// Writes a statement for groups of the pairs.
  func write(_ nodes: [SQLNode], _ groups: GroupClause, _ writer: inout SQLWriter) throws {
    guard limit == nil, offset == 0 else {
      throw StoreError(
        .unsupported, model: "\(Left.self)",
        "pairs with a limit cannot be grouped; limit the groups instead: grouped(by:) { … }.limit(n)")
    }
    try writer.qualifying { writer in
      try writePairs(nodes, &writer)
      try groups.write(of: Left.self, to: &writer)
    }
  }

  /// Writes the values of the pairs, the tables and the conditions. The writer qualifies the names of columns.
  private func writePairs(_ nodes: [SQLNode]?, _ writer: inout SQLWriter) throws {
    if let failure { throw failure }
    guard query.limit == nil, query.offset == 0, query.cursor == nil else {
      throw StoreError(
        .unsupported, model: "\(Left.self)",
        "a query with a limit cannot be joined; limit the pairs instead: join(…) { … }.limit(n)")
    }
    let alias = SQLWriter.alias(ofRows: Self.depth)
    var query = query
    query.search?.isRanked = false
    writer.write("SELECT ")
    if let nodes {
      try writer.writeList(nodes)
    } else {
      let right = Right.schema.columns.map { "\(alias).\(Quoting.name($0.name))" }.joined(separator: ", ")
      writer.write("\(Left.schema.statements.qualifiedColumns), \(right)")
    }
    let join = " \(isLeft ? "LEFT " : "")JOIN \(Right.schema.statements.table) AS \(alias) ON "
    try query.writeSource(&writer) { writer in
      writer.write(join)
      try writer.write(condition)
    }
    guard let filter else { return }
    writer.write(query.filter == nil && query.search == nil ? " WHERE " : " AND ")
    try writer.write(filter)
  }

  private func writeOrder(_ writer: inout SQLWriter) throws {
    let sorts = query.sorts + sorts
    guard !sorts.isEmpty || limit != nil || offset > 0 else { return }
    writer.write(" ORDER BY ")
    for sort in sorts {
      try writer.writeOrdered(sort.node, sort.node.order)
      writer.write(sort.isDescending ? " DESC, " : ", ")
    }
    let keys = Right.schema.keyColumns.map { key in
      SQLNode.column(
        ColumnReference(
          table: Right.schema.table, name: key.name, type: key.type, source: .rows(Self.depth)))
    }
    try writer.writeOrderedList(Left.schema.keyNodes + keys)
  }
}
