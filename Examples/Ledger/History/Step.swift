import Foundation
import Larder

/// A change of the ledger that can be taken back, and done again once it was. It stays in this file: another ledger
/// takes back its own changes.
@Model(syncs: false)
struct Step {
  var id: UUID = .v7()
  /// What was done, as the page says it: "Lunch" deleted.
  var title: String
  @Attribute(.indexed) var isUndone: Bool = false
  @Relationship(deleteRule: .cascade, inverse: \StepRows.step) var rows: ToMany<StepRows> = []
}

/// The rows that a step found and left. They are apart from the step because a list of steps does not need them: those
/// of an import are many.
@Model(syncs: false)
struct StepRows {
  var id: UUID = .v7()
  var step: ToOne<Step>
  var before: LedgerRows
  var after: LedgerRows
}
