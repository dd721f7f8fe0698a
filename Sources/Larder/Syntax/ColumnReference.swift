/// A column as a query names it: its place in a table, and which of the query's sources the table is.
struct ColumnReference: Sendable, Hashable {
  /// The table that a column belongs to.
  enum Source: Sendable, Hashable {
    /// The query's own table.
    case root
    /// The table that a reference leads to.
    case related
    /// The rows on the other side of a relationship, with the nesting depth of the subquery.
    case rows(Int)
  }

  let table: String
  let name: String
  var type: ColumnType
  var source = Source.root

  func `as`(_ source: Source) -> ColumnReference {
    var column = self
    column.source = source
    return column
  }
}
