public import Hummingbird
import Larder
import NIOCore

extension Refusal {
  /// Creates the refusal for an error that the requests of any app can end with, or returns `nil` for others.
  ///
  /// - Parameters:
  ///   - error: The error that a request ended with.
  ///   - body: Returns what the page reads if it is told the given message.
  public init?(_ error: any Error, body: (_ message: String) -> some Encodable & Sendable) {
    switch error {
    case let error as StoreError:
      self.init(error.status, body("\(error)"), isLogged: true)
    case is DecodingError:
      self.init(.badRequest, body("The request is not one that this page makes."))
    case is NIOTooManyBytesError:
      self.init(.contentTooLarge, body("The request is too long."))
    default:
      return nil
    }
  }
}

extension StoreError {
  fileprivate var status: HTTPResponse.Status {
    switch code {
    case .busy: .serviceUnavailable
    case .diskFull: .insufficientStorage
    default: .internalServerError
    }
  }
}

extension HTTPResponse.Status {
  /// 507: the disk is full.
  public static let insufficientStorage = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
}
