import ExampleWeb
import Foundation
import Hummingbird
import Larder
import NIOCore

/// CSV files: `api/import/preview` and `api/import` take one in, `api/export` hands one out. `api/sync` does both with
/// sync files.
struct FileRoutes {
  let service: LedgerService
  let transfers: TransferFolder

  func add(to router: some RouterMethods<some RequestContext>) {
    let api = router.group("api").add(middleware: RefusalMiddleware(Refusal.init(ledger:)))
    api.post("import/preview") { request, _ in
      try await Response.json(Preview(service.preview(of: file(in: request.body))))
    }
    api.post("import") { request, _ in imported(request) }
    api.get("export") { request, _ in try export(request.filter) }
    api.get("sync") { _, _ in
      try await transfers.withFile { url in
        try await service.writeSyncFile(to: url)
        return try Response.file(url)
      }
    }
    api.post("sync") { request, _ in try await Response.json(readSyncFile(in: request)) }
  }

  private func readSyncFile(in request: Request) async throws -> SyncOutcome {
    do {
      return try await transfers.withBody(of: request, upTo: TransferFolder.maximumSyncFileBytes) { url in
        try await service.readSyncFile(at: url)
      }
    } catch is NIOTooManyBytesError {
      throw InvalidText("A sync file may have at most \(TransferFolder.maximumSyncFileBytes >> 30) GB.")
    }
  }

  private func file(in body: RequestBody) async throws -> [UInt8] {
    do {
      return try await Array(body.collect(upTo: CostFile.maximumBytes).readableBytesView)
    } catch is NIOTooManyBytesError {
      throw InvalidText("A file may have at most \(CostFile.maximumBytes >> 20) MB: divide it into several.")
    }
  }

  /// One line of JSON for each piece of progress; the last one says that all is saved, or why nothing is. Closing the
  /// window ends the import.
  private func imported(_ request: Request) -> Response {
    let name = request.uri.queryParameters["name"].map(String.init) ?? "a file"
    let includesKnown = request.uri.queryParameters["known"] == "include"
    let body = ResponseBody { writer in
      do {
        try await request.body.consumeWithCancellationOnInboundClose { body in
          let file = try await file(in: body)
          for try await progress in service.importCosts(file, named: name, includingKnown: includesKnown) {
            try await writer.write(line(progress))
          }
        }
      } catch let invalid as InvalidText {
        try await writer.write(line(RefusalReason(invalid.message)))
      } catch let error as StoreError {
        try await writer.write(line(RefusalReason("\(error)")))
      }
      try await writer.finish(nil)
    }
    return Response(
      status: .ok, headers: [.contentType: "application/x-ndjson", .cacheControl: "no-store"], body: body)
  }

  private func line(_ value: some Encodable) throws -> ByteBuffer {
    try ByteBuffer(bytes: JSONEncoder().encode(value) + [UInt8(ascii: "\n")])
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
      status: .ok,
      headers: [.contentType: "text/csv; charset=utf-8", .contentDisposition: name, .cacheControl: "no-store"],
      body: body)
  }
}

/// What an import of a file would do.
private struct Preview: Encodable {
  /// The number of costs that would be imported, and of those that the ledger already has.
  let accepted: Int
  let known: Int
  let refusedCount: Int
  let refused: [CostFile.RefusedLine]
  let newCategories: [String]
  /// The first lines that would be imported, and after them the first that are already there.
  let lines: [Line]

  struct Line: Encodable {
    let line: Int
    let date: Day
    let account: UUID
    let category: String
    let amount: String
    let note: String
    let isKnown: Bool
  }

  init(_ file: CostFile) {
    let knownLines = file.lines.filter(\.isKnown)
    known = knownLines.count
    accepted = file.lines.count - known
    refusedCount = file.refused.count
    refused = Array(file.refused.prefix(500))
    newCategories = file.newCategories.map(\.name)
    lines = (file.lines.lazy.filter { !$0.isKnown }.prefix(8) + knownLines.prefix(4)).map {
      Line(
        line: $0.number, date: $0.cost.date, account: $0.cost.account.id, category: $0.categoryName,
        amount: $0.cost.amount.amountText,
        note: $0.cost.note.excerpt, isKnown: $0.isKnown)
    }
  }
}
