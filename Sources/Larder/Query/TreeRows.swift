extension Model {
  /// Returns a query for the rows below a row of a tree: those that refer to it, those that refer to them, and so on.
  ///
  /// ```swift
  /// let all = try await store.fetch(Folder.descendants(of: folder.id, through: \.parent).sorted(by: \.name))
  /// ```
  ///
  /// The row itself is among them only if the references form a circle. The query takes conditions, sorts and limits as
  /// any other does.
  ///
  /// - Parameters:
  ///   - key: The key of the row.
  ///   - path: The reference to a row's parent.
  /// - Returns: A query.
  /// - Complexity: One look-up in the reference's index for each row that is found, on each execution.
  public static func descendants<Output>(
    of key: ID, through path: KeyPath<Columns, ToOneColumn<Self, Self, Output>>
  ) -> Query<Self> {
    tree(key, columns[keyPath: path], .descendants)
  }

  /// Returns a query for the rows above a row of a tree: the one that it refers to, the one that that one refers to, and
  /// so on.
  ///
  /// The row itself is among them only if the references form a circle. Without a sort the rows are in no particular
  /// order.
  ///
  /// - Parameters:
  ///   - key: The key of the row.
  ///   - path: The reference to a row's parent.
  /// - Returns: A query.
  /// - Complexity: One look-up by key for each row that is found, on each execution.
  public static func ancestors<Output>(
    of key: ID, through path: KeyPath<Columns, ToOneColumn<Self, Self, Output>>
  ) -> Query<Self> {
    tree(key, columns[keyPath: path], .ancestors)
  }

  private static func tree<Output>(
    _ key: ID, _ parent: ToOneColumn<Self, Self, Output>, _ direction: TreeRows.Direction
  ) -> Query<Self> {
    let own = schema.keyReference
    let reference = ColumnReference(table: schema.table, name: parent.name, type: parent.type)
    let tree = TreeRows(direction: direction, start: schema.node(forKey: key), key: own, parent: reference)
    return all.filtered(
      by: .isInRows(.column(own), Subquery(statement: tree, order: own.type.order), isOptional: false))
  }
}

/// The keys of the rows above or below one in a tree.
struct TreeRows: WrittenSubquery {
  enum Direction: Sendable, Hashable {
    case descendants, ancestors
  }

  let direction: Direction
  let start: SQLNode
  let key: ColumnReference
  let parent: ColumnReference

  var table: String { key.table }

  /// `UNION` leaves out rows that were found before, so that a circle ends.
  func write(_ writer: inout SQLWriter) throws {
    let alias = SQLWriter.alias(ofRows: 0)
    let (own, parent) = (SQLNode.column(key.as(.rows(0))), SQLNode.column(parent.as(.rows(0))))
    let (found, known) = direction == .descendants ? (own, parent) : (parent, own)
    let rows = "\(Quoting.name(table)) AS \(alias)"
    writer.write("WITH RECURSIVE larder_tree(value) AS (SELECT ")
    try writer.write(found)
    writer.write(" FROM \(rows) WHERE ")
    try writer.write(.compare(.equal, known, start))
    writer.write(" UNION SELECT ")
    try writer.write(found)
    writer.write(" FROM larder_tree JOIN \(rows) ON ")
    try writer.write(known)
    writer.write(" = larder_tree.value) SELECT value FROM larder_tree")
  }
}
