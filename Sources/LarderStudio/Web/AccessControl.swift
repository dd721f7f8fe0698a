import HTTPTypes
import Hummingbird

/// Lets in only whoever has the token, and no page of another site.
///
/// `Host` has to be a name of this machine, or another site could have its own name point here (DNS rebinding). `Origin`
/// and `Sec-Fetch-Site` tell which page asks: a browser would send the cookie along for pages of other ports as well.
struct AccessControl<Context: RequestContext>: RouterMiddleware {
  let token: AccessToken
  /// The path of the page; nil if it is in a group of another router.
  var page: String?

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    guard let authority = request.head.authority, isOwn(authority) else {
      throw Refusal(.misdirectedRequest, "The studio answers to 127.0.0.1 and localhost alone.")
    }
    if let origin = request.headers[.origin], origin != "http://\(authority)" {
      throw Refusal(.forbidden, "Another site may not ask this.")
    }
    let isInAddress = isInAddress(of: request)
    if let site = HTTPField.Name("Sec-Fetch-Site").flatMap({ request.headers[$0] }), site != "same-origin",
      site != "none",
      !isInAddress
    {
      throw Refusal(.forbidden, "Another site may not ask this.")
    }
    guard isInAddress || isInHeaders(of: request) else {
      throw Refusal(
        .unauthorized,
        "The address has no token, or one that is used up. Open the address that was printed when the studio started.")
    }
    return try await next(request, context)
  }

  private func isInAddress(of request: Request) -> Bool {
    let parameters = request.uri.queryParameters
    if let text = parameters[Substring(AccessToken.parameter)], token.matches(text) { return true }
    // What only the page's own address has is used up by nothing else.
    guard request.method == .get, isPage(request.uri.path) else { return false }
    return parameters[Substring(AccessToken.invitationParameter)].map { token.accepts(invitation: $0) } ?? false
  }

  private func isPage(_ path: String) -> Bool {
    if let page { return path == page }
    return path.hasSuffix("/") && !path.contains("/api/") && !path.contains(".")
  }

  private func isInHeaders(of request: Request) -> Bool {
    if let cookie = request.cookies[token.cookie], token.matches(cookie.value) { return true }
    guard let header = request.headers[.authorization], header.hasPrefix("Bearer ") else { return false }
    return token.matches(header.dropFirst("Bearer ".count))
  }

  private func isOwn(_ authority: String) -> Bool {
    let name =
      authority.hasPrefix("[") ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
    return ["127.0.0.1", "localhost", "[::1]"].contains(name.lowercased())
  }
}
