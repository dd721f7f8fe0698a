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
  /// Whether `balances` are those of accounts. A category or a text has no balance: then they add the costs up that the
  /// filter lets through, from zero on.
  let areBalances: Bool
  /// The balance before the first of `balances`.
  let opening: String
  /// At the end of each day that changed it, from the filter's first day to its last one.
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
    if let account = filter.account { accounts = accounts.where { $0.id == account } }
    balance = try db.sum(accounts, of: \.balance).amountText
    areBalances = filter.category == nil && filter.text == nil
    var running = areBalances ? try Self.balance(before: filter.from, of: filter.account, currency, in: db) : 0
    opening = running.amountText
    balances = try db.fetch(costs.grouped(by: \.date) { ($0.key, $0.sum(\.amount)) }).map { date, sum in
      running += sum
      return DayBalance(date: date, balance: running.amountText)
    }
  }

  /// The balance of an account, or of all with the currency, before a day; without one, before every cost.
  private static func balance(
    before day: Day?, of account: Account.ID?, _ currency: Currency, in db: some StoreReader
  ) throws -> Decimal {
    var costs = Cost.where { $0.account.currency == currency }
    if let account { costs = costs.where { $0.account == account } }
    // The initial values come before every day, whenever the accounts were opened.
    let initial = costs.where { $0.category == Category.initialValue.id }
    guard let day else { return try db.sum(initial, of: \.amount) }
    let earlier = costs.where { $0.category != Category.initialValue.id && $0.date < day }
    return try db.sum(initial, of: \.amount) + db.sum(earlier, of: \.amount)
  }
}
