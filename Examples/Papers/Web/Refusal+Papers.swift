import ExampleWeb
import Hummingbird
import Larder
import NIOCore

extension Refusal {
  /// Creates the refusal for an error of the requests of documents, or returns `nil` if the error isn't for the page.
  init?(papers error: any Error) {
    switch error {
    case let problem as PaperProblem:
      self.init(.unprocessableContent, RefusalReason(problem.message))
    case let error as StoreError where error.code == .invalidValue:
      self.init(.unprocessableContent, RefusalReason(error.message))
    case let error as StoreError:
      self.init(.internalServerError, RefusalReason(error.message), isLogged: true)
    case is NIOTooManyBytesError:
      self.init(.contentTooLarge, RefusalReason("That is more than 16 MB; store it in parts."))
    default:
      self.init(error) { RefusalReason($0) }
    }
  }
}
