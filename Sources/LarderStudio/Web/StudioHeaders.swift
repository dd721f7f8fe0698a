import HTTPTypes
import Hummingbird

/// Tells the browser to run and show nothing but the studio's own files, and to hand nothing to other sites.
struct StudioHeaders<Context: RequestContext>: RouterMiddleware {
  private static var fields: HTTPFields {
    let policy = [
      "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
      "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ]
    let values = [
      "Content-Security-Policy": policy.joined(separator: "; "),
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
      "Cross-Origin-Resource-Policy": "same-origin",
      "Cross-Origin-Opener-Policy": "same-origin",
    ]
    return values.reduce(into: HTTPFields()) { fields, field in
      guard let name = HTTPField.Name(field.key) else {
        preconditionFailure("\(field.key) is not the name of a header")
      }
      fields[name] = field.value
    }
  }

  private let fields = Self.fields

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    for field in fields { response.headers[field.name] = field.value }
    return response
  }
}
