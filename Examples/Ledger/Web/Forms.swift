import Foundation

/// What the page sends of an account: texts as they were typed.
struct AccountForm: Decodable {
  let name: String
  let currency: String
  let initialValue: String

  /// Throws `LedgerProblem.invalid` with everything that is wrong.
  var content: AccountContent {
    get throws {
      var check = FormCheck()
      if name.isBlank { check.objections[.name] = "An account needs a name." }
      let currency = check.value(.currency) { try Currency(named: self.currency) }
      let initialValue = check.value(.initialValue) {
        try Decimal(typed: self.initialValue.isBlank ? "0" : self.initialValue)
      }
      guard let currency, let initialValue, check.objections.isEmpty else {
        throw LedgerProblem.invalid(check.objections)
      }
      return AccountContent(name: name, currency: currency, initialValue: initialValue)
    }
  }
}

/// What the page sends of a category.
struct CategoryForm: Decodable {
  let name: String
}

/// What the page sends of a cost: texts as they were typed, and what was chosen.
struct CostForm: Decodable {
  let amount: String
  /// Whether the amount goes out although it has no sign.
  let isSpent: Bool?
  let date: String
  let note: String
  let account: String
  let category: UUID?

  /// Throws `LedgerProblem.invalid` with everything that is wrong.
  var content: CostContent {
    get throws {
      var check = FormCheck()
      let amount = check.value(.amount) {
        let amount = try Decimal(typed: self.amount)
        return isSpent == true && amount > 0 ? -amount : amount
      }
      let date = check.value(.date) { try Day(typed: self.date) }
      let account = check.value(.account) {
        guard let account = UUID(uuidString: self.account) else { throw InvalidText("Choose an account.") }
        return account
      }
      if note.count > Cost.maximumNoteLength {
        check.objections[.note] = "A note has at most \(Cost.maximumNoteLength) characters."
      }
      guard let amount, let date, let account, check.objections.isEmpty else {
        throw LedgerProblem.invalid(check.objections)
      }
      return CostContent(amount: amount, date: date, note: note, account: account, category: category)
    }
  }
}

/// A change, and what it is based on: the content as the page last knew it. The server refuses a change of something
/// that has changed since.
struct Edit<Form: Decodable>: Decodable {
  let content: Form
  let basedOn: Form
}

/// Gathers what is wrong with a form, so that all of it can be said at once.
private struct FormCheck {
  var objections: [LedgerProblem.Field: String] = [:]

  mutating func value<Value>(_ field: LedgerProblem.Field, _ make: () throws -> Value) -> Value? {
    do { return try make() } catch {
      objections[field] = (error as? InvalidText)?.message ?? "\(error)"
      return nil
    }
  }
}

extension Currency {
  fileprivate init(named name: String) throws {
    guard let currency = Currency(rawValue: name) else { throw InvalidText("Choose a currency: \(Self.list).") }
    self = currency
  }
}
