import Foundation
import Larder

/// What there is to say of all costs of a currency; amounts of different ones cannot be added.
struct CurrencyOverview: Encodable, Equatable, Sendable {
  let currency: Currency
  /// Of the costs that the filter lets through: what came in, what went out, and both together.
  let income: String
  let expense: String
  let sum: String
  /// What is in the accounts now, whatever the filter says of categories and dates.
  let balance: String
  let categories: [CategorySum]
  /// The balance before the first of `balances`.
  let opening: String
  /// At the end of each day that changed it, from the filter's first day to its last one. The filter's category has no
  /// say here.
  let balances: [DayBalance]

  struct CategorySum: Encodable, Equatable, Sendable {
    /// Nil for the costs that have none.
    let category: UUID?
    let sum: String
    let count: Int
  }

  struct DayBalance: Encodable, Equatable, Sendable {
    let date: Day
    let balance: String
  }

  init(_ currency: Currency, _ filter: CostFilter, in db: some StoreReader) throws {
    self.currency = currency
    let costs = filter.costs.where { $0.account.currency == currency }
    let groups = try db.fetch(costs.grouped(by: \.category) { ($0.key, $0.sum(\.amount), $0.count) })
    categories = groups.map { category, sum, count in
      CategorySum(category: category?.id, sum: sum.amountText, count: count)
    }
    let sum = groups.reduce(Decimal(0)) { $0 + $1.1 }
    let income = try db.sum(costs.where { $0.amount > 0 }, of: \.amount)
    self.sum = sum.amountText
    self.income = income.amountText
    expense = (sum - income).amountText

    var accounts = Account.where { $0.currency == currency }
    var all = Cost.where { $0.account.currency == currency }
    if let account = filter.account {
      accounts = accounts.where { $0.id == account }
      all = all.where { $0.account == account }
    }
    balance = try db.sum(accounts, of: \.balance).amountText

    // The initial values come before every day, whenever the accounts were opened.
    var running = try db.sum(all.where { $0.category == Category.initialValue.id }, of: \.amount)
    var dated = all.where { $0.category != Category.initialValue.id }
    if let from = filter.from {
      running += try db.sum(dated.where { $0.date < from }, of: \.amount)
      dated = dated.where { $0.date >= from }
    }
    if let through = filter.through { dated = dated.where { $0.date <= through } }
    opening = running.amountText
    balances = try db.fetch(dated.grouped(by: \.date) { ($0.key, $0.sum(\.amount)) }).map { date, sum in
      running += sum
      return DayBalance(date: date, balance: running.amountText)
    }
  }
}
