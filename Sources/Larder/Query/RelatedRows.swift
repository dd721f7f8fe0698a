/// The rows on the other side of a relationship, as a subquery asks for them.
struct RelatedRows: Sendable, Hashable {
  /// How the rows are connected with the key of the row that they belong to.
  enum Link: Sendable, Hashable {
    /// By a column of theirs that holds the key.
    case foreignKey(ColumnReference)
    /// By pairs of keys in a table of their own: the columns of this side and of the other, and the other table's key.
    case pairs(table: String, own: String, other: String, key: String)
  }

  enum Question: Sendable, Hashable {
    case exist
    /// An aggregate of the rows.
    case value(SQLNode)

    func replacing(_ replace: (SQLNode) throws -> SQLNode) rethrows -> Question {
      if case .value(let node) = self { .value(try replace(node)) } else { self }
    }
  }

  let table: String
  /// How deep the subquery is: the rows' columns have the source `.rows(depth)`.
  let depth: Int
  let link: Link
  /// The key of the row that they belong to.
  let owner: SQLNode
  var condition: SQLNode?

  func replacing(_ replace: (SQLNode) throws -> SQLNode) rethrows -> RelatedRows {
    RelatedRows(table: table, depth: depth, link: link, owner: try replace(owner), condition: try condition.map(replace))
  }

  /// How deep the closures are that a condition is being made in.
  @TaskLocal static var depth = 0
}
