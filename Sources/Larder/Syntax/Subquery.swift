/// A statement within a condition, which returns one column.
struct Subquery: Sendable, Hashable {
  let statement: any SubqueryStatement
  /// How the values of its column compare.
  let order: ValueOrder

  static func == (left: Subquery, right: Subquery) -> Bool {
    AnyHashable(left.statement) == AnyHashable(right.statement)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(AnyHashable(statement))
  }
}

/// What a ``Subquery`` consists of. The folder that writes it knows more.
protocol SubqueryStatement: Sendable, Hashable {
  /// The largest number of nested operators in it.
  var nesting: Int { get }
}
