/// A query whose results aren't rows of one model: selected values, groups, or joined rows.
///
/// ``SelectedQuery``, ``GroupedQuery`` and ``JoinedQuery`` conform to it. Write functions against this protocol for
/// what applies to all of them: `func show<Q: ValueQuery>(_ query: Q) where Q.Result == (String, Int)`.
public protocol ValueQuery<Result>: Sendable {
  /// What the query returns for each row or group.
  associatedtype Result

  /// What the store executes. Don't call it yourself.
  var _statement: ValueStatement<Result> { get }
}

/// The statement of a ``ValueQuery``, and how its rows are read.
@_documentation(visibility: internal)
public struct ValueStatement<Result>: Sendable {
  /// The model that messages name.
  let model: any Model.Type
  /// The values in their order, as far as they are values of that model.
  let nodes: [SQLNode]
  let write: @Sendable (inout SQLWriter) throws -> Void
  let decoding: RowDecoding<Result>
  /// Whether the values are stored properties of the model's own rows, and nothing else is among them.
  var areColumns = false
}

extension SQLWriter {
  /// Writes the values of a `SELECT`.
  ///
  /// - Throws: ``StoreError`` `.unsupported` if there are none: a closure with anything else than values counts as one
  ///   without a result to the compiler, which only warns.
  mutating func writeList(_ nodes: [SQLNode]) throws {
    if nodes.isEmpty {
      throw StoreError(
        .unsupported, model: nil,
        "The closure of this query returns no values. Return properties, computed values or a tuple of them, such as { ($0.name, $0.stops.count) }; whole rows are returned by a query without select."
      )
    }
    for (position, node) in nodes.enumerated() {
      if position > 0 { write(", ") }
      try write(node.asValue)
    }
  }

  /// Writes values by which rows are grouped or sorted.
  mutating func writeOrderedList(_ nodes: [SQLNode]) throws {
    for (position, node) in nodes.enumerated() {
      if position > 0 { write(", ") }
      try writeOrdered(node.asValue, node.order)
    }
  }
}
