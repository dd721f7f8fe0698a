import Foundation
import Hummingbird
import Larder
import NIOCore

/// CSV files: `api/import/preview` and `api/import` take one in, `api/export` hands one out.
struct FileRoutes {
  let service: LedgerService

  func add(to router: some RouterMethods<some RequestContext>) {
    let api = router.group("api").add(middleware: RefusalMiddleware())
    api.post("import/preview") { request, _ in
      try await Response.json(Preview(service.preview(of: file(of: request))))
    }
    api.post("import") { request, _ in
      try await imported(file(of: request), named: request.uri.queryParameters["name"].map(String.init) ?? "a file")
    }
    api.get("export") { request, _ in try export(request.filter) }
  }

  private func file(of request: Request) async throws -> [UInt8] {
    let tooLarge = InvalidText("A file may have at most \(CostFile.maximumBytes >> 20) MB: divide it into several.")
    if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > CostFile.maximumBytes { throw tooLarge }
    do {
      return try await Array(request.body.collect(upTo: CostFile.maximumBytes).readableBytesView)
    } catch is NIOTooManyBytesError {
      throw tooLarge
    }
  }

  /// One line of JSON for each piece of progress; the last one says that all is saved, or why nothing is.
  private func imported(_ bytes: [UInt8], named name: String) -> Response {
    let body = ResponseBody { writer in
      do {
        for try await progress in service.importCosts(bytes, named: name) {
          try await writer.write(ByteBuffer(bytes: JSONEncoder().encode(progress) + [UInt8(ascii: "\n")]))
        }
      } catch let invalid as InvalidText {
        try await writer.write(ByteBuffer(bytes: JSONEncoder().encode(Refusal(message: invalid.message)) + [UInt8(ascii: "\n")]))
      }
      try await writer.finish(nil)
    }
    return Response(status: .ok, headers: [.contentType: "application/x-ndjson", .cacheControl: "no-store"], body: body)
  }

  /// Written line by line as it is read, so that its length does not matter.
  private func export(_ filter: CostFilter) -> Response {
    let body = ResponseBody { writer in
      var buffer = ByteBuffer(string: CostFileHeader.line)
      for try await line in service.exportedLines(filter) {
        buffer.writeString(line)
        if buffer.readableBytes > 32 * 1024 {
          try await writer.write(buffer)
          buffer.clear()
        }
      }
      try await writer.write(buffer)
      try await writer.finish(nil)
    }
    let name = "attachment; filename=\"ledger-\(Day.today.rawValue).csv\""
    return Response(
      status: .ok, headers: [.contentType: "text/csv; charset=utf-8", .contentDisposition: name, .cacheControl: "no-store"], body: body)
  }
}

/// What an import of a file would do.
private struct Preview: Encodable {
  let accepted: Int
  let refusedCount: Int
  let refused: [CostFile.RefusedLine]
  let newCategories: [String]
  /// The first lines that would be imported.
  let lines: [Line]

  struct Line: Encodable {
    let line: Int
    let date: Day
    let account: UUID
    let category: String
    let amount: String
    let note: String
  }

  init(_ file: CostFile) {
    accepted = file.lines.count
    refusedCount = file.refused.count
    refused = Array(file.refused.prefix(500))
    newCategories = file.newCategories.map(\.name)
    lines = file.lines.prefix(8).map {
      Line(
        line: $0.number, date: $0.cost.date, account: $0.cost.account.id, category: $0.categoryName, amount: $0.cost.amount.amountText,
        note: $0.cost.note.excerpt)
    }
  }
}
