import HTTPTypes
import Hummingbird
import Larder
import NIOCore
import ServiceLifecycle

/// `api/events`: tells a window that rows of the tables it shows have changed, one stream for all of them. `api/file`: an
/// empty answer as long as the file is there.
struct EventRoutes {
  /// The time between two events: a window can't show more.
  private static let pause = Duration.milliseconds(50)
  /// The greatest number of tables that a window can ask about.
  private static let limit = 50
  /// The time between two looks at whether the file is there.
  private static let fileInterval = Duration.seconds(1)

  let library: Library
  /// The file, if the studio has opened one.
  let file: OpenedFile?

  func addRoutes(to router: some RouterMethods<some RequestContext>) {
    router.get("file") { _, _ in Response(status: .noContent) }
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
        for try await _ in untilFileIsGone(commits.cancelOnGracefulShutdown()) {
          try await writer.write(ByteBuffer(string: "event: change\ndata: {}\n\n"))
          try await Task.sleep(for: Self.pause)
        }
      }
      try await writer.finish(nil)
    }
    return Response(status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"], body: body)
  }

  /// Returns the commits, and one more event once the file is gone: what the window then asks for is refused with the
  /// reason. Without a file, only the commits.
  private func untilFileIsGone<Commits: AsyncSequence & Sendable>(
    _ commits: Commits
  ) -> AsyncThrowingStream<Void, any Error> where Commits.Element == Void {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let listening = Task {
        do {
          for try await _ in commits { continuation.yield() }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      let looking = Task { [file] in
        guard let file else { return }
        while file.isThere {
          // It throws once the stream has ended.
          guard (try? await Task.sleep(for: Self.fileInterval)) != nil else { return }
        }
        continuation.yield()
        continuation.finish()
      }
      continuation.onTermination = { _ in
        listening.cancel()
        looking.cancel()
      }
    }
  }
}
