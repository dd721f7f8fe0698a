/// One of the sorts of a query.
struct QuerySort: Sendable, Hashable {
  let node: SQLNode
  var isDescending: Bool
}

/// The row after which a page starts: the values of its columns.
struct QueryCursor: Sendable, Hashable {
  let values: [String: Value]
}
