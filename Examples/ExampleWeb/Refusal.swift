public import Hummingbird

/// The response to a request that an app doesn't carry out.
public struct Refusal: Sendable {
  let status: HTTPResponse.Status
  let body: any Encodable & Sendable
  let isLogged: Bool

  /// Creates a refusal.
  ///
  /// - Parameters:
  ///   - status: The status of the response.
  ///   - body: What the page reads, as JSON.
  ///   - isLogged: Whether the error is logged, because the request isn't its cause.
  public init(_ status: HTTPResponse.Status, _ body: some Encodable & Sendable, isLogged: Bool = false) {
    self.status = status
    self.body = body
    self.isLogged = isLogged
  }
}
