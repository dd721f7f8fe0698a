/// A column as a query names it: its place in a table, and which of the query's sources the table is.
struct ColumnReference: Sendable, Hashable {
  /// Where a column comes from.
  enum Source: Sendable, Hashable {
    /// The table that the query is about.
    case root
    /// The row of another table to which a reference leads.
    case related
    /// The rows on the other side of a relationship, counted by how deep the subquery is.
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
