import HTTPTypes
import Hummingbird

/// Tells the browser to run and show nothing but the apps' own files, and to hand nothing to other sites.
struct SecurityHeaders<Context: RequestContext>: RouterMiddleware {
  private let fields: HTTPFields

  init() {
    let policy = [
      "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
      "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ]
    let values = [
      "Content-Security-Policy": policy.joined(separator: "; "),
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "same-origin",
      "Cross-Origin-Resource-Policy": "same-origin",
      "Cross-Origin-Opener-Policy": "same-origin",
    ]
    fields = values.reduce(into: HTTPFields()) { fields, field in
      guard let name = HTTPField.Name(field.key) else {
        preconditionFailure("\(field.key) is not the name of a header")
      }
      fields[name] = field.value
    }
  }

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    var response: Response
    do {
      response = try await next(request, context)
    } catch let error as any HTTPResponseError {
      // What isn't found or not answered becomes a response here already, so that it has the fields too.
      response = try error.response(from: request, context: context)
    }
    for field in fields { response.headers[field.name] = field.value }
    return response
  }
}
