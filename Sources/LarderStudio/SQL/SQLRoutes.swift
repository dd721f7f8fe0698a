import Foundation
import HTTPTypes
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
      try await request.whileConnected(reading: Statement.self) { statement in
        if statement.writes { try library.requireWritable() }
        let result = try await library.console.execute(
          statement.sql, limit: Self.shown, writes: statement.writes
        ) { row in row.map { Cell($0.value, of: nil, limit: Cell.listed) } }
        return try Response.json(Result(columns: result.columns, rows: result.lines, hasMore: result.hasMore))
      }
    }
    router.post("sql/plan") { request, _ in
      try await request.whileConnected(reading: Statement.self) { statement in
        try Response.json(try await library.console.plan(of: statement.sql))
      }
    }
    router.post("sql/csv") { request, _ in
      try await request.whileConnected(reading: Statement.self) { statement in
        let result = try await library.console.execute(
          statement.sql, limit: Self.saved, writes: false, CSV.line)
        var response = Response.content(
          CSV.text(of: result).utf8, mediaType: "text/csv; charset=utf-8")
        if result.hasMore, let name = Self.limitName { response.headers[name] = String(Self.saved) }
        return response
      }
    }
  }

  /// The header with the number of rows of a file that lacks others.
  private static var limitName: HTTPField.Name? { HTTPField.Name("Studio-Row-Limit") }
}

/// Writes rows as CSV: RFC 4180, with a line for the names.
enum CSV {
  static func text(of result: SQLConsole.Result<String>) -> String {
    guard !result.lines.isEmpty else { return "" }
    let names = result.columns.map { quoted($0) }.joined(separator: ",")
    return ([names] + result.lines).joined(separator: "\r\n") + "\r\n"
  }

  /// Returns the line of a row.
  static func line(_ row: Row) -> String { row.map { field($0.value) }.joined(separator: ",") }

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
