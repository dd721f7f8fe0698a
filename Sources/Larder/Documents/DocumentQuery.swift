/// The condition, order and limit of a query for documents.
struct DocumentQuery: Sendable {
  var condition = Condition([])
  var sort = ""
  var limit: Int?
  var offset = 0
  /// Whether a property that no document ever had is an error.
  var validatesProperties = true

  init(
    _ condition: Condition, sort: String = "", limit: Int? = nil, offset: Int = 0,
    validatesProperties: Bool = true
  ) {
    self.condition = condition
    self.sort = sort
    self.limit = limit
    self.offset = offset
    self.validatesProperties = validatesProperties
  }

  /// Writes `SELECT columns FROM …` for the collection's table.
  func select(_ columns: String, from table: String, _ writer: inout SQLWriter) throws {
    writer.write("SELECT \(columns) FROM \(table) AS larder_document WHERE \(DocumentSQL.isLive)")
    if condition.node != .everything {
      writer.write(" AND ")
      try condition.write(&writer)
    }
    try DocumentSort(sort).write(&writer)
    guard limit != nil || offset > 0 else { return }
    writer.write(" LIMIT ")
    writer.bind(.integer(Int64(limit ?? -1)))
    writer.write(" OFFSET ")
    writer.bind(.integer(Int64(offset)))
  }

  /// Returns the paths that the query uses.
  func paths() throws -> [DocumentPath] {
    var paths: [DocumentPath] = []
    var seen: Set<DocumentPath> = []
    try condition.forEachPath { if seen.insert($0).inserted { paths.append($0) } }
    for term in try DocumentSort(sort).terms where seen.insert(term.path).inserted { paths.append(term.path) }
    return paths
  }
}
