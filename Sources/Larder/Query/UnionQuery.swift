public import Foundation

/// A query for the values of two selections, which may be of different models: ``SelectedQuery/union(_:)``.
///
/// ```swift
/// let names = try await store.fetch(
///   Person.select(\.name, \.city).union(Shop.select(\.name, \.city)))  // [(String, String)]
/// ```
public struct UnionQuery<Output>: ValueQuery {
  public typealias Result = Output

  private var rows: UnionRows
  private let decoding: RowDecoding<Output>

  fileprivate init(_ rows: UnionRows, _ decoding: RowDecoding<Output>) {
    self.rows = rows
    self.decoding = decoding
  }

  public var _statement: ValueStatement<Output> {
    ValueStatement(
      model: rows.model, nodes: rows.nodes, write: { [rows] in try rows.write(&$0) }, decoding: decoding)
  }
}

extension SelectedQuery {
  /// Returns a query for the values of this one and of another one; equal values are returned once.
  ///
  /// Both select values of the same types. Results are in the order of their values, from left to right.
  ///
  /// - Parameter other: A query that selects values of the same types, also of another model.
  /// - Returns: A query whose results are those of both.
  public func union<Other: Model>(_ other: SelectedQuery<Other, Output>) -> UnionQuery<Output> {
    UnionQuery(UnionRows(rows, other.rows, isDistinct: true), decoding)
  }

  /// Returns a query for all values of this one and all of another one, as often as they occur.
  ///
  /// - Parameter other: A query that selects values of the same types, also of another model.
  /// - Returns: A query whose results are those of both, in the order of their values.
  public func unionAll<Other: Model>(_ other: SelectedQuery<Other, Output>) -> UnionQuery<Output> {
    UnionQuery(UnionRows(rows, other.rows, isDistinct: false), decoding)
  }
}

extension UnionQuery {
  /// Returns the query for these values and those of one more query; equal values are returned once.
  ///
  /// - Parameter other: A query that selects values of the same types.
  /// - Returns: A new query; this one doesn't change.
  public func union<Other: Model>(_ other: SelectedQuery<Other, Output>) -> UnionQuery {
    UnionQuery(rows.adding(other.rows, isDistinct: true), decoding)
  }

  /// Returns the query for these values and all of one more query, as often as they occur.
  ///
  /// - Parameter other: A query that selects values of the same types.
  /// - Returns: A new query; this one doesn't change.
  public func unionAll<Other: Model>(_ other: SelectedQuery<Other, Output>) -> UnionQuery {
    UnionQuery(rows.adding(other.rows, isDistinct: false), decoding)
  }

  /// Returns the query with its results in the opposite order of their values, or in that order.
  ///
  /// - Parameter order: `.forward`, which is the default of each union, or `.reverse`.
  /// - Returns: A new query; this one doesn't change.
  public func sorted(_ order: SortOrder) -> UnionQuery {
    var query = self
    query.rows.isDescending = order == .reverse
    return query
  }

  /// Returns the query with at most `limit` results, after skipping the first `offset`.
  ///
  /// - Parameters:
  ///   - limit: The largest number of results. A negative number is a programming error and traps.
  ///   - offset: The number of results to skip. Each of them is read.
  /// - Returns: A new query; this one doesn't change.
  public func limit(_ limit: Int, offset: Int = 0) -> UnionQuery {
    precondition(limit >= 0 && offset >= 0, "a limit and an offset are not negative")
    var query = self
    (query.rows.limit, query.rows.offset) = (limit, offset)
    return query
  }

  /// Returns the query for what the closure makes of each result.
  ///
  /// - Parameter transform: Makes a result. What it throws ends the fetch.
  /// - Returns: A new query; this one doesn't change.
  public func map<Mapped>(_ transform: @escaping @Sendable (Output) throws -> Mapped) -> UnionQuery<Mapped> {
    UnionQuery<Mapped>(rows, decoding.map(transform))
  }
}

extension UnionQuery: CustomStringConvertible {
  /// The query as Swift that makes it: `Person.all.select(\.name).union(Shop.all.select(\.name))`. What `map` adds isn't
  /// shown.
  ///
  /// What has no short form in Swift appears as SQL. Don't parse the text; it may change.
  public var description: String { rows.description }
}

/// The selections of a union, and the order of its results.
private struct UnionRows: Sendable {
  private struct Part {
    let rows: any WrittenSubquery
    /// Whether values that were there before are left out.
    let isDistinct: Bool
  }

  /// The model that messages name, and its selected values.
  let model: any Model.Type
  let nodes: [SQLNode]
  private var parts: [Part]
  var isDescending = false
  var limit: Int?
  var offset = 0

  init<First: Model, Second: Model>(_ first: SelectedRows<First>, _ second: SelectedRows<Second>, isDistinct: Bool) {
    model = First.self
    nodes = first.nodes
    parts = [Part(rows: first, isDistinct: false), Part(rows: second, isDistinct: isDistinct)]
  }

  func adding<Other: Model>(_ rows: SelectedRows<Other>, isDistinct: Bool) -> UnionRows {
    var union = self
    union.parts.append(Part(rows: rows, isDistinct: isDistinct))
    return union
  }

  var description: String {
    var text = ""
    for (position, part) in parts.enumerated() {
      text += position == 0 ? "\(part.rows)" : ".\(part.isDistinct ? "union" : "unionAll")(\(part.rows))"
    }
    return text + (isDescending ? ".sorted(.reverse)" : "") + SwiftWriter.limit(limit, offset)
  }

  /// Each part is a statement within brackets, with a sort and a limit of its own.
  func write(_ writer: inout SQLWriter) throws {
    for (position, part) in parts.enumerated() {
      if let failure = part.rows.failure(of: "A union") { throw failure }
      if position > 0 { writer.write(part.isDistinct ? " UNION " : " UNION ALL ") }
      writer.write("SELECT * FROM (")
      try part.rows.write(&writer)
      writer.write(")")
    }
    writer.write(" ORDER BY ")
    for (position, node) in nodes.enumerated() {
      if position > 0 { writer.write(", ") }
      writer.write("\(position + 1)")
      if let collation = node.order.collation { writer.write(" COLLATE \(collation.rawValue)") }
      if isDescending { writer.write(" DESC") }
    }
    guard limit != nil || offset > 0 else { return }
    writer.write(" LIMIT ")
    writer.bind(.integer(Int64(limit ?? -1)))
    writer.write(" OFFSET ")
    writer.bind(.integer(Int64(offset)))
  }
}
