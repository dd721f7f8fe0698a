/// The rows on the other side of a relationship, or of any table, as a subquery selects them.
struct RelatedRows: Sendable, Hashable {
  /// How the rows are linked to the key of the row that owns them.
  enum Link: Sendable, Hashable {
    /// By their column that holds the key.
    case foreignKey(ColumnReference)
    /// By pairs of keys in a join table: the columns of this side and of the other, and the other table's key.
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
  /// The property of the relationship, or the model, for people to read.
  let name: String
  /// The nesting depth of the subquery: the rows' columns have the source `.rows(depth)`.
  let depth: Int
  /// Nil for all rows of the table that satisfy the condition.
  let link: Link?
  /// The key of the row that owns them.
  let owner: SQLNode
  var condition: SQLNode?

  func replacing(_ replace: (SQLNode) throws -> SQLNode) rethrows -> RelatedRows {
    RelatedRows(
      table: table, name: name, depth: depth, link: link, owner: try replace(owner),
      condition: try condition.map(replace))
  }

  /// The nesting depth of the closure that builds the current condition.
  @TaskLocal static var depth = 0
}
