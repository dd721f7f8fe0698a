public import Hummingbird
import Logging

/// Turns the errors of an app's requests into responses that its page understands.
public struct RefusalMiddleware<Context: RequestContext>: RouterMiddleware {
  private let refusal: @Sendable (any Error) -> Refusal?

  /// Creates the middleware.
  ///
  /// - Parameter refusal: Returns the refusal for an error, or `nil` if the error isn't for the page.
  public init(_ refusal: @escaping @Sendable (any Error) -> Refusal?) {
    self.refusal = refusal
  }

  public func handle(
    _ request: Request,
    context: Context,
    next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch {
      guard let refusal = refusal(error) else { throw error }
      if refusal.isLogged { context.logger.error("\(error)") }
      return try .json(refusal.body, status: refusal.status)
    }
  }
}
