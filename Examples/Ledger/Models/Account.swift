import ExampleWeb
import Foundation
import Larder

/// An account. Its balance is kept by the database and costs nothing to read, however many costs there are.
@Model
struct Account: Codable {
  var id: UUID = .v7()
  @Attribute(.unique) var name: String
  var currency: Currency
  @Relationship(deleteRule: .cascade, inverse: \Cost.account) var costs: ToMany<Cost> = []
  @Derived(.sum(\Account.costs, \Cost.amount)) var balance: Decimal = 0
}

extension Account {
  /// Larder calls this before every insert and update, but not for the rows that a sync file brings.
  func validate() throws {
    if name.isBlank { throw LedgerProblem.invalid(.name, "An account needs a name.") }
    if name.containsNUL { throw LedgerProblem.invalid(.name, "A name can't contain the character NUL: remove it.") }
    if name.count > 60 { throw LedgerProblem.invalid(.name, "A name has at most 60 characters.") }
  }
}

/// What a person says of an account.
struct AccountContent: Equatable, Sendable {
  var name: String
  var currency: Currency
  /// What is in the account before any of its costs.
  var initialValue: Decimal
}
