import Foundation
import Hummingbird
import Larder
import Logging
import NIOCore

/// Why a request was refused, for the page to show where it belongs.
struct Refusal: Encodable {
  let message: String
  /// What is wrong with single fields.
  var fields: [LedgerProblem.Field: String] = [:]
}

/// Turns what the service throws into answers that the page understands.
struct RefusalMiddleware<Context: RequestContext>: RouterMiddleware {
  func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let problem as LedgerProblem {
      return try refuse(problem)
    } catch let invalid as InvalidText {
      return try .json(Refusal(message: invalid.message, fields: [.file: invalid.message]), status: .unprocessableContent)
    } catch let error as StoreError {
      context.logger.error("\(error)")
      return try .json(Refusal(message: "\(error)"), status: error.status)
    } catch is DecodingError {
      return try .json(Refusal(message: "The request is not one that this page makes."), status: .badRequest)
    } catch is NIOTooManyBytesError {
      return try .json(Refusal(message: "The request is too long."), status: .contentTooLarge)
    }
  }

  private func refuse(_ problem: LedgerProblem) throws -> Response {
    switch problem {
    case .invalid(let fields):
      try .json(Refusal(message: "Something is not right yet.", fields: fields), status: .unprocessableContent)
    case .gone(let message):
      try .json(Refusal(message: message), status: .notFound)
    case .changedElsewhere(let message):
      try .json(Refusal(message: message), status: .preconditionFailed)
    case .refused(let message):
      try .json(Refusal(message: message), status: .conflict)
    }
  }
}

extension StoreError {
  fileprivate var status: HTTPResponse.Status {
    switch code {
    case .busy: .serviceUnavailable
    case .diskFull: HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
    default: .internalServerError
    }
  }
}

extension Response {
  static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
    let body = try JSONEncoder().encode(value)
    return Response(
      status: status,
      headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: body))
    )
  }
}
