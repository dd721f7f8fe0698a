import HTTPTypes
import Hummingbird

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Refuses requests that another site makes through the user's browser.
///
/// The apps ask for no password, so every page that the user visits could otherwise write to them (forged requests), or
/// have its own name point to this machine and read them (DNS rebinding). A browser tells who asks: `Host` has to be an
/// address or a name that only this machine has, and `Origin`, which a browser sends with every request that changes
/// something, has to be the same.
struct SameOriginOnly<Context: RequestContext>: RouterMiddleware {
  /// The name or address the server was told to listen on.
  let host: String

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    guard let authority = request.head.authority, isOwn(name(in: authority)) else {
      throw HTTPError(
        .misdirectedRequest,
        message: "This server answers to localhost, to addresses, and to the name given with --host.")
    }
    if let origin = request.headers[.origin], origin != "http://\(authority)" {
      throw HTTPError(.forbidden, message: "Another site may not ask this.")
    }
    return try await next(request, context)
  }

  private func name(in authority: String) -> String {
    if authority.hasPrefix("[") { return String(authority.dropFirst().prefix { $0 != "]" }) }
    return String(authority.prefix { $0 != ":" }).lowercased()
  }

  /// An address cannot be made to point elsewhere; of the names only our own count.
  private func isOwn(_ name: String) -> Bool {
    name == "localhost" || name == host.lowercased() || isAddress(name)
  }

  private func isAddress(_ name: String) -> Bool {
    var bytes = in6_addr()
    return inet_pton(AF_INET, name, &bytes) == 1 || inet_pton(AF_INET6, name, &bytes) == 1
  }
}
