import Foundation
import HTTPTypes
import Hummingbird
import Larder
import Logging
import NIOCore

/// Why a request isn't carried out, as the page reads it.
struct Refusal: Error {
  struct Body: Encodable {
    let message: String
    var position: Int?
    var model: String?
    var property: String?
    /// The rows that were changed on both sides, if that is the reason.
    var conflicts: [Conflict]?
  }

  let status: HTTPResponse.Status
  var body: Body

  init(_ status: HTTPResponse.Status, _ message: String) {
    self.status = status
    body = Body(message: message)
  }

  /// Creates the refusal for an error that a request ended with; nil for an error that isn't the page's business.
  init?(_ error: any Error) {
    switch error {
    case let refusal as Refusal: self = refusal
    case let error as StoreError: self.init(error)
    case is DecodingError: self.init(.badRequest, "The request is not one that this page makes.")
    case is NIOTooManyBytesError: self.init(.contentTooLarge, "The request is too long.")
    case let error as HTTPError: self.init(error.status, error.body ?? error.status.reasonPhrase)
    default: return nil
    }
  }

  init(_ error: StoreError) {
    status = error.status
    body = Body(message: error.message, position: error.position, model: error.model, property: error.property)
  }
}

extension StoreError {
  fileprivate var status: HTTPResponse.Status {
    switch code {
    case .notFound: .notFound
    case .invalidValue, .constraint, .unsupported, .schemaMismatch: .unprocessableContent
    case .duplicate, .referenced, .conflict: .conflict
    case .readOnly: .forbidden
    case .busy, .suspended, .closed: .serviceUnavailable
    case .diskFull: HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
    default: .internalServerError
    }
  }
}

/// Turns errors into responses that the page understands.
struct RefusalMiddleware<Context: RequestContext>: RouterMiddleware {
  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch {
      if error is CancellationError { throw error }
      let refusal = Refusal(error)
      if refusal == nil { context.logger.error("\(error)") }
      let shown = refusal ?? Refusal(.internalServerError, "The studio failed: \(error)")
      return try .json(shown.body, status: shown.status)
    }
  }
}
