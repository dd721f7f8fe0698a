import Foundation
import Hummingbird
import Larder
import Logging
import NIOCore
import ServiceLifecycle

/// `api/documents` and `api/events`: everything that the page asks.
struct PaperRoutes {
  /// As much as somebody would paste.
  private static let requestLimit = 16 * 1024 * 1024

  let service: PapersService

  func add(to router: some RouterMethods<some RequestContext>) {
    let api = router.group("api").add(middleware: PaperRefusals())
    api.get("events") { request, _ in events(request) }
    api.post("documents") { request, _ in
      let body = try await request.body.collect(upTo: Self.requestLimit)
      let query = request.uri.queryParameters
      let expires = query["seconds"].flatMap { Double($0) }.map { Date.now + $0 }
      let key = query["key"].map(String.init).flatMap { $0.isEmpty ? nil : $0 }
      return try Response.json(["keys": try await service.add(String(buffer: body), key: key, expires: expires)], status: .created)
    }
    api.delete("documents") { request, _ in
      guard let key = request.uri.queryParameters["key"] else {
        try await service.clear()
        return HTTPResponse.Status.noContent
      }
      return try await service.delete(String(key)) ? .noContent : .notFound
    }
  }

  /// Sends what the page shows now and after every change, until the window or the server closes.
  private func events(_ request: Request) -> Response {
    let query = request.uri.queryParameters
    let conditions = condition(query["property"], query["operator"], query["value"])
    let listings = service.listings(where: conditions, sort: query["sort"].map(String.init) ?? "")
    let body = ResponseBody { writer in
      try await writer.write(ByteBuffer(string: "retry: 500\n\n"))
      try await request.body.consumeWithCancellationOnInboundClose { _ in
        for try await listing in listings.cancelOnGracefulShutdown() {
          let json = try JSONEncoder().encode(listing)
          try await writer.write(ByteBuffer(string: "event: listing\ndata: \(String(decoding: json, as: UTF8.self))\n\n"))
        }
      }
      try await writer.finish(nil)
    }
    return Response(status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"], body: body)
  }

  /// The filter. A value that reads as JSON is that number or truth value, and any other is text.
  private func condition(_ property: Substring?, _ name: Substring?, _ text: Substring?) -> [Condition] {
    guard let property, !property.isEmpty, let comparison = name.flatMap({ Condition.Operator(rawValue: String($0)) }), let text else { return [] }
    let value = (try? DocumentValue(json: String(text))) ?? .text(String(text))
    return [Condition(String(property), comparison, value)]
  }
}

/// Turns what the service throws into answers that the page shows.
private struct PaperRefusals<Context: RequestContext>: RouterMiddleware {
  func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let problem as PaperProblem {
      return try .json(["message": problem.message], status: .unprocessableContent)
    } catch let error as StoreError where error.code == .invalidValue {
      return try .json(["message": error.message], status: .unprocessableContent)
    } catch let error as StoreError {
      context.logger.error("\(error)")
      return try .json(["message": error.message], status: .internalServerError)
    } catch is NIOTooManyBytesError {
      return try .json(["message": "That is more than 16 MB; store it in parts."], status: .contentTooLarge)
    }
  }
}

extension Response {
  fileprivate static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
    Response(
      status: status, headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: try JSONEncoder().encode(value))))
  }
}
