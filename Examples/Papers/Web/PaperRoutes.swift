import ExampleWeb
import Foundation
import Hummingbird
import Larder

/// `api/documents` and `api/events`: everything that the page asks.
struct PaperRoutes {
  /// As much as somebody would paste.
  private static let requestLimit = 16 * 1024 * 1024

  let service: PapersService

  func add(to router: some RouterMethods<some RequestContext>) {
    let api = router.group("api").add(middleware: RefusalMiddleware(Refusal.init(papers:)))
    api.get("events") { request, _ in events(request) }
    api.post("documents") { request, _ in
      let body = try await request.body.collect(upTo: Self.requestLimit)
      let query = request.uri.queryParameters
      let expires = query["seconds"].flatMap { Double($0) }.map { Date.now + $0 }
      let key = query["key"].map(String.init).flatMap { $0.isEmpty ? nil : $0 }
      let keys = try await service.add(String(buffer: body), key: key, expires: expires)
      return try Response.json(["keys": keys], status: .created)
    }
    api.delete("documents") { request, _ in
      guard let key = request.uri.queryParameters["key"] else {
        try await service.clear()
        return HTTPResponse.Status.noContent
      }
      return try await service.delete(String(key)) ? .noContent : .notFound
    }
  }

  /// Sends what the page shows now and after every change.
  private func events(_ request: Request) -> Response {
    let query = request.uri.queryParameters
    let conditions = condition(query["property"], query["operator"], query["value"])
    let listings = service.listings(where: conditions, sort: query["sort"].map(String.init) ?? "")
    return .events(named: "listing", for: request) { listings }
  }

  /// The filter. A value that reads as JSON is that number or truth value, and any other is text.
  private func condition(_ property: Substring?, _ name: Substring?, _ text: Substring?) -> [Condition] {
    guard let property, !property.isEmpty, let text,
      let comparison = name.flatMap({ Condition.Operator(rawValue: String($0)) })
    else { return [] }
    let value = (try? DocumentValue(json: String(text))) ?? .text(String(text))
    return [Condition(String(property), comparison, value)]
  }
}
