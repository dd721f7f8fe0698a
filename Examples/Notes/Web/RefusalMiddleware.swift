import Foundation
import Hummingbird
import Larder
import Logging

/// Turns what the service throws into answers that the page understands.
struct RefusalMiddleware<Context: RequestContext>: RouterMiddleware {
  func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let problem as NoteProblem {
      return try refuse(problem)
    } catch let error as StoreError {
      context.logger.error("\(error)")
      return try .json(Refusal(error: .init(message: "\(error)")), status: status(of: error))
    } catch is DecodingError {
      return try .json(Refusal(error: .init(message: "The request is not one that this page makes.")), status: .badRequest)
    }
  }

  private func refuse(_ problem: NoteProblem) throws -> Response {
    switch problem {
    case .invalid(let field, let message):
      try .json(
        Refusal(error: .init(field: field, message: message)),
        status: problem == .pictureIsTooLarge ? .contentTooLarge : .unprocessableContent
      )
    case .gone:
      try .json(Refusal(error: .init(message: "This note is not there any more.")), status: .notFound)
    case .changedElsewhere(let note):
      try .json(Refusal(error: .init(message: "Another window has changed this note."), note: note), status: .preconditionFailed)
    }
  }

  private func status(of error: StoreError) -> HTTPResponse.Status {
    switch error.code {
    case .busy: .serviceUnavailable
    case .diskFull: HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
    default: .internalServerError
    }
  }
}

extension Response {
  /// Dates go as Larder keeps them, in seconds since 2001-01-01 UTC: a text would lose the fractions that tell versions apart.
  static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
    let body = try JSONEncoder().encode(value)
    return Response(
      status: status,
      headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: body))
    )
  }
}
