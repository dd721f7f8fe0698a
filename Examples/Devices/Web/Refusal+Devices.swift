import ExampleWeb
import Hummingbird
import Larder
import LarderSync

extension Refusal {
  /// Creates the refusal for an error of the requests of the devices, or returns `nil` if the error isn't for the page.
  init?(devices error: any Error) {
    switch error {
    case DeviceProblem.gone:
      self.init(.notFound, RefusalReason("It is not there any more."))
    case DeviceProblem.decided:
      self.init(.conflict, RefusalReason("Something has changed meanwhile: look again."))
    case DeviceProblem.named:
      self.init(.conflict, RefusalReason("Notes still name it."))
    case DeviceProblem.unknown:
      self.init(.badRequest, RefusalReason("The request is not one that this page makes."))
    case DeviceProblem.containsNUL:
      self.init(.unprocessableContent, RefusalReason("A text can't contain the character NUL: remove it."))
    case let error as BatchError:
      self.init(.unprocessableContent, RefusalReason("This is no whole sync file. \(error.message)"))
    case let error as StoreError where error.code == .invalidValue:
      self.init(.unprocessableContent, RefusalReason(error.message))
    case let error as StoreError where error.code == .duplicate:
      self.init(.conflict, RefusalReason("There is one with this name already."))
    case let error as StoreError where error.code == .referenced:
      self.init(.conflict, RefusalReason("Its folder, label or author is not there any more."))
    case let error as StoreError where error.code == .notFound:
      // Of a sync file; the choices have errors of their own.
      self.init(
        .conflict,
        RefusalReason("The other device no longer knows all that it has deleted. Bring both online instead."))
    default:
      self.init(error) { RefusalReason($0) }
    }
  }
}
