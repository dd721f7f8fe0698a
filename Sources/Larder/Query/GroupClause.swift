/// Which groups of rows a query returns, and in which order.
struct GroupClause: Sendable {
  /// The values that the rows of a group share, in the order by which groups without a sort are sorted.
  let keys: [SQLNode]
  var condition: SQLNode?
  var sorts: [QuerySort] = []
  var limit: Int?
  var offset = 0

  init(keys: [SQLNode]) { self.keys = keys.map(\.asValue) }

  mutating func addCondition(_ node: SQLNode) {
    condition = condition.map { .and($0, node) } ?? node
  }

  mutating func limit(to limit: Int, offset: Int) {
    precondition(limit >= 0 && offset >= 0, "a limit and an offset are not negative")
    (self.limit, self.offset) = (limit, offset)
  }

  /// Writes the clauses that follow the rows and their condition.
  ///
  /// - Throws: ``StoreError`` `.unsupported` for a condition that SQLite can't have.
  func write(of model: any Model.Type, to writer: inout SQLWriter) throws {
    writer.write(" GROUP BY ")
    try writer.writeOrderedList(keys)
    if let condition {
      guard !condition.hasWindow else {
        throw StoreError(
          .unsupported, model: "\(model)",
          "a rank or a running sum is computed after groups are chosen, so having can't compare it; sort by it and limit the groups, or compare it in Swift"
        )
      }
      writer.write(" HAVING ")
      try writer.write(condition)
    }
    writer.write(" ORDER BY ")
    for sort in sorts {
      try writer.writeOrdered(sort.node, sort.node.order)
      writer.write(sort.isDescending ? " DESC, " : ", ")
    }
    try writer.writeOrderedList(keys)
    guard let limit else { return }
    writer.write(" LIMIT ")
    writer.bind(.integer(Int64(limit)))
    if offset > 0 {
      writer.write(" OFFSET ")
      writer.bind(.integer(Int64(offset)))
    }
  }

  /// Returns the calls that choose and sort, as Swift.
  func description(_ groups: SwiftWriter) -> String {
    var text = condition.map { ".having { \(groups.text($0)) }" } ?? ""
    for sort in sorts {
      text += ".sorted\(sort.isDescending ? "(order: .reverse)" : "") { \(groups.text(sort.node)) }"
    }
    return text + SwiftWriter.limit(limit, offset)
  }
}
