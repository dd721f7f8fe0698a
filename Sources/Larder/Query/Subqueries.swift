/// A ``Subquery`` that a query writes.
protocol WrittenSubquery: SubqueryStatement {
  /// The table that it reads.
  var table: String { get }
  /// Writes the statement, without brackets.
  func write(_ writer: inout SQLWriter) throws
  /// Returns the error of a use of the values, if a closure makes others of them.
  func failure(of use: String) -> StoreError?
}

extension WrittenSubquery {
  func failure(of use: String) -> StoreError? { nil }
}

extension SelectedRows: WrittenSubquery {
  var table: String { M.schema.table }

  var nesting: Int {
    let conditions = query.filter.map { [$0] } ?? []
    return (conditions + nodes + query.sorts.map(\.node)).lazy.map(\.nesting).max() ?? 0
  }
}

extension SQLWriter {
  /// Writes whether the value is among those that the statement returns, of which NULL counts only if `isOptional`.
  mutating func write(_ node: SQLNode, in rows: Subquery, isOptional: Bool) throws {
    guard let statement = rows.statement as? any WrittenSubquery else { preconditionFailure("not a statement") }
    // Values of different forms are converted to one, like those of a long list.
    let order = node.order == .stored ? rows.order : node.order
    let form =
      order == .decimal ? SQLFunction.decimalText.rawValue : order == .instant ? SQLFunction.seconds.rawValue : ""
    func writeRows(_ condition: String, _ column: String, _ writer: inout SQLWriter) throws {
      // Names within the statement are its own.
      try writer.within(statement.table) { writer in
        writer.write("(WITH larder_selected(value) AS (")
        try statement.write(&writer)
        writer.write(") SELECT \(column) FROM larder_selected WHERE \(condition))")
      }
    }
    if isOptional { write("(") }
    write("(\(form)(")
    try write(node)
    write(") IN ")
    try writeRows("value IS NOT NULL", "\(form)(value)", &self)
    write(")")
    guard isOptional else { return }
    write(" OR ((")
    try write(node)
    write(") IS NULL AND EXISTS ")
    try writeRows("value IS NULL", "1", &self)
    write("))")
  }

  /// Writes a statement about a table within a condition. Its own columns aren't qualified, unlike those of another
  /// table around it.
  mutating func within(_ table: String, _ body: (inout SQLWriter) throws -> Void) rethrows {
    let outer = (isQualified, innerTable)
    (isQualified, innerTable) = (false, table)
    defer { (isQualified, innerTable) = outer }
    try body(&self)
  }
}

extension QueryExpressible {
  /// Returns whether the value is among those that another query selects.
  ///
  /// ```swift
  /// Trip.where { $0.id.isIn(Stop.where { $0.city == "Bern" }.select(\.trip)) }
  /// ```
  ///
  /// - Parameter query: A query that selects one value. Its closures may use columns of this query if it is of another
  ///   model; of the same model all columns are its own, so ask with ``Model/exists(where:)`` then.
  /// - Returns: The condition. A nil among the values matches nil.
  public func isIn<M: Model>(_ query: SelectedQuery<M, Output>) -> QueryExpression<Bool> {
    .init(isIn(query, isOptional: Output.self is any OptionalValue.Type))
  }

  /// Returns whether the value is among those that another query selects, of which nil is none.
  ///
  /// - Parameter query: A query that selects one value.
  /// - Returns: The condition.
  public func isIn<M: Model>(_ query: SelectedQuery<M, Output?>) -> QueryExpression<Bool> {
    .init(isIn(query, isOptional: false))
  }

  /// Returns whether the value isn't nil and is among those that another query selects.
  ///
  /// - Parameter query: A query that selects one value.
  /// - Returns: The condition.
  public func isIn<M: Model, Wrapped>(_ query: SelectedQuery<M, Wrapped>) -> QueryExpression<Bool>
  where Output == Wrapped? {
    .init(isIn(query, isOptional: false))
  }

  /// Returns whether the row with the key is among those that another query's rows refer to.
  ///
  /// - Parameter query: A query that selects a reference.
  /// - Returns: The condition.
  public func isIn<M: Model, Target: Model>(_ query: SelectedQuery<M, ToOne<Target>>) -> QueryExpression<Bool>
  where Output == Target.ID {
    .init(isIn(query, isOptional: false))
  }

  /// Returns whether the row with the key is among those that another query's rows refer to.
  ///
  /// - Parameter query: A query that selects an optional reference.
  /// - Returns: The condition.
  public func isIn<M: Model, Target: Model>(_ query: SelectedQuery<M, ToOne<Target>?>) -> QueryExpression<Bool>
  where Output == Target.ID {
    .init(isIn(query, isOptional: false))
  }

  private func isIn<M: Model, Selected>(_ query: SelectedQuery<M, Selected>, isOptional: Bool) -> SQLNode {
    guard query.rows.nodes.count == 1 else {
      return .invalid(
        StoreError(
          .unsupported, model: "\(M.self)",
          "isIn compares one value, and the query selects \(query.rows.nodes.count). Select one: .select(\\.id)"))
    }
    if let failure = query.rows.failure(of: "isIn") { return .invalid(failure) }
    let order = query.rows.nodes[0].order
    return .isInRows(node, Subquery(statement: query.rows, order: order), isOptional: isOptional)
  }
}

extension Model {
  /// Returns whether at least one row of this model satisfies a condition that may use columns of the query around it.
  ///
  /// ```swift
  /// Place.where { place in Visit.exists { $0.placeName == place.name && $0.rating > 3 } }
  /// ```
  ///
  /// An aggregate of a group can't be compared here: a query with it throws `.unsupported`.
  ///
  /// - Parameter condition: Returns the condition for this model's columns.
  /// - Returns: The condition.
  public static func exists(where condition: (Columns) -> some QueryExpressible<Bool>) -> QueryExpression<Bool> {
    .init(rows(.exist) { condition($0).node })
  }

  /// The number of rows of this model that satisfy a condition that may use columns of the query around it.
  ///
  /// - Parameter condition: Returns the condition for this model's columns.
  /// - Returns: An expression of the number.
  public static func count(where condition: (Columns) -> some QueryExpressible<Bool>) -> QueryExpression<Int> {
    QueryExpression(
      node: rows(.value(.aggregate(.count, nil, .stored))) { condition($0).node }, coding: .stored)
  }

  private static func rows(_ question: RelatedRows.Question, _ condition: (Columns) -> SQLNode) -> SQLNode {
    let depth = RelatedRows.depth + 1
    let columns = ColumnScope.$current.withValue(.rows(depth)) { Columns() }
    let condition = RelatedRows.$depth.withValue(depth) { condition(columns) }
    return .relatedRows(
      RelatedRows(
        table: schema.table, name: "\(Self.self)", depth: depth, link: nil, owner: .value(.null), condition: condition),
      question)
  }
}
