/// Where a query finds the columns of a model: in its own table, through a reference, or among the rows of a
/// relationship.
indirect enum ColumnScope: Sendable, Hashable {
  case root
  /// The row whose key the node is.
  case related(SQLNode, key: ColumnReference)
  /// The rows of a relationship, with the nesting depth of the subquery.
  case rows(Int)

  func node(for column: ColumnReference) -> SQLNode {
    switch self {
    case .root: .column(column)
    // The key of the referenced row is the reference itself.
    case .related(let base, let key): column.name == key.name ? base : .related(base, column.as(.related), key: key)
    case .rows(let depth): .column(column.as(.rows(depth)))
    }
  }

  /// The scope of columns that are created in the current closure.
  @TaskLocal static var current = ColumnScope.root
}
