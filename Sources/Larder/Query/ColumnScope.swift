/// Where a query finds the columns of a model: in its own table, by way of a reference, or among the rows of a relationship.
indirect enum ColumnScope: Sendable, Hashable {
  case root
  /// The row whose key the node is.
  case related(SQLNode, key: ColumnReference)
  /// The rows of a relationship, in a subquery so deep.
  case rows(Int)

  func node(for column: ColumnReference) -> SQLNode {
    switch self {
    case .root: .column(column)
    // The key of the row that is referred to is the reference itself.
    case .related(let base, let key): column.name == key.name ? base : .related(base, column.as(.related), key: key)
    case .rows(let depth): .column(column.as(.rows(depth)))
    }
  }

  /// The scope of the columns that are made right now: a closure on the rows of a relationship is handed columns of its own.
  @TaskLocal static var current = ColumnScope.root
}
