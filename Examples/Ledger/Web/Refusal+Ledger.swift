import ExampleWeb
import Hummingbird
import Larder
import LarderSync

extension Refusal {
  /// Creates the refusal for an error of Ledger's requests, or returns `nil` if the error isn't for the page.
  init?(ledger error: any Error) {
    switch error {
    case LedgerProblem.invalid(let fields):
      self.init(.unprocessableContent, RefusalReason(fields: fields))
    case LedgerProblem.gone(let message):
      self.init(.notFound, RefusalReason(message))
    case LedgerProblem.changedElsewhere(let message):
      self.init(.preconditionFailed, RefusalReason(message))
    case LedgerProblem.refused(let message):
      self.init(.conflict, RefusalReason(message))
    case let invalid as InvalidText:
      let field = LedgerProblem.Field.file.rawValue
      self.init(.unprocessableContent, RefusalReason(invalid.message, fields: [field: invalid.message]))
    case let error as BatchError:
      self.init(.unprocessableContent, RefusalReason("This is no whole sync file. \(error.message)"))
    case let error as StoreError where error.code == .invalidValue:
      self.init(.unprocessableContent, RefusalReason(error.message))
    default:
      self.init(error) { RefusalReason($0) }
    }
  }
}
