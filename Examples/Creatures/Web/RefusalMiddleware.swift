import Foundation
import Hummingbird
import LarderArchive
import Logging
import NIOCore

/// Why a request was refused, for the page to show where it belongs.
struct Refusal: Encodable {
  let message: String
  /// What is wrong with single fields.
  var fields: [CreatureProblem.Field: String] = [:]
}

/// Turns what the service throws into answers that the page understands.
struct RefusalMiddleware<Context: RequestContext>: RouterMiddleware {
  func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let problem as CreatureProblem {
      return try refuse(problem)
    } catch let error as ArchiveError {
      context.logger.error("\(error)")
      return try .json(Refusal(message: error.message), status: error.status)
    } catch is DecodingError {
      return try .json(Refusal(message: "The request is not one that this page makes."), status: .badRequest)
    } catch is NIOTooManyBytesError {
      return try .json(Refusal(PictureFile.tooLarge), status: .contentTooLarge)
    }
  }

  private func refuse(_ problem: CreatureProblem) throws -> Response {
    let status: HTTPResponse.Status =
      switch problem {
      case PictureFile.tooLarge: .contentTooLarge
      case .invalid: .unprocessableContent
      case .gone: .notFound
      case .changedElsewhere: .preconditionFailed
      case .damaged: .conflict
      }
    return try .json(Refusal(problem), status: status)
  }
}

extension Refusal {
  fileprivate init(_ problem: CreatureProblem) {
    switch problem {
    case .invalid(let fields): self.init(message: "Something is not right yet.", fields: fields)
    case .gone(let message), .damaged(let message): self.init(message: message)
    case .changedElsewhere: self.init(message: "Another window has changed this creature. Close this and open it again.")
    }
  }
}

extension ArchiveError {
  fileprivate var status: HTTPResponse.Status {
    switch code {
    case .notFound: .notFound
    case .invalidName: .conflict
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
