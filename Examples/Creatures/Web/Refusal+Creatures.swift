import ExampleWeb
import Hummingbird
import LarderArchive
import NIOCore

extension Refusal {
  /// Creates the refusal for an error of the requests of Creatures, or returns `nil` if the error isn't for the page.
  init?(creatures error: any Error) {
    switch error {
    case let problem as CreatureProblem:
      self.init(problem.status, RefusalReason(problem))
    case let error as ArchiveError:
      self.init(error.status, RefusalReason(error.message), isLogged: true)
    case is NIOTooManyBytesError:
      self.init(.contentTooLarge, RefusalReason(PictureFile.tooLarge))
    default:
      self.init(error) { RefusalReason($0) }
    }
  }
}

extension RefusalReason {
  fileprivate init(_ problem: CreatureProblem) {
    switch problem {
    case .invalid(let fields):
      self.init(fields: fields)
    case .gone(let message), .damaged(let message):
      self.init(message)
    case .changedElsewhere:
      self.init("Another window has changed this creature.")
    }
  }
}

extension CreatureProblem {
  fileprivate var status: HTTPResponse.Status {
    switch self {
    case PictureFile.tooLarge: .contentTooLarge
    case .invalid: .unprocessableContent
    case .gone: .notFound
    case .changedElsewhere: .preconditionFailed
    case .damaged: .conflict
    }
  }
}

extension ArchiveError {
  fileprivate var status: HTTPResponse.Status {
    switch code {
    case .notFound: .notFound
    case .invalidName: .conflict
    case .diskFull: .insufficientStorage
    default: .internalServerError
    }
  }
}
