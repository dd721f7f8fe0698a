import Foundation
import Larder

extension LedgerService {
  /// Opens an account; its initial value becomes a cost in the hidden category.
  ///
  /// Throws `LedgerProblem.invalid` if the content breaks a rule.
  func createAccount(_ content: AccountContent) async throws -> Account.ID {
    let account = Account(name: content.name.trimmingWhitespace, currency: content.currency)
    try await store.write { db in
      try requireNewName(account, in: db)
      let value = Cost(initialValue: content.initialValue, of: account)
      try db.insert(account)
      try db.insert(value)
      try History.record(
        "Account “\(account.name)” added", before: LedgerRows(), after: LedgerRows(accounts: [account], costs: [value]),
        in: db)
    }
    return account.id
  }

  /// Gives an account a new content, if it is still what the change is based on.
  ///
  /// Throws `LedgerProblem.changedElsewhere` if it is not, `.gone` if it was deleted, `.invalid` if the content breaks
  /// a rule.
  func changeAccount(_ id: Account.ID, to content: AccountContent, basedOn old: AccountContent) async throws {
    try await store.write { db in
      let account = try existingAccount(id, in: db)
      let value = try db.first(Cost.initialValue(of: account)) ?? Cost(initialValue: 0, of: account)
      guard AccountContent(name: account.name, currency: account.currency, initialValue: value.amount) == old else {
        throw LedgerProblem.changedElsewhere("Another window has changed this account.")
      }
      var changed = account
      var changedValue = value
      changed.name = content.name.trimmingWhitespace
      changed.currency = content.currency
      changedValue.amount = content.initialValue
      guard changed.name != account.name || changed.currency != account.currency || changedValue.amount != value.amount
      else { return }
      try requireNewName(changed, in: db)
      if changed.currency != account.currency, try db.exists(CostFilter(account: id).costs) {
        throw LedgerProblem.invalid(
          .currency, "An account with costs keeps its currency, which is that of their amounts.")
      }
      try db.update(changed)
      try db.save(changedValue)
      try History.record(
        "Account “\(changed.name)” changed", before: LedgerRows(accounts: [account], costs: [value]),
        after: LedgerRows(accounts: [changed], costs: [changedValue]), in: db)
    }
  }

  /// How many costs deleting the account removes besides its initial value. Throws `LedgerProblem.gone` if there is
  /// none.
  func costsRemoved(with id: Account.ID) async throws -> Int {
    try await store.read { db in
      _ = try existingAccount(id, in: db)
      return try db.count(CostFilter(account: id).costs)
    }
  }

  /// Deletes an account and its costs: the delete rule of `Account.costs` does the latter.
  ///
  /// - Parameter confirmed: The number of costs that the user was told of.
  ///
  /// Throws `LedgerProblem.changedElsewhere` if it is another number by now, and `.gone` if there is no such account.
  func deleteAccount(_ id: Account.ID, confirmed: Int) async throws {
    try await store.write { db in
      let account = try existingAccount(id, in: db)
      guard try db.count(CostFilter(account: id).costs) == confirmed else { throw LedgerProblem.costsChanged }
      let costs = try db.fetch(account.costs.all)
      try db.delete(account)
      try History.record(
        "Account “\(account.name)” deleted", before: LedgerRows(accounts: [account], costs: costs), after: LedgerRows(),
        in: db)
    }
  }

  private func existingAccount(_ id: Account.ID, in db: some StoreReader) throws -> Account {
    guard let account = try db.find(Account.self, id) else {
      throw LedgerProblem.gone("This account is not there any more.")
    }
    return account
  }

  private func requireNewName(_ account: Account, in db: some StoreReader) throws {
    guard try !db.exists(Account.where { $0.name.caseInsensitive == account.name && $0.id != account.id }) else {
      throw LedgerProblem.invalid(.name, "There is already an account of this name.")
    }
  }
}

extension Cost {
  /// An account's initial value: a cost like any other, in a category that nobody sees.
  init(initialValue: Decimal, of account: Account) {
    self.init(amount: initialValue, date: .today, account: ToOne(account.id), category: ToOne(Category.initialValue.id))
  }

  static func initialValue(of account: Account) -> Query<Cost> {
    account.costs.where { $0.category == Category.initialValue.id }
  }
}

extension LedgerProblem {
  static let costsChanged = LedgerProblem.changedElsewhere("Meanwhile its costs have changed.")
}
