import Hummingbird
import Larder

/// The rows that an address asks for.
struct RowRequest: Sendable {
  /// The greatest number of rows of one response.
  private static let greatestLimit = 500
  /// The number of rows that SQLite can pass over in an order of its own making without a noticeable delay.
  private static let farOffset = 10_000

  let query: TableQuery
  let limit: Int
  let offset: Int
  /// The row before the first one, if the page knows it: it takes the same time wherever the row is.
  let previous: RowKey?
  /// The number of all rows, if the page knows it.
  let total: Int?
  /// The property that the rows are sorted by, as a sort names it; nil for the order of their keys.
  private let order: String?

  init(_ request: Request) throws {
    let table = try request.required("table")
    var query = TableQuery(table)
    if let relationship = request.parameter("relationship") {
      query = .related(
        relationship, of: try RowKey(text: request.required("key")).values, in: try request.required("of"), to: table)
    }
    if let condition = request.parameter("where"), !condition.allSatisfy(\.isWhitespace) {
      query = query.where(condition)
    }
    if let text = request.parameter("search"), !text.isEmpty { query = query.searching(for: text) }
    if let order = request.parameter("sort"), !order.isEmpty { query = query.sorted(by: order) }
    self.query = query
    limit = min(try request.number("limit") ?? 100, Self.greatestLimit)
    offset = try request.number("offset") ?? 0
    total = try request.number("total")
    order = request.parameter("sort").flatMap { $0.isEmpty ? nil : $0 }
    previous = try request.parameter("after").map(RowKey.init(text:))
  }

  /// Returns the rows.
  func page(from reader: some StoreReader) throws -> RowPage {
    let table = try reader.table(query.table)
    // A row that has gone since is passed by its number.
    if let previous, let row = try reader.row(with: previous.values, in: query.table) {
      return RowPage(rows: try lines(of: query.after(row).limit(limit), in: table, from: reader))
    }
    // The rows near the end are found from there.
    if let total, offset > total / 2, total > offset {
      let count = min(limit, total - offset)
      let rows = try lines(
        of: query.reversed(), in: table, count: count, skipping: total - offset - count, from: reader)
      return RowPage(rows: rows.reversed())
    }
    return RowPage(rows: try lines(of: query, in: table, count: limit, skipping: offset, from: reader))
  }

  private func lines(
    of query: TableQuery, in table: TableDescription, count: Int, skipping: Int, from reader: some StoreReader
  ) throws -> [RowPage.Line] {
    guard order != nil, skipping > Self.farOffset, try !isInIndex(query, of: table, from: reader) else {
      return try lines(of: query.limit(count, offset: skipping), in: table, from: reader)
    }
    // With a limit, SQLite keeps the rows before it in a tree, which takes ten times as long as sorting all of them.
    var lines: [RowPage.Line] = []
    var position = 0
    do {
      try reader.forEach(query) { row in
        if position >= skipping { lines.append(RowPage.Line(row, in: table)) }
        position += 1
        if lines.count == count { throw PageIsFull() }
      }
    } catch is PageIsFull {
      return lines
    }
    return lines
  }

  /// Returns whether an index has the rows in the order of the query, with few of them for each value: SQLite then passes
  /// over rows without reading them.
  private func isInIndex(
    _ query: TableQuery, of table: TableDescription, from reader: some StoreReader
  ) throws -> Bool {
    // Unsaved rows are in no index.
    guard !(reader is Context), let property = sortedProperty(of: table) else { return false }
    if property.isUnique || table.key == [property] { return true }
    guard table.indexes.contains(where: { $0.columns.first == property.column }) else { return false }
    let rows = try [0, Self.farOffset].map { try reader.rows(query.limit(1, offset: $0)).first?[property.name] }
    return rows[0] != rows[1]
  }

  private func sortedProperty(of table: TableDescription) -> TableDescription.Property? {
    guard let order, table.kind == .model || table.kind == .table else { return nil }
    let name = order.hasPrefix("-") ? order.dropFirst() : order[...]
    guard name.hasPrefix("`"), name.hasSuffix("`"), name.count > 2 else { return table.property(String(name)) }
    return table.property(String(name.dropFirst().dropLast()).replacing("``", with: "`"))
  }

  /// One row at a time is in memory, because a value may have many megabytes.
  private func lines(
    of query: TableQuery, in table: TableDescription, from reader: some StoreReader
  ) throws -> [RowPage.Line] {
    var lines: [RowPage.Line] = []
    try reader.forEach(query) { lines.append(RowPage.Line($0, in: table)) }
    return lines
  }
}

/// Ends the reading of rows.
private struct PageIsFull: Error {}

/// Rows in the order of a query, with their values cut.
struct RowPage: Encodable, Sendable {
  struct Line: Encodable, Sendable {
    let key: RowKey?
    let cells: [Cell]

    init(_ row: Row, in table: TableDescription) {
      key = RowKey(of: row, in: table)
      cells = table.properties.map { Cell(row[$0.name] ?? .null, of: $0, limit: Cell.listed) }
    }
  }

  let rows: [Line]
}
