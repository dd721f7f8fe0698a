import HTTPTypes
import Hummingbird
import Larder
import NIOCore
import ServiceLifecycle

/// `api/events`: tells a window that rows of the tables it shows have changed, one stream for all of them.
struct EventRoutes {
  /// The time between two events: a window can't show more.
  private static let pause = Duration.milliseconds(50)
  /// The greatest number of tables that a window can ask about.
  private static let limit = 50

  let library: Library

  func addRoutes(to router: some RouterMethods<some RequestContext>) {
    router.get("events") { request, _ in
      let tables = request.uri.queryParameters.getAll("table", as: String.self)
      guard !tables.isEmpty, tables.count <= Self.limit else {
        throw Refusal(.badRequest, "The request names no table, or too many.")
      }
      for table in tables { _ = try await library.store.table(table) }
      return response(to: request, about: tables)
    }
  }

  private func response(to request: Request, about tables: [String]) -> Response {
    // A statement that reads one row observes its whole table.
    let commits = library.store.live { db in
      for table in tables { _ = try db.rows(TableQuery(table).limit(1)) }
    }
    let body = ResponseBody { writer in
      try await writer.write(ByteBuffer(string: "retry: 500\n\n"))
      try await request.body.consumeWithCancellationOnInboundClose { _ in
        for try await _ in commits.cancelOnGracefulShutdown() {
          try await writer.write(ByteBuffer(string: "event: change\ndata: {}\n\n"))
          try await Task.sleep(for: Self.pause)
        }
      }
      try await writer.finish(nil)
    }
    return Response(status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"], body: body)
  }
}
