import Foundation
import Hummingbird
import Larder

/// `api/sql`: results, plans and files of SQL that a person writes.
struct SQLRoutes {
  /// The greatest number of rows on the page, and in a file.
  private static let shown = 1000
  private static let saved = 100_000

  private struct Statement: Decodable {
    let sql: String
    let writes: Bool
  }

  private struct Result: Encodable {
    let columns: [String]
    let rows: [[Cell]]
    let hasMore: Bool
  }

  let library: Library

  func addRoutes(to router: some RouterMethods<some RequestContext>) {
    router.post("sql") { request, _ in
      let statement = try await request.json(Statement.self)
      if statement.writes { try library.requireWritable() }
      let rows = try await library.console.execute(statement.sql, limit: Self.shown, writes: statement.writes)
      return try Response.json(
        Result(
          columns: rows.first?.names ?? [],
          rows: rows.prefix(Self.shown).map { row in row.map { Cell($0.value, of: nil, limit: Cell.listed) } },
          hasMore: rows.count > Self.shown))
    }
    router.post("sql/plan") { request, _ in
      let statement = try await request.json(Statement.self)
      return try Response.json(try await library.console.plan(of: statement.sql))
    }
    router.post("sql/csv") { request, _ in
      let statement = try await request.json(Statement.self)
      let rows = try await library.console.execute(statement.sql, limit: Self.saved, writes: false)
      return Response.content(CSV.text(of: rows).utf8, mediaType: "text/csv; charset=utf-8")
    }
  }
}

/// Writes rows as CSV: RFC 4180, with a line for the names.
enum CSV {
  static func text(of rows: [Row]) -> String {
    guard let names = rows.first?.names else { return "" }
    let lines = rows.map { row in row.map { field($0.value) }.joined(separator: ",") }
    return ([names.map { quoted($0) }.joined(separator: ",")] + lines).joined(separator: "\r\n") + "\r\n"
  }

  /// No value is an empty field, and the empty text is in quotation marks.
  private static func field(_ value: Value) -> String {
    switch value {
    case .null: ""
    case .text(let text): quoted(text)
    default: value.plainText
    }
  }

  private static func quoted(_ text: String) -> String {
    let mustQuote = text.isEmpty || text.contains { ",\"\r\n".contains($0) || $0.isNewline } || text.first == " "
    return mustQuote ? "\"\(text.replacingOccurrences(of: "\"", with: "\"\""))\"" : text
  }
}
